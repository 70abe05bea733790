package tabs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/navigate"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// List is the result of `tab list`.
type List struct {
	Tabs []Tab `json:"tabs"` // in the order in which they appeared
}

// Tab is a tab as `tab list` shows it.
type Tab struct {
	Active   bool        `json:"active"`
	Label    *string     `json:"label"` // null without one
	TabID    string      `json:"tabId"` // t1, t2, ...: never reused in a session
	TargetID string      `json:"targetId"`
	Title    string      `json:"title"`
	Type     string      `json:"type"` // page
	URL      string      `json:"url"`
	Crashed  string      `json:"crashed,omitzero"` // how its renderer ended
	Dialog   *api.Dialog `json:"dialog,omitempty"` // the dialog that holds it
}

// New is the result of `tab new`.
type New struct {
	TabID    string  `json:"tabId"`
	TargetID string  `json:"targetId"`
	Label    *string `json:"label"`
	Total    int     `json:"total"` // tabs of the session
	URL      string  `json:"url"`
	api.Outcome
}

// Labelled is the result of `tab label`.
type Labelled struct {
	TabID    string `json:"tabId"`
	TargetID string `json:"targetId"`
	Label    string `json:"label"` // empty if it was removed
	URL      string `json:"url"`
}

// Window is the result of `window new`.
type Window struct {
	TabID string `json:"tabId"` // of the tab in the new window
	Total int    `json:"total"` // tabs of the session
}

// Switched is the result of `tab switch`: the tab that is active now.
type Switched struct {
	TabID    string  `json:"tabId"`
	TargetID string  `json:"targetId"`
	Label    *string `json:"label"`
	Title    string  `json:"title"`
	URL      string  `json:"url"`
	// DialogBlocked reports whether a dialog holds the tab; Dialog is that one.
	DialogBlocked bool `json:"dialogBlocked,omitzero"`
	api.Outcome
}

// Closed is the result of `tab close`.
type Closed struct {
	Closed   bool    `json:"closed"`
	TabID    string  `json:"tabId"`
	TargetID string  `json:"targetId"`
	Label    *string `json:"label"`
	api.Outcome
}

func tabList(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[List], error) {
	active, _ := e.Active()
	titles := e.Titles(ctx)
	rows := []Tab{}
	var text []string
	for _, t := range e.Tabs() {
		label := e.Labels.Of(t.ID)
		row := Tab{Active: t.ID == active, Label: run.OrNull(label), TabID: run.TabID(t), TargetID: string(t.ID),
			Title: titles[t.ID], Type: "page", URL: t.URL}
		line := "  "
		if t.ID == active {
			line = "→ "
		}
		line += "[" + run.TabID(t) + "] "
		if label != "" {
			line += label + " "
		}
		line += run.OneLine(titles[t.ID]) + " - " + t.URL
		switch d := e.Browser.State().Dialog(t.ID); {
		case t.Crash != nil:
			row.Crashed = t.Crash.Status
			line += " (crashed)"
		case d != nil:
			row.Dialog = run.DialogData(d)
			line += fmt.Sprintf(" (%s dialog open)", d.Type)
		}
		rows = append(rows, row)
		text = append(text, line)
	}
	if len(text) == 0 {
		text = []string{"No tabs"}
	}
	return run.Reply[List]{Data: List{Tabs: rows}, Text: strings.Join(text, "\n"), Warning: elsewhere(e)}, nil
}

// elsewhere tells of the pages that are open in other browser contexts than the session's, in a browser that usher did not start.
func elsewhere(e *run.Env) string {
	if e.Logins {
		return ""
	}
	n := 0
	for _, t := range e.Browser.State().Tabs {
		if t.Context != e.Context {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "1 more page is open in a browser context that is not the session's"
	}
	return fmt.Sprintf("%d more pages are open in browser contexts that are not the session's", n)
}

func tabNew(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*New], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	label := c.Str("label")
	if c.Has("label") {
		if err := e.Labels.Check(label); err != nil {
			return run.Reply[*New]{}, err
		}
	}
	t, warning, err := openNew(ctx, e, c)
	if t != nil && label != "" {
		e.Labels.Set(label, t.ID)
	}
	if err != nil {
		return run.Reply[*New]{}, err
	}
	text := "✓ [" + run.TabID(t) + "] " + t.URL
	return run.Reply[*New]{Data: &New{
		TabID: run.TabID(t), TargetID: string(t.ID), Label: run.OrNull(label), Total: len(e.Tabs()), URL: t.URL,
	}, Text: text, Warning: warning}, nil
}

