// Package agreement judges the outline of package view by Chromium's own
// accessibility tree: on the same page, at the same moment, the same elements
// must be found, with the same roles and names.
package agreement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view"
	"github.com/usher-browser/usher/internal/world"
)

// Kind is how two descriptions of an element differ.
type Kind string

// Ways to differ.
const (
	Missing Kind = "missing" // Chromium has it, we do not
	Extra   Kind = "extra"   // we have it, Chromium does not
	Role    Kind = "role"
	Name    Kind = "name"
)

// Difference is one element about which the two accounts disagree.
type Difference struct {
	Page     string
	Kind     Kind
	Ours     string // role "name"
	Chromium string // role "name"
	Element  string // the start of its markup
}

// Score adds up comparisons.
type Score struct {
	// Elements counts the interactive elements that either account holds.
	Elements    int
	Differences []Difference
	// Inner counts nodes inside controls that the browser draws itself (the fields of a date, the buttons of a video),
	// which no script can reach: they are not compared.
	Inner int
}

// Share returns the part of elements both accounts agree on, from 0 to 1.
func (s *Score) Share() float64 {
	if s.Elements == 0 {
		return 1
	}
	return 1 - float64(len(s.Differences))/float64(s.Elements)
}

// Add puts another score into this one.
func (s *Score) Add(o *Score) {
	s.Elements += o.Elements
	s.Inner += o.Inner
	s.Differences = append(s.Differences, o.Differences...)
}

// interactive holds the roles that are compared: what an agent can act on.
func interactive(role string) bool {
	switch role {
	case "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox",
		"menuitemradio", "option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem",
		"ColorWell", "Date", "DateTime", "InputTime", "DisclosureTriangle", "DisclosureTriangleGrouped":
		return true
	}
	return false
}

// Judge opens pages and compares.
type Judge struct {
	Worlds *world.Worlds
	// NoScripts switches the scripts of pages off before they are opened.
	NoScripts bool
}

// Page opens url in a tab of its own and compares the two descriptions of its main frame once it has loaded.
func (j *Judge) Page(ctx context.Context, name, url string) (*Score, error) {
	browser := j.Worlds.Browser()
	made, err := cdp.Do(ctx, browser.Session(""), target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	id := model.TargetID(made.TargetID)
	score, err := j.judge(ctx, name, id, url)
	_, closing := cdp.Do(context.WithoutCancel(ctx), browser.Session(""), target.CloseTarget, target.CloseTargetParams(made))
	if err = errors.Join(err, closing); err != nil {
		return nil, fmt.Errorf("judge %s: %w", name, err)
	}
	return score, nil
}

// judge navigates a tab to a page. It dismisses the dialogs of the page, which would block it.
func (j *Judge) judge(ctx context.Context, name string, tab model.TargetID, address string) (*Score, error) {
	browser := j.Worlds.Browser()
	if err := browser.Wait(ctx, func(s *model.State) (bool, error) { return s.Tabs[tab] != nil && s.Tabs[tab].Ready, nil }); err != nil {
		return nil, fmt.Errorf("wait for a tab: %w", err)
	}
	state := browser.State()
	browser.SetPolicy(state.Tabs[tab].Context, model.Policy{Mode: model.AutoDismiss})
	session := browser.Session(state.Tabs[tab].Session)
	if j.NoScripts {
		if err := session.Call(ctx, "Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil); err != nil {
			return nil, fmt.Errorf("switch scripts off: %w", err)
		}
	}
	gone, err := cdp.Do(ctx, session, page.Navigate, page.NavigateParams{URL: address})
	if err == nil && gone.ErrorText != "" {
		err = errors.New(gone.ErrorText)
	}
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	err = browser.Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[tab]
		return t != nil && t.MainFrame().URL != "about:blank", nil
	})
	if err != nil {
		return nil, fmt.Errorf("wait until it is shown: %w", err)
	}
	return j.compare(ctx, name, tab)
}

