package ops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

func dialogVerbs() map[string]Func {
	return map[string]Func{
		"dialog accept": func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
			return e.answer(ctx, true, c.Str("text"))
		},
		"dialog dismiss": func(ctx context.Context, e *Env, c *verb.Call) (Result, error) { return e.answer(ctx, false, "") },
		"dialog status":  dialogStatus,
		"dialog policy":  dialogPolicy,
		"dialog rule":    dialogRule,
		"status":         status,
	}
}

// DialogData is a dialog as results and errors show it.
func DialogData(d *model.Dialog) map[string]any {
	data := obj{
		"id": d.ID, "type": d.Type, "message": d.Message, "defaultPrompt": d.DefaultPrompt,
		"frameId": string(d.Frame), "url": d.URL, "openedAt": float64(d.OpenedAt.UnixMilli()) / 1000,
	}
	if d.Bridge {
		data["bridge"] = true
	}
	return data
}

// Dialogs lists the dialogs of the session's tabs that wait for an answer, those
// of the active tab first.
func (w *Workspace) Dialogs() []*model.Dialog {
	s := w.Browser.State()
	var mine []*model.Dialog
	for _, d := range s.Dialogs {
		if d.Context == w.Context && d.Waits() {
			mine = append(mine, d)
		}
	}
	active, _ := w.Active()
	slices.SortStableFunc(mine, func(a, b *model.Dialog) int {
		switch {
		case a.Tab == active && b.Tab != active:
			return -1
		case b.Tab == active && a.Tab != active:
			return 1
		}
		return 0
	})
	return mine
}

// answer closes the open dialog of the active tab, or the only one elsewhere.
func (e *Env) answer(ctx context.Context, accept bool, text string) (Result, error) {
	ctx, cancel := e.limit(ctx, func() {})
	defer cancel()
	open := e.Dialogs()
	if len(open) == 0 && !accept {
		switch freed, err := e.Browser.DismissUnreported(ctx, e.Tab); {
		case err != nil:
			return Result{}, e.explain(err, "dismiss a dialog that opened while the connection was lost")
		case freed:
			return Result{Data: obj{"handled": true, "accepted": false, "unseen": true},
				Text: done + "\n  the dialog had opened while the connection to the browser was lost; the page is kept"}, nil
		}
	}
	if len(open) == 0 {
		return Result{}, e.noDialog()
	}
	return e.answerDialog(ctx, open[0], accept, text)
}

// answerDialog closes an open dialog.
func (e *Env) answerDialog(ctx context.Context, d *model.Dialog, accept bool, text string) (Result, error) {
	if text != "" && d.Type != "prompt" {
		return Result{}, api.Errorf(api.InvalidArgument, "the open dialog is %s and takes no text", article(d.Type)).With("dialog", DialogData(d))
	}
	before := e.Browser.State().Tabs[d.Tab]
	closed, err := e.Browser.Answer(ctx, d.ID, accept, text)
	var none *supervisor.NoDialogError
	var only *supervisor.DismissOnlyError
	switch {
	case errors.As(err, &only):
		return Result{}, api.Errorf(api.DialogOpen, "%w", err).With("dialog", DialogData(d)).
			WithHint("`dialog dismiss` answers Cancel; the page is kept.")
	case errors.As(err, &none):
		return Result{}, e.noDialog()
	case err != nil:
		return Result{}, e.explain(err, "answer the dialog")
	case closed.ClosedBy != model.ByAgent:
		return Result{}, api.Errorf(api.NoDialog, "dialog %s was closed first by %s", d.ID, closed.ClosedBy)
	}
	data := obj{"handled": true, "accepted": closed.Accepted, "id": d.ID, "type": d.Type, "message": d.Message}
	if closed.Type == "prompt" && closed.Accepted {
		data["answer"] = closed.Answer
	}
	res := Result{Data: data, Text: done}
	if accept && !closed.Accepted && closed.Type != "alert" {
		res.Warning = "the page was already navigating away, so the dialog was dismissed"
	}
	if closed.Type == "beforeunload" && closed.Accepted && before != nil {
		e.left(ctx, before, &res)
	}
	return res, nil
}

// left waits a little for the document that an accepted beforeunload dialog lets
// come, so that the next command does not see the old one, and tells of it.
func (e *Env) left(ctx context.Context, before *model.Tab, res *Result) {
	ctx, cancel := context.WithTimeout(ctx, min(settleLimit, e.Limit))
	defer cancel()
	err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[before.ID]
		return t != nil && t.Commits > before.Commits && t.MainFrame().DOMReady, lost(s, before.ID)
	})
	t := e.Browser.State().Tabs[before.ID]
	switch {
	case t == nil:
		res.Data.(obj)["tabClosed"] = true
		res.Text += "\n  the tab is closed"
	case err == nil && strings.HasPrefix(t.URL, "chrome-error:"):
		res.Text += "\n  the page was not loaded"
	case err == nil:
		res.Data.(obj)["navigation"] = obj{"url": t.URL, "committed": true, "sameDocument": false}
		res.Text += "\n  went to " + t.URL
	}
}

// noDialog tells also of the dialog that was there last, for an agent that comes
// too late.
func (e *Env) noDialog() error {
	s := e.Browser.State()
	err := api.Errorf(api.NoDialog, "no JavaScript dialog is open")
	for _, d := range slices.Backward(s.RecentDialogs) {
		if d.Context == e.Context {
			err = api.Errorf(api.NoDialog, "no JavaScript dialog is open; the last one, %s %q, was closed by %s", article(d.Type), d.Message, d.ClosedBy)
			break
		}
	}
	return err
}

func article(kind string) string {
	if strings.HasPrefix(kind, "a") {
		return "an " + kind
	}
	return "a " + kind
}

func dialogStatus(_ context.Context, e *Env, _ *verb.Call) (Result, error) {
	open := e.Dialogs()
	data := obj{"hasDialog": len(open) > 0}
	if !e.Settings.Compatible {
		s := e.Browser.State()
		data["pending_dialogs"], data["recent_dialogs"] = s.Pending(e.Context), s.Recent(e.Context)
	}
	if len(open) == 0 {
		return Result{Data: data, Text: "✓ No dialog is currently open"}, nil
	}
	d := open[0]
	maps.Copy(data, DialogData(d))
	text := fmt.Sprintf("%s dialog %s: %q", d.Type, d.ID, d.Message)
	if d.Type == "prompt" && d.DefaultPrompt != "" {
		text += fmt.Sprintf(" (default %q)", d.DefaultPrompt)
	}
	answers := "answer with `dialog accept` or `dialog dismiss`"
	if d.Type == "prompt" {
		answers = "answer with `dialog accept <text>` or `dialog dismiss`"
	}
	switch d.Reach {
	case model.ReachDismiss:
		data["dismissOnly"] = true
		answers = "it was open when the connection to the browser was lost: only `dialog dismiss` can answer it now"
	case model.ReachNone:
		answers += ", which waits until the connection to the browser is back"
	}
	text += "\n" + answers
	if len(open) > 1 {
		others := make([]any, 0, len(open)-1)
		for _, o := range open[1:] {
			others = append(others, DialogData(o))
		}
		data["others"] = others
		text += fmt.Sprintf("\n%d more in other tabs", len(others))
	}
	return Result{Data: data, Text: text}, nil
}