// openNew opens the tab of `tab new`. If it is there and its address fails, it returns both.
func openNew(ctx context.Context, e *run.Env, c *verb.Call) (t *model.Tab, warning string, err error) {
	if c.Has("url") {
		return navigate.NewTabAt(ctx, e, c.Str("url"), c.Dur("load-limit"))
	}
	t, err = navigate.NewTab(ctx, e, false)
	return t, "", err
}

func tabLabel(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[Labelled], error) {
	label := c.Str("label")
	if c.Bool("remove") {
		t, err := e.FindTab(label)
		if err != nil {
			return run.Reply[Labelled]{}, err
		}
		e.Labels.Remove(label)
		return run.Reply[Labelled]{Data: Labelled{TabID: run.TabID(t), TargetID: string(t.ID), URL: t.URL}, Text: "✓ [" + run.TabID(t) + "] has no label"}, nil
	}
	t, err := e.NamedTab(c)
	if err != nil {
		return run.Reply[Labelled]{}, err
	}
	if e.Labels.Of(t.ID) != label {
		if err := e.Labels.Check(label); err != nil {
			return run.Reply[Labelled]{}, err
		}
		e.Labels.Set(label, t.ID)
	}
	return run.Reply[Labelled]{Data: Labelled{TabID: run.TabID(t), TargetID: string(t.ID), Label: label, URL: t.URL}, Text: "✓ [" + run.TabID(t) + "] " + label}, nil
}

func windowNew(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[Window], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	t, err := navigate.NewTab(ctx, e, true)
	if err != nil {
		return run.Reply[Window]{}, err
	}
	total := len(e.Tabs())
	return run.Reply[Window]{Data: Window{TabID: run.TabID(t), Total: total}, Text: fmt.Sprintf("✓ Window opened [%s] (%d total)", run.TabID(t), total)}, nil
}

func tabSwitch(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Switched], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	t, err := e.FindTab(c.Str("tab"))
	if err != nil {
		return run.Reply[*Switched]{}, err
	}
	e.SetActive(t.ID)
	e.Show(t.ID)
	title := e.Titles(ctx)[t.ID]
	data := &Switched{TabID: run.TabID(t), TargetID: string(t.ID), Label: run.OrNull(e.Labels.Of(t.ID)), Title: title, URL: t.URL}
	if d := e.Browser.State().Dialog(t.ID); d != nil {
		data.DialogBlocked, data.Dialog = true, run.DialogData(d)
	}
	return run.Reply[*Switched]{Data: data, Text: "✓ " + run.OneLine(title) + "\n  " + t.URL}, nil
}

// gone reports whether a tab was closed from elsewhere a moment ago (by Chromium's message on 156).
func gone(err error) bool {
	var refused *cdp.Error
	return errors.As(err, &refused) && strings.HasPrefix(refused.Message, "No target with given id found")
}

func tabClose(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Closed], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	t, err := e.NamedTab(c)
	if err != nil {
		return run.Reply[*Closed]{}, err
	}
	label := e.Labels.Of(t.ID)
	if len(e.Tabs()) == 1 {
		return run.Reply[*Closed]{}, api.Errorf(api.LastTab, "Cannot close the last tab").WithHint("End the session with `close`, or open another tab first with `tab new`.")
	}
	if _, err := cdp.Do(ctx, e.Browser.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(t.ID)}); err != nil && !gone(err) {
		return run.Reply[*Closed]{}, e.Explain(err, "close tab "+run.TabID(t))
	}
	err = e.Browser.Wait(ctx, func(s *model.State) (bool, error) { return s.Tabs[t.ID] == nil, s.Unreachable() })
	if err != nil {
		return run.Reply[*Closed]{}, e.Explain(err, "close tab "+run.TabID(t))
	}
	if e.Browser.State().Tabs[t.Opener] != nil && t.ID == e.Tab {
		e.SetActive(t.Opener)
	}
	return run.Reply[*Closed]{Data: &Closed{Closed: true, TabID: run.TabID(t), TargetID: string(t.ID), Label: run.OrNull(label)}, Text: "✓ Tab [" + run.TabID(t) + "] closed"}, nil
}
