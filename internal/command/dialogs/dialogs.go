package dialogs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/verify"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// answer closes the open dialog of the active tab, or the only one elsewhere.
func answer(ctx context.Context, e *run.Env, accept bool, text string) (run.Reply[*Answered], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	open := e.Dialogs()
	if len(open) == 0 && !accept {
		switch freed, err := e.Browser.DismissUnreported(ctx, e.Tab); {
		case err != nil:
			return run.Reply[*Answered]{}, e.Explain(err, "dismiss a dialog that opened while the connection was lost")
		case freed:
			return run.Reply[*Answered]{Data: &Answered{Handled: true, Accepted: new(false), Unseen: true},
				Text: run.Done + "\n  the dialog opened while the connection to the browser was lost; the page is unchanged"}, nil
		}
	}
	if len(open) == 0 {
		return run.Reply[*Answered]{}, noDialog(e)
	}
	return answerDialog(ctx, e, open[0], accept, text)
}

// answerDialog closes an open dialog.
func answerDialog(ctx context.Context, e *run.Env, d *model.Dialog, accept bool, text string) (run.Reply[*Answered], error) {
	if text != "" && d.Type != "prompt" {
		return run.Reply[*Answered]{}, api.Errorf(api.InvalidArgument, "the open dialog is %s and accepts no text", article(d.Type)).With("dialog", run.DialogData(d))
	}
	before := e.Browser.State().Tabs[d.Tab]
	var effects *verify.Comparison
	if before != nil && d.Tab == e.Tab && d.Type != "beforeunload" {
		effects = verify.NewComparison(e.Worlds, d.Tab, before.Session)
	}
	closed, err := e.Browser.Answer(ctx, d.ID, accept, text)
	var none *supervisor.NoDialogError
	var only *supervisor.DismissOnlyError
	switch {
	case errors.As(err, &only):
		return run.Reply[*Answered]{}, api.Errorf(api.DialogOpen, "%w", err).With("dialog", run.DialogData(d)).
			WithHint("`dialog dismiss` answers Cancel; the page stays as it is.")
	case errors.As(err, &none):
		return run.Reply[*Answered]{}, noDialog(e)
	case err != nil:
		return run.Reply[*Answered]{}, e.Explain(err, "answer the dialog")
	case closed.ClosedBy != model.ByAgent:
		return run.Reply[*Answered]{}, api.Errorf(api.NoDialog, "dialog %s was closed first by %s", d.ID, closed.ClosedBy)
	}
	data := &Answered{Handled: true, Accepted: &closed.Accepted, ID: d.ID, Type: d.Type, Message: &d.Message}
	if closed.Type == "prompt" && closed.Accepted {
		data.Answer = &closed.Answer
	}
	res := run.Reply[*Answered]{Data: data, Text: run.Done}
	if effects != nil {
		res = follow(ctx, e, d, effects, data)
	}
	if accept && !closed.Accepted && closed.Type != "alert" {
		res.Warning = api.JoinWarnings(res.Warning, "the page was already navigating away, so the dialog was dismissed")
	}
	if closed.Type == "beforeunload" && closed.Accepted && before != nil {
		awaitLeft(ctx, e, before, &res)
	}
	return res, nil
}

// followLimit is how long the page may work after its dialog was answered, for what it does then to be in the result.
const followLimit = 500 * time.Millisecond

// follow returns the result of an answered dialog with what the page did after it: often it opens the next one.
func follow(ctx context.Context, e *run.Env, d *model.Dialog, effects *verify.Comparison, data *Answered) run.Reply[*Answered] {
	guarded, stop := e.Browser.Guard(ctx, d.Tab)
	defer stop()
	guarded, cancel := context.WithTimeout(guarded, followLimit)
	defer cancel()
	var out element.Outcome
	if effects.Finish(guarded, d.Frame, nil, false, &out.Effects) != nil { // the page is busy: what it does is not known yet
		return run.Reply[*Answered]{Data: data, Text: run.Done}
	}
	return run.OutcomeOf(ctx, e, data, &out)
}

// awaitLeft waits a short time for the document whose navigation an accepted beforeunload dialog allows, so that the next
// command does not read the old one, and returns it.
func awaitLeft(ctx context.Context, e *run.Env, before *model.Tab, res *run.Reply[*Answered]) {
	ctx, cancel := context.WithTimeout(ctx, min(run.NavigationLimit, e.Limit))
	defer cancel()
	err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[before.ID]
		return t != nil && t.Commits > before.Commits && t.MainFrame().Ready(), s.TabLost(before.ID)
	})
	t := e.Browser.State().Tabs[before.ID]
	switch {
	case t == nil:
		res.Data.TabClosed = true
		res.Text += "\n  the tab is closed"
	case err == nil && strings.HasPrefix(t.URL, "chrome-error:"):
		res.Text += "\n  the page was not loaded"
	case err == nil:
		res.Data.Navigation = &api.Navigation{URL: t.URL, Committed: true}
		res.Text += "\n  went to " + t.URL
	}
}

// noDialog returns the error for a missing dialog, with the dialog that was closed last, for an agent that answers too
// late.
func noDialog(e *run.Env) error {
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

func dialogStatus(_ context.Context, e *run.Env, _ *verb.Call) (run.Reply[*DialogStatus], error) {
	open := e.Dialogs()
	data := &DialogStatus{HasDialog: len(open) > 0}
	if !e.Settings.Compatible {
		s := e.Browser.State()
		data.PendingDialogs, data.RecentDialogs = s.Pending(e.Context), s.Recent(e.Context)
	}
	if len(open) == 0 {
		return run.Reply[*DialogStatus]{Data: data, Text: "✓ No dialog is currently open"}, nil
	}
	d := open[0]
	data.Dialog = run.DialogData(d)
	text := fmt.Sprintf("%s dialog %s: %q", d.Type, d.ID, d.Message)
	if d.Type == "prompt" && d.DefaultPrompt != "" {
		text += fmt.Sprintf(" (default %q)", d.DefaultPrompt)
	}
	if e.Settings.Compatible {
		text = fmt.Sprintf("⚠ JavaScript %s dialog is open: \"%s\"\n  Default prompt text: \"%s\"", d.Type, d.Message, d.DefaultPrompt)
	}
	answers := "answer with `dialog accept` or `dialog dismiss`"
	if d.Type == "prompt" {
		answers = "answer with `dialog accept <text>` or `dialog dismiss`"
	}
	switch d.Reach {
	case model.ReachDismiss:
		data.DismissOnly = true
		answers = "it opened before the connection to the browser was lost: only `dialog dismiss` can answer it now"
	case model.ReachNone:
		answers += ", which waits for the connection to the browser"
	}
	if text += "\n" + answers; e.Settings.Compatible && d.Reach != model.ReachDismiss && d.Reach != model.ReachNone {
		text = strings.TrimSuffix(text, answers) + "  Use `dialog accept [text]` or `dialog dismiss` to resolve it"
	}
	if len(open) > 1 {
		for _, o := range open[1:] {
			data.Others = append(data.Others, run.DialogData(o))
		}
		text += fmt.Sprintf("\n%d more in other tabs", len(data.Others))
	}
	return run.Reply[*DialogStatus]{Data: data, Text: text}, nil
}
