package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// NoInterruption returns the error for an id without an open interruption.
func (e *Env) NoInterruption(err *supervisor.NoInterruptionError) error {
	out := api.Errorf(api.NoInterruption, "%w", err)
	switch {
	case err.Over != nil:
		return out.With("interruption", e.InterruptionData(err.Over)).WithHint("`interrupt list` shows the open interruptions.")
	case err.Busy:
		return out.WithHint("Another command is answering it; `interrupt list --all` shows the outcome.")
	}
	return out
}

// Resolve runs the answer to an interruption and blocks other answers meanwhile. The interruption is closed if do
// returns nil.
func (e *Env) Resolve(i *model.Interruption, outcome string, do func() error) error {
	if _, err := e.Browser.Claim(i.ID); err != nil {
		var none *supervisor.NoInterruptionError
		errors.As(err, &none)
		return e.NoInterruption(none)
	}
	if err := do(); err != nil {
		e.Browser.Release(i.ID)
		return err
	}
	e.Browser.CloseInterruption(i.ID, model.ByAgent, outcome)
	return nil
}

// ExplainAt is [Env.Explain] for another tab than the verb's.
func (e *Env) ExplainAt(tab model.TargetID, err error, doing string) error {
	if err == nil {
		return nil
	}
	at := *e
	at.Tab = tab
	return at.Explain(err, doing)
}

// DialogData returns a dialog for results and errors.
func DialogData(d *model.Dialog) *api.Dialog {
	return &api.Dialog{ID: d.ID, Type: d.Type, Message: d.Message, DefaultPrompt: d.DefaultPrompt, FrameID: string(d.Frame), URL: d.URL,
		OpenedAt: seconds(d.OpenedAt), Bridge: d.Bridge}
}

// closedDialog returns a dialog that was closed, as results show it.
func closedDialog(d *model.Dialog) api.ClosedDialog {
	v := d.View()
	return api.ClosedDialog{ID: v.ID, Type: v.Type, Message: v.Message, DefaultPrompt: v.DefaultPrompt, OpenedAt: v.OpenedAt,
		FrameID: string(v.FrameID), Bridge: v.Bridge, ClosedAt: v.ClosedAt, ClosedBy: string(v.ClosedBy), Accepted: v.Accepted,
		PromptText: v.PromptText, Rule: v.Rule}
}

