package world

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/supervisor/model"

	protocol "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/go-json-experiment/json"
)

// axState is the state of an element in the accessibility tree, as the page script takes it (ui/page/src/internals.ts).
type axState struct {
	Role     string            `json:"role"`
	Name     string            `json:"name"`
	Authored bool              `json:"authored"`
	Value    string            `json:"value"`
	States   map[string]string `json:"states"`
}

// axNode is a node of the tree, as far as it is used.
type axNode struct {
	Ignored    bool     `json:"ignored"`
	Role       axValue  `json:"role"`
	Name       axSource `json:"name"`
	Value      axValue  `json:"value"`
	Properties []struct {
		Name  string  `json:"name"`
		Value axValue `json:"value"`
	} `json:"properties"`
}

type axValue struct {
	Value jsontext.Value `json:"value"`
}

type axSource struct {
	axValue
	Sources []struct {
		Type       string  `json:"type"`
		Superseded bool    `json:"superseded"`
		Value      axValue `json:"value"`
	} `json:"sources"`
}

func (v axValue) text() string {
	if s, err := jsontext.AppendUnquote(nil, v.Value); err == nil {
		return string(s)
	}
	return string(v.Value)
}

// partialTree requests one node; the typed result with all properties costs more.
var partialTree = protocol.Command[accessibility.GetPartialAXTreeParams, struct {
	Nodes []axNode `json:"nodes"`
}]{Method: accessibility.CommandGetPartialAXTree}

// UpdateInternals reads from the browser's accessibility tree the elements that the page script has listed: custom
// elements whose role and states no script can read. It passes them to the page script and returns the number of
// elements that changed there.
func (w *Worlds) UpdateInternals(ctx context.Context, frame model.FrameID) (int, error) {
	list, err := w.Handle(ctx, frame, "withInternals", nil)
	if err != nil {
		return 0, err
	}
	defer list.Release()
	items, err := cdp.Do(ctx, list.Session, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: list.Object.ObjectID, OwnProperties: new(true)})
	if err != nil {
		return 0, fmt.Errorf("list custom elements: %w", err)
	}
	var elements []runtime.RemoteObjectID
	for _, item := range items.Result {
		if item.Value != nil && item.Value.ObjectID != "" && item.Enumerable {
			elements = append(elements, item.Value.ObjectID)
		}
	}
	// Without Accessibility.enable, which would save nothing here: after it has been switched on and off, the next
	// document of some pages crashes its renderer (Chromium 156, components of Shoelace).
	pending := make([]*cdp.Pending[struct {
		Nodes []axNode `json:"nodes"`
	}], len(elements))
	for i, id := range elements {
		pending[i] = cdp.Start(list.Session, partialTree, accessibility.GetPartialAXTreeParams{ObjectID: id, FetchRelatives: new(false)})
		list.Session.Post("Runtime.releaseObject", map[string]any{"objectId": id}, nil)
	}
	all := make([]*axState, len(elements))
	for i, one := range pending {
		res, err := one.Wait(ctx)
		if err != nil && ctx.Err() != nil {
			return 0, fmt.Errorf("read the accessibility tree: %w", err)
		}
		if len(res.Nodes) > 0 {
			all[i] = axStateOf(&res.Nodes[0])
		}
	}
	return passElements(ctx, list, all)
}

func passElements(ctx context.Context, list *Handle, all []*axState) (int, error) {
	arg, err := jsonv2.Marshal(all)
	if err != nil {
		return 0, fmt.Errorf("pass the accessibility tree to the page script: %w", err)
	}
	res, err := cdp.Do(ctx, list.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: pagescript.UpdateInternals, ObjectID: list.Object.ObjectID,
		Arguments: []*runtime.CallArgument{{Value: arg}}, ReturnByValue: new(true), Silent: new(true),
	})
	switch {
	case err != nil:
		return 0, fmt.Errorf("pass the accessibility tree to the page script: %w", err)
	case res.ExceptionDetails != nil:
		return 0, &ScriptError{Func: "updateInternals", Message: exceptionText(res.ExceptionDetails)}
	}
	var news int
	if err := decode("updateInternals", *res.Result, &news); err != nil {
		return 0, err
	}
	return news, nil
}

// axStateOf returns the state of a node; nil for a node without one.
func axStateOf(n *axNode) *axState {
	t := &axState{Role: n.Role.text(), Name: n.Name.text(), Value: n.Value.text(), States: map[string]string{}}
	switch t.Role {
	case "", "none", "generic", "GenericContainer":
		return nil
	}
	if n.Ignored {
		return nil
	}
	for _, source := range n.Name.Sources {
		if !source.Superseded && source.Value.text() != "" {
			t.Authored = source.Type != "contents"
			break
		}
	}
	for _, state := range n.Properties {
		switch value := state.Value.text(); state.Name {
		case "checked", "pressed", "expanded", "selected", "disabled", "required", "readonly", "invalid":
			t.States[state.Name] = value
		}
	}
	return t
}