func (j *Judge) compare(ctx context.Context, name string, tab model.TargetID) (*Score, error) {
	err := j.Worlds.Browser().Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[tab]
		return t != nil && t.Ready && t.MainFrame().Loaded, nil
	})
	if err != nil {
		return nil, fmt.Errorf("wait until it has loaded: %w", err)
	}
	frame := j.Worlds.Browser().State().Tabs[tab].Main
	// A whole snapshot first: it finds closed shadow roots.
	if _, err := view.New(j.Worlds, view.NewRefs()).Snapshot(ctx, tab, view.Options{Interactive: true}); err != nil {
		return nil, err
	}
	theirs, err := j.tree(ctx, frame)
	if err != nil {
		return nil, err
	}
	ours, err := j.outline(ctx, frame)
	if err != nil {
		return nil, err
	}
	score := &Score{}
	for _, id := range theirs.order {
		chromium := theirs.byID[id]
		our, known := ours.byID[id]
		if !interactive(chromium.role) && (!known || !interactive(our.role)) {
			continue
		}
		kind, differs := differ(our, known, chromium)
		if kind == Missing && j.isDrawn(ctx, frame, id) {
			score.Inner++
			continue
		}
		score.Elements++
		if differs {
			score.Differences = append(score.Differences, Difference{
				Page: name, Kind: kind, Ours: our.String(), Chromium: chromium.String(), Element: j.markup(ctx, frame, id),
			})
		}
	}
	for _, id := range ours.order {
		our := ours.byID[id]
		if _, known := theirs.byID[id]; known || !interactive(our.role) {
			continue
		}
		score.Elements++
		score.Differences = append(score.Differences, Difference{
			Page: name, Kind: Extra, Ours: our.String(), Element: j.markup(ctx, frame, id),
		})
	}
	return score, nil
}

func differ(our account, known bool, chromium account) (Kind, bool) {
	switch {
	case !known:
		return Missing, true
	case our.role != chromium.role:
		return Role, true
	case our.name != chromium.name:
		return Name, true
	}
	return "", false
}

// account is the description of an element from one side.
type account struct{ role, name string }

func (a account) String() string {
	if a.role == "" {
		return ""
	}
	return fmt.Sprintf("%s %q", a.role, a.name)
}

// accounts are keyed by backend node id.
type accounts struct {
	byID  map[protocol.BackendNodeID]account
	order []protocol.BackendNodeID
}

// outline returns our account.
func (j *Judge) outline(ctx context.Context, frame model.FrameID) (*accounts, error) {
	var text string
	if err := j.Worlds.Call(ctx, frame, "snapshot", map[string]any{"interactive": true, "unfold": true}, &text); err != nil {
		return nil, err
	}
	reported, err := view.ParsePage(text)
	if err != nil {
		return nil, err
	}
	reported.Nodes = slices.DeleteFunc(reported.Nodes, func(n view.Node) bool { return n.ID == 0 }) // rows and alerts are in the outline without a ref
	var ids []uint32
	for _, node := range reported.Nodes {
		ids = append(ids, node.ID)
	}
	nodes, err := j.backendIDs(ctx, frame, ids)
	if err != nil {
		return nil, err
	}
	a := &accounts{byID: map[protocol.BackendNodeID]account{}}
	for i, node := range reported.Nodes {
		a.order = append(a.order, nodes[i])
		a.byID[nodes[i]] = account{node.Role, Normal(node.Name)}
	}
	return a, nil
}

func (j *Judge) backendIDs(ctx context.Context, frame model.FrameID, ids []uint32) ([]protocol.BackendNodeID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := j.Worlds.Handle(ctx, frame, "elements", ids)
	if err != nil {
		return nil, err
	}
	defer list.Release()
	items, err := cdp.Do(ctx, list.Session, runtime.GetProperties, runtime.GetPropertiesParams{
		ObjectID: list.Object.ObjectID, OwnProperties: new(true),
	})
	if err != nil {
		return nil, err
	}
	var pending []*cdp.Pending[dom.DescribeNodeResult]
	for _, item := range items.Result {
		if item.Name == "length" || item.Value == nil || item.Value.ObjectID == "" {
			continue
		}
		pending = append(pending, cdp.Start(list.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: item.Value.ObjectID}))
	}
	if len(pending) != len(ids) {
		return nil, fmt.Errorf("%d of %d elements vanished while they were compared", len(ids)-len(pending), len(ids))
	}
	out := make([]protocol.BackendNodeID, len(ids))
	for i, p := range pending {
		res, err := p.Wait(ctx)
		if err != nil {
			return nil, err
		}
		out[i] = res.Node.BackendNodeID
	}
	return out, nil
}

// markup returns the start of an element's own markup, for a reader of the report.
func (j *Judge) markup(ctx context.Context, frame model.FrameID, id protocol.BackendNodeID) string {
	session := j.Worlds.Browser().Session(j.Worlds.Browser().State().Frame(frame).Session)
	res, err := cdp.Do(ctx, session, dom.GetOuterHTML, dom.GetOuterHTMLParams{BackendNodeID: id})
	if err != nil {
		return err.Error()
	}
	text := strings.Join(strings.Fields(res.OuterHTML), " ")
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return text
}
