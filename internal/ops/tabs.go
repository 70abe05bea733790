package ops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

func tabVerbs() map[string]Func {
	return map[string]Func{
		"tab list":      tabList,
		"tab new":       tabNew,
		"tab switch":    tabSwitch,
		"tab close":     tabClose,
		"tab interrupt": tabInterrupt,
		"window new":    windowNew,
	}
}

// tabID is the name of a tab in commands and results: t1, t2, …
func tabID(t *model.Tab) string { return "t" + strconv.Itoa(t.Number) }

// label returns a tab's label, "" if it has none.
func (w *Workspace) label(id model.TargetID) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for label, target := range w.labels {
		if target == id {
			return label
		}
	}
	return ""
}

// orNull keeps an absent text out of a JSON string.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func tabList(ctx context.Context, e *Env, _ *verb.Call) (Result, error) {
	active, _ := e.Active()
	titles := e.titles(ctx)
	rows := []any{}
	var text []string
	for _, t := range e.Tabs() {
		label := e.label(t.ID)
		row := obj{
			"active": t.ID == active, "label": orNull(label), "tabId": tabID(t), "targetId": string(t.ID),
			"title": titles[t.ID], "type": "page", "url": t.URL,
		}
		line := "  "
		if t.ID == active {
			line = "→ "
		}
		line += "[" + tabID(t) + "] "
		if label != "" {
			line += label + " "
		}
		line += oneLine(titles[t.ID]) + " - " + t.URL
		switch d := e.Browser.State().Dialog(t.ID); {
		case t.Crash != nil:
			row["crashed"] = t.Crash.Status
			line += " (crashed)"
		case d != nil:
			row["dialog"] = DialogData(d)
			line += fmt.Sprintf(" (%s dialog open)", d.Type)
		}
		rows = append(rows, row)
		text = append(text, line)
	}
	if len(text) == 0 {
		text = []string{"No tabs"}
	}
	return Result{Data: obj{"tabs": rows}, Text: strings.Join(text, "\n")}, nil
}

// findTab finds a tab of the session by its id, label or target id.
func (e *Env) findTab(name string) (*model.Tab, error) {
	tabs := e.Tabs()
	e.mu.Lock()
	labelled := e.labels[name]
	e.mu.Unlock()
	for _, t := range tabs {
		if tabID(t) == name || string(t.ID) == name || t.ID == labelled {
			return t, nil
		}
	}
	var known []string
	for _, t := range tabs {
		known = append(known, tabID(t))
	}
	for _, g := range e.Browser.State().Gone {
		if g.Context == e.Context && ("t"+strconv.Itoa(g.Number) == name || string(g.ID) == name || g.ID == labelled) {
			return nil, e.goneError(g.ID)
		}
	}
	if _, err := strconv.Atoi(name); err == nil {
		return nil, api.Errorf(api.TabNotFound, "Expected a tab id like t%s, got %q; the tabs are %s", name, name, strings.Join(known, ", "))
	}
	return nil, api.Errorf(api.TabNotFound, "Tab %s not found; the tabs are %s", name, strings.Join(known, ", "))
}

