package view

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// If the page script throws, the browser's own accessibility tree replaces the outline: it is slower and fewer elements
// can be acted on, but the page can be read.

// maxAccessibilityRefs bounds the elements of such an outline that get a ref: each costs two calls.
const maxAccessibilityRefs = 500

// longestName is the largest length of a name in characters, as in the page script; longestText that of a text or a
// value.
const (
	longestName = 1_000
	longestText = 10_000
)

// axNode is a node of the browser's accessibility tree (Accessibility.AXNode).
type axNode struct {
	ID         string    `json:"nodeId"`
	Ignored    bool      `json:"ignored"`
	Role       axValue   `json:"role"`
	Name       axValue   `json:"name"`
	Value      axValue   `json:"value"`
	Properties []axState `json:"properties"`
	Children   []string  `json:"childIds"`
	Backend    int64     `json:"backendDOMNodeId"`
}

type axValue struct {
	Value jsontext.Value `json:"value"`
}

type axState struct {
	Name  string  `json:"name"`
	Value axValue `json:"value"`
}

func (v axValue) text() string {
	if s, err := jsontext.AppendUnquote(nil, v.Value); err == nil {
		return string(s)
	}
	return string(v.Value)
}

// accessibilityPage returns the accessibility tree of a frame whose script threw; it returns the script's error if the
// browser has no tree.
func (v *Viewer) accessibilityPage(ctx context.Context, frame model.FrameID, args walkArgs, thrown error) (*Page, world.Document, error) {
	var script *world.ScriptError
	state := v.worlds.Browser().State()
	f := state.Frame(frame)
	if !errors.As(thrown, &script) || args.Root != nil || f == nil {
		return nil, world.Document{}, thrown
	}
	session := v.worlds.Browser().Session(f.Session)
	var tree struct {
		Nodes []axNode `json:"nodes"`
	}
	if err := session.Call(ctx, "Accessibility.getFullAXTree", map[string]any{"frameId": frame}, &tree); err != nil {
		return nil, world.Document{}, fmt.Errorf("%w; and the browser returned no accessibility tree: %w", thrown, err)
	}
	failed := oneLine(plain.Line(plain.Cut(script.Error(), 300)))
	page := &Page{URL: plain.Text(plain.Cut(f.URL, 2*longestName)), Failed: failed}
	page.Nodes = append(page.Nodes, Node{Note: "the page script failed here: " + failed + "; this is the browser's accessibility tree"})
	nodes, backends := flatten(tree.Nodes, args.Interactive)
	v.identify(ctx, session, frame, nodes, backends)
	for i := range nodes {
		if !args.Interactive || nodes[i].ID != 0 {
			page.Nodes = append(page.Nodes, nodes[i])
		}
	}
	if len(tree.Nodes) > 0 && args.Title {
		page.Title = plain.Line(plain.Cut(tree.Nodes[0].Name.text(), longestName))
	}
	return page, world.Document{Frame: frame, Loader: f.Loader}, nil
}

// flatten makes rows of the tree in reading order, with the DOM nodes of those that may have a ref. It does not recurse: a
// page may be nested as deeply as it likes.
func flatten(tree []axNode, interactive bool) (nodes []Node, backends []int64) {
	if len(tree) == 0 {
		return nil, nil
	}
	at := make(map[string]int, len(tree))
	for i := range tree {
		at[tree[i].ID] = i
	}
	type open struct{ index, depth int }
	stack := []open{{0, 0}}
	reported := make([]bool, len(tree))
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &tree[top.index]
		if reported[top.index] {
			continue
		}
		reported[top.index] = true
		depth := top.depth
		if node, ok := rowOf(n); ok {
			node.Depth, node.Level = depth, depth
			nodes = append(nodes, node)
			backends = append(backends, n.Backend)
			if !interactive && depth < 60_000 {
				depth++
			}
		}
		for i := len(n.Children) - 1; i >= 0; i-- {
			if child, ok := at[n.Children[i]]; ok {
				stack = append(stack, open{child, depth})
			}
		}
	}
	return nodes, backends
}

// rowOf returns the row of one node; ok is false for a node without content of its own.
func rowOf(n *axNode) (node Node, ok bool) {
	role := n.Role.text()
	for _, c := range role {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' {
			return node, false
		}
	}
	switch role {
	case "", "none", "generic", "RootWebArea", "InlineTextBox", "ListMarker", "LineBreak":
		return node, false
	}
	limit := longestName
	if role == "StaticText" {
		limit = longestText
	}
	node = Node{
		Role: role, Name: strings.TrimSpace(plain.Line(plain.Cut(n.Name.text(), limit))), Value: plain.Text(plain.Cut(n.Value.text(), longestText)),
	}
	if n.Ignored || role == "StaticText" && node.Name == "" {
		return node, false
	}
	for _, state := range n.Properties {
		node.States = appendState(node.States, state)
	}
	return node, true
}

func appendState(states []string, state axState) []string {
	value := state.Value.text()
	switch state.Name {
	case "level":
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			return append(states, "level="+strconv.Itoa(n))
		}
	case "checked", "pressed", "expanded":
		if value == "true" || value == "false" || value == "mixed" {
			return append(states, state.Name+"="+value)
		}
	case "selected", "disabled", "required":
		if value == "true" {
			return append(states, state.Name)
		}
	}
	return states
}

// identify sets the local ids of the nodes that can be acted on, as far as the page script can still assign them.
func (v *Viewer) identify(ctx context.Context, session *cdp.Session, frame model.FrameID, nodes []Node, backends []int64) {
	_, in, err := v.worlds.Context(ctx, frame)
	if err != nil {
		return // an outline without refs
	}
	resolved := map[int]*cdp.Pending[dom.ResolveNodeResult]{}
	for i := range nodes {
		if hasRef(&nodes[i]) && backends[i] != 0 && len(resolved) < maxAccessibilityRefs {
			resolved[i] = cdp.Start(session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: protocol.BackendNodeID(backends[i]), ExecutionContextID: in})
		}
	}
	requested := map[int]*cdp.Pending[runtime.CallFunctionOnResult]{}
	for i, one := range resolved {
		res, err := one.Wait(ctx)
		if err != nil || res.Object == nil {
			continue // the element was removed
		}
		requested[i] = cdp.Start(session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: pagescript.IDOf, ObjectID: res.Object.ObjectID, ReturnByValue: new(true), Silent: new(true),
		})
		session.Post("Runtime.releaseObject", map[string]any{"objectId": res.Object.ObjectID}, nil)
	}
	for i, one := range requested {
		res, err := one.Wait(ctx)
		if err != nil || res.ExceptionDetails != nil || res.Result == nil {
			continue // it has no id that anything could be done with
		}
		if id, err := strconv.ParseUint(string(res.Result.Value), 10, 32); err == nil {
			nodes[i].ID = uint32(id)
		}
	}
}

// hasRef reports whether a node gets a ref: it can be acted on, or is a landmark.
func hasRef(n *Node) bool {
	switch n.Role {
	case "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio",
		"option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem", "Iframe", "ColorWell", "Date", "DateTime", "InputTime",
		"DisclosureTriangle", "DisclosureTriangleGrouped", "MenuListOption", "MenuListPopup":
		return true
	case "heading":
		return n.Name != ""
	}
	return false
}