// seconds returns a time as results give it: seconds since 1970, to the millisecond.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// Dialogs lists the open dialogs of the session's tabs, those of the active tab first.
func (w *BrowserContext) Dialogs() []*model.Dialog {
	s := w.Browser.State()
	var mine []*model.Dialog
	for _, d := range s.Dialogs {
		if d.Context == w.Context && d.NeedsAnswer() {
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

// OwnsInterruption reports whether an interruption belongs to this session.
func (w *BrowserContext) OwnsInterruption(s *model.State, i *model.Interruption) bool {
	if i.Context != "" {
		return i.Context == w.Context
	}
	if t := s.Tabs[i.Tab]; t != nil {
		return t.Context == w.Context
	}
	for _, g := range s.Gone {
		if g.ID == i.Tab {
			return g.Context == w.Context
		}
	}
	for _, d := range s.Downloads {
		if i.Download != "" && d.GUID == i.Download {
			return w.Downloads.Owns(s, d)
		}
	}
	return false
}

// OwnInterruptions filters a list for the session's own interruptions.
func (w *BrowserContext) OwnInterruptions(s *model.State, list []*model.Interruption) []*model.Interruption {
	return slices.DeleteFunc(list, func(i *model.Interruption) bool { return !w.OwnsInterruption(s, i) })
}

// InterruptionData returns an interruption for results and errors.
func (w *BrowserContext) InterruptionData(i *model.Interruption) *api.Interruption {
	s := w.Browser.State()
	data := &api.Interruption{ID: i.ID, Kind: string(i.Kind), TargetID: string(i.Tab), FrameID: string(i.Frame), Origin: i.Origin,
		Message: i.Message, OpenedAt: seconds(i.OpenedAt), Blocks: i.Blocks, Notice: i.Notice}
	if t := s.Tabs[i.Tab]; t != nil {
		data.Tab = TabID(t)
	}
	if i.ClosedAt.IsZero() {
		data.Answers = w.Answers(i)
	} else {
		data.ClosedAt, data.ClosedBy, data.Outcome = seconds(i.ClosedAt), string(i.ClosedBy), i.Outcome
	}
	switch {
	case i.Dialog != nil:
		data.Type, data.DefaultPrompt = i.Dialog.Type, &i.Dialog.DefaultPrompt
	case i.Chooser != nil:
		data.Multiple = &i.Chooser.Multiple
	case i.Login != nil:
		data.URL, data.Scheme, data.Realm, data.Attempt = i.Login.URL, i.Login.Scheme, &i.Login.Realm, i.Login.Attempt
	case i.Permission != "":
		data.Permission = i.Permission
	case i.NewTab != "":
		if t := s.Tabs[i.NewTab]; t != nil {
			data.URL = t.URL
		}
	case i.Download != "":
		for _, d := range s.Downloads {
			if d.GUID == i.Download {
				data.URL, data.SuggestedFilename, data.State = d.URL, d.SuggestedName, string(d.State)
			}
		}
	}
	return data
}

// Answers lists the commands that answer an open interruption.
func (w *BrowserContext) Answers(i *model.Interruption) []string {
	to := "interrupt answer " + i.ID + " "
	switch {
	case i.Dialog != nil && i.Dialog.Type == "prompt":
		return []string{to + "accept <text>", to + "dismiss"}
	case i.Dialog != nil:
		return []string{to + "accept", to + "dismiss"}
	case i.Kind == model.KindUnresponsive && w.Browser.Capabilities().Untrusted:
		if t := w.Browser.State().Tabs[i.Tab]; t != nil {
			return []string{"tab close " + TabID(t), to + "ok"}
		}
		return []string{to + "ok"}
	case i.Kind == model.KindUnresponsive:
		return []string{"tab interrupt", to + "ok"}
	case i.Notice:
		return []string{to + "ok"}
	case i.Chooser != nil && i.Chooser.Multiple:
		return []string{to + "<file>...", to + "dismiss"}
	case i.Chooser != nil:
		return []string{to + "<file>", to + "dismiss"}
	case i.Login != nil:
		return []string{to + "--username <name> --password-stdin", to + "dismiss"}
	case i.Permission != "":
		return []string{to + "allow", to + "deny"}
	}
	return []string{to + "ok"}
}

// InterruptionLine returns an interruption as one line of text.
func (w *BrowserContext) InterruptionLine(i *model.Interruption) string {
	parts := []string{i.ID, string(i.Kind)}
	s := w.Browser.State()
	if t := s.Tabs[i.Tab]; t != nil {
		parts = append(parts, TabID(t))
		if i.NewTab != "" && t.URL != "" {
			parts = append(parts, t.URL)
		}
	}
	if i.Origin != "" && i.NewTab == "" {
		parts = append(parts, OneLine(i.Origin))
	}
	line := strings.Join(parts, " ")
	switch {
	case i.Dialog != nil:
		line += " " + i.Dialog.Type + ": " + Quote(i.Message)
	case i.Download != "":
		line += ": " + media.PlainName(i.Message)
	case i.Message != "":
		line += ": " + OneLine(i.Message)
	}
	if i.Blocks && i.ClosedAt.IsZero() {
		line += " (blocks the tab)"
	}
	if !i.ClosedAt.IsZero() {
		line += fmt.Sprintf(" (closed by %s: %s)", i.ClosedBy, i.Outcome)
	}
	return line
}

// MarkReported excludes an interruption from the notices of this run.
func (e *Env) MarkReported(i *model.Interruption) {
	if e.reported == nil {
		e.reported = map[string]bool{}
	}
	e.reported[i.ID] = true
}

// MarkReportedIf is MarkReported for the interruption that matches.
func (e *Env) MarkReportedIf(fits func(*model.Interruption) bool) {
	for _, i := range e.Browser.State().Interrupts {
		if fits(i) {
			e.MarkReported(i)
		}
	}
}

// reportNew adds to a result the interruptions that are new since the session's last command and that the result does
// not contain. Each is reported once. An interruption for a new tab or for printing is closed when it is reported.
func (e *Env) reportNew(res *Result) {
	s := e.Browser.State()
	since := e.reportedUpTo(s)
	var fresh []string
	for _, i := range s.Interrupts {
		if i.Number <= since || !e.OwnsInterruption(s, i) {
			continue
		}
		if !e.reported[i.ID] && (i.Tab != e.Tab || i.Kind != model.KindCrash) {
			fresh = append(fresh, e.newLine(i))
		}
		if i.Kind == model.KindNewTab || i.Kind == model.KindPrint {
			e.Browser.CloseInterruption(i.ID, model.ByPolicy, "told")
		}
	}
	res.Warning = api.JoinWarnings(res.Warning, strings.Join(fresh, "; "))
}

func (e *Env) newLine(i *model.Interruption) string {
	line := "new: " + e.InterruptionLine(i)
	if i.Notice {
		return line
	}
	return line + "; answer with `" + strings.Join(e.Answers(i), "` or `") + "`"
}

// reportedUpTo returns the number of the last interruption that was reported, and marks those of s as reported.
func (w *BrowserContext) reportedUpTo(s *model.State) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := w.lastReported
	for _, i := range s.Interrupts {
		w.lastReported = max(w.lastReported, i.Number)
	}
	return since
}

// FilePicker returns the chooser of the File System Access API that the page of the tab has asked for since before; nil if it has not.
// Nothing can answer it: Chromium has told the page that the user chose none.
func (e *Env) FilePicker(before, now *model.State) *model.Interruption {
	for _, i := range now.Interrupts {
		known := slices.ContainsFunc(before.Interrupts, func(b *model.Interruption) bool { return b.ID == i.ID })
		if i.Chooser != nil && i.Notice && i.Tab == e.Tab && !known {
			return i
		}
	}
	return nil
}