// checkLabel refuses what could be mistaken for a tab id, and a label in use.
func (w *Workspace) checkLabel(label string) error {
	ok := label != "" && (label[0]|0x20 >= 'a' && label[0]|0x20 <= 'z')
	for _, r := range label {
		ok = ok && (r == '-' || r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z')
	}
	if _, err := strconv.Atoi(strings.TrimPrefix(label, "t")); err == nil && strings.HasPrefix(label, "t") {
		ok = false
	}
	if !ok {
		return api.Errorf(api.InvalidArgument, "a tab label begins with a letter, has letters, digits, - and _ only, and is not like t1; got %q", label)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if id, used := w.labels[label]; used && w.Browser.State().Tabs[id] != nil {
		return api.Errorf(api.TabLabelTaken, "Label %q is already used by another tab", label)
	}
	return nil
}

// name labels a tab, and drops the labels of tabs that are gone so long that nobody is told of them any more.
func (w *Workspace) name(label string, id model.TargetID) {
	s := w.Browser.State()
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.labels, func(_ string, id model.TargetID) bool {
		return s.Tabs[id] == nil && !slices.ContainsFunc(s.Gone, func(g model.GoneTab) bool { return g.ID == id })
	})
	w.labels[label] = id
}

func tabNew(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	ctx, cancel := e.limit(ctx, func() {})
	defer cancel()
	label := c.Str("label")
	if c.Has("label") {
		if err := e.checkLabel(label); err != nil {
			return Result{}, err
		}
	}
	t, err := e.newTab(ctx, false)
	if err != nil {
		return Result{}, err
	}
	if label != "" {
		e.name(label, t.ID)
	}
	var warning string
	if c.Has("url") {
		opened, err := e.Navigate(ctx, c.Str("url"))
		if err != nil {
			return Result{}, err
		}
		warning = opened.Warning
	}
	if t, err = e.tab(); err != nil {
		return Result{}, err
	}
	text := "✓ [" + tabID(t) + "] " + t.URL
	return Result{Data: obj{
		"tabId": tabID(t), "targetId": string(t.ID), "label": orNull(label), "total": len(e.Tabs()), "url": t.URL,
	}, Text: text, Warning: warning}, nil
}

// newTab opens a tab and makes it the one this verb acts on.
func (e *Env) newTab(ctx context.Context, window bool) (*model.Tab, error) {
	t, err := e.NewTab(ctx, window)
	if err != nil {
		return nil, e.explain(err, "open a tab")
	}
	e.Tab = t.ID
	return t, nil
}

func windowNew(ctx context.Context, e *Env, _ *verb.Call) (Result, error) {
	ctx, cancel := e.limit(ctx, func() {})
	defer cancel()
	t, err := e.newTab(ctx, true)
	if err != nil {
		return Result{}, err
	}
	total := len(e.Tabs())
	return Result{Data: obj{"tabId": tabID(t), "total": total}, Text: fmt.Sprintf("✓ Window opened [%s] (%d total)", tabID(t), total)}, nil
}

func tabSwitch(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	ctx, cancel := e.limit(ctx, func() {})
	defer cancel()
	t, err := e.findTab(c.Str("tab"))
	if err != nil {
		return Result{}, err
	}
	e.SetActive(t.ID)
	e.Show(t.ID)
	title := e.titles(ctx)[t.ID]
	data := obj{"tabId": tabID(t), "targetId": string(t.ID), "label": orNull(e.label(t.ID)), "title": title, "url": t.URL}
	if d := e.Browser.State().Dialog(t.ID); d != nil {
		data["dialogBlocked"], data["dialog"] = true, DialogData(d)
	}
	return Result{Data: data, Text: "✓ " + oneLine(title) + "\n  " + t.URL}, nil
}

// gone says that a tab was closed by somebody else a moment ago (Chromium's words on 156).
func gone(err error) bool {
	var refused *cdp.Error
	return errors.As(err, &refused) && strings.HasPrefix(refused.Message, "No target with given id found")
}

// namedTab is the tab that a call names, else the verb's own.
func (e *Env) namedTab(c *verb.Call) (*model.Tab, error) {
	if c.Has("tab") {
		return e.findTab(c.Str("tab"))
	}
	return e.tab()
}

func tabClose(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	ctx, cancel := e.limit(ctx, func() {})
	defer cancel()
	t, err := e.namedTab(c)
	if err != nil {
		return Result{}, err
	}
	label := e.label(t.ID)
	if len(e.Tabs()) == 1 {
		return Result{}, api.Errorf(api.LastTab, "Cannot close the last tab").WithHint("End the session with `close`, or open another tab first with `tab new`.")
	}
	if _, err := cdp.Do(ctx, e.Browser.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(t.ID)}); err != nil && !gone(err) {
		return Result{}, e.explain(err, "close tab "+tabID(t))
	}
	err = e.Browser.Wait(ctx, func(s *model.State) (bool, error) { return s.Tabs[t.ID] == nil, s.Down() })
	if err != nil {
		return Result{}, e.explain(err, "close tab "+tabID(t))
	}
	if e.Browser.State().Tabs[t.Opener] != nil && t.ID == e.Tab {
		e.SetActive(t.Opener)
	}
	return Result{Data: obj{"closed": true, "tabId": tabID(t), "targetId": string(t.ID), "label": orNull(label)}, Text: "✓ Tab [" + tabID(t) + "] closed"}, nil
}
