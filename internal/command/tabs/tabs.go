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
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/verb"
)

func tabList(ctx context.Context, e *run.Env, _ *verb.Call) (run.Result, error) {
	active, _ := e.Active()
	titles := e.Titles(ctx)
	rows := []any{}
	var text []string
	for _, t := range e.Tabs() {
		label := e.Label(t.ID)
		row := run.Object{
			"active": t.ID == active, "label": run.OrNull(label), "tabId": run.TabID(t), "targetId": string(t.ID),
			"title": titles[t.ID], "type": "page", "url": t.URL,
		}
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
			row["crashed"] = t.Crash.Status
			line += " (crashed)"
		case d != nil:
			row["dialog"] = run.DialogData(d)
			line += fmt.Sprintf(" (%s dialog open)", d.Type)
		}
		rows = append(rows, row)
		text = append(text, line)
	}
	if len(text) == 0 {
		text = []string{"No tabs"}
	}
	return run.Result{Data: run.Object{"tabs": rows}, Text: strings.Join(text, "\n")}, nil
}

func tabNew(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	label := c.Str("label")
	if c.Has("label") {
		if err := e.CheckLabel(label); err != nil {
			return run.Result{}, err
		}
	}
	t, err := navigate.NewTab(ctx, e, false)
	if err != nil {
		return run.Result{}, err
	}
	if label != "" {
		e.SetLabel(label, t.ID)
	}
	var warning string
	if c.Has("url") {
		opened, err := navigate.Navigate(ctx, e, c.Str("url"))
		if err != nil {
			return run.Result{}, err
		}
		warning = opened.Warning
	}
	if t, err = e.CurrentTab(); err != nil {
		return run.Result{}, err
	}
	text := "✓ [" + run.TabID(t) + "] " + t.URL
	return run.Result{Data: run.Object{
		"tabId": run.TabID(t), "targetId": string(t.ID), "label": run.OrNull(label), "total": len(e.Tabs()), "url": t.URL,
	}, Text: text, Warning: warning}, nil
}

func windowNew(ctx context.Context, e *run.Env, _ *verb.Call) (run.Result, error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	t, err := navigate.NewTab(ctx, e, true)
	if err != nil {
		return run.Result{}, err
	}
	total := len(e.Tabs())
	return run.Result{Data: run.Object{"tabId": run.TabID(t), "total": total}, Text: fmt.Sprintf("✓ Window opened [%s] (%d total)", run.TabID(t), total)}, nil
}

func tabSwitch(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	t, err := e.FindTab(c.Str("tab"))
	if err != nil {
		return run.Result{}, err
	}
	e.SetActive(t.ID)
	e.Show(t.ID)
	title := e.Titles(ctx)[t.ID]
	data := run.Object{"tabId": run.TabID(t), "targetId": string(t.ID), "label": run.OrNull(e.Label(t.ID)), "title": title, "url": t.URL}
	if d := e.Browser.State().Dialog(t.ID); d != nil {
		data["dialogBlocked"], data["dialog"] = true, run.DialogData(d)
	}
	return run.Result{Data: data, Text: "✓ " + run.OneLine(title) + "\n  " + t.URL}, nil
}

// gone says that a tab was closed by somebody else a moment ago (Chromium's words on 156).
func gone(err error) bool {
	var refused *cdp.Error
	return errors.As(err, &refused) && strings.HasPrefix(refused.Message, "No target with given id found")
}

func tabClose(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	t, err := e.NamedTab(c)
	if err != nil {
		return run.Result{}, err
	}
	label := e.Label(t.ID)
	if len(e.Tabs()) == 1 {
		return run.Result{}, api.Errorf(api.LastTab, "Cannot close the last tab").WithHint("End the session with `close`, or open another tab first with `tab new`.")
	}
	if _, err := cdp.Do(ctx, e.Browser.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(t.ID)}); err != nil && !gone(err) {
		return run.Result{}, e.Explain(err, "close tab "+run.TabID(t))
	}
	err = e.Browser.Wait(ctx, func(s *supervisor.State) (bool, error) { return s.Tabs[t.ID] == nil, s.Down() })
	if err != nil {
		return run.Result{}, e.Explain(err, "close tab "+run.TabID(t))
	}
	if e.Browser.State().Tabs[t.Opener] != nil && t.ID == e.Tab {
		e.SetActive(t.Opener)
	}
	return run.Result{Data: run.Object{"closed": true, "tabId": run.TabID(t), "targetId": string(t.ID), "label": run.OrNull(label)}, Text: "✓ Tab [" + run.TabID(t) + "] closed"}, nil
}
