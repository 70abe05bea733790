package tabs

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/script"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Interrupted is the result of `tab interrupt`.
type Interrupted struct {
	TabID    string   `json:"tabId"`
	TargetID string   `json:"targetId"`
	Stopped  []Script `json:"stopped"`
	// GoingTo is the address of a pending navigation, when the tab waits for that server and no script ran.
	GoingTo string `json:"goingTo,omitzero"`
}

// Script is a script that was terminated.
type Script struct {
	Frame string    `json:"frame"` // id of the frame it ran in
	URL   string    `json:"url"`   // of that frame's document
	Since time.Time `json:"since"` // when the renderer was found to be unresponsive
}

// tabInterrupt ends the scripts that keep a tab from answering, in every process that shows a part of it, and returns
// them. A renderer that answers is left alone.
func tabInterrupt(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Interrupted], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	t, err := e.NamedTab(c)
	if err != nil {
		return run.Reply[Interrupted]{}, err
	}
	e.Tab = t.ID
	doing := "interrupt " + run.TabID(t)
	if d := e.Browser.State().Dialog(t.ID); d != nil {
		return run.Reply[Interrupted]{}, e.BlockedError(&model.BlockedError{Tab: t.ID, Dialog: d}, doing)
	}
	stopped := []Script{}
	lines := []string{}
	for range 3 { // one script may have been waiting behind another
		if e.Browser.Probe(ctx, t.ID, script.BusyAfter) == nil {
			break
		}
		rows, text := stopScripts(ctx, e, t.ID)
		stopped, lines = append(stopped, rows...), append(lines, text...)
		if len(rows) == 0 {
			break
		}
	}
	if err := e.Unresponsive(doing); err != nil {
		err = withStopped(err, stopped)
		var known *api.Error
		if len(stopped) == 0 && errors.As(err, &known) && script.Refused(ctx, e.Browser.Session(t.Session)) {
			known.WithHint("%s", failure.Unstoppable(t))
		}
		return run.Reply[Interrupted]{}, err
	}
	if now := e.Browser.State().Tabs[t.ID]; now != nil && !now.Ready && now.Crash == nil {
		return run.Reply[Interrupted]{}, api.Errorf(api.RendererUnresponsive, "%s: the tab has answered nothing since usher connected to the browser", doing).
			WithHint("A script blocks it, or a dialog that opened before: `dialog dismiss` closes that. Else close the tab with `tab close %s`, after `tab new` if it is the last one.", run.TabID(t))
	}
	data := Interrupted{TabID: run.TabID(t), TargetID: string(t.ID), Stopped: stopped}
	if len(stopped) == 0 {
		text := "✓ Nothing to stop: the tab is responsive"
		if going := t.MainFrame().PendingURL; going != "" {
			data.GoingTo = going
			text = "✓ Nothing to stop: the tab is waiting for " + going
		}
		return run.Reply[Interrupted]{Data: data, Text: text}, nil
	}
	return run.Reply[Interrupted]{Data: data, Text: "✓ Stopped " + strings.Join(lines, "\n")}, nil
}

// withStopped adds the terminated scripts to the error for a renderer that still does not answer.
func withStopped(err error, stopped []Script) error {
	var known *api.Error
	if !errors.As(err, &known) {
		return err
	}
	known.With("stopped", stopped)
	if len(stopped) == 0 && known.Data["reason"] == string(model.ReasonWaiting) {
		known.WithHint("Nothing was stopped: a script waits for a synchronous request, which cannot be stopped. Try again later, or `tab close` after `tab new`.")
	}
	return known
}

// stopScripts ends the scripts of the tab's renderers that do not answer.
func stopScripts(ctx context.Context, e *run.Env, id model.TargetID) (rows []Script, lines []string) {
	t := e.Browser.State().Tabs[id]
	if t == nil {
		return nil, nil
	}
	for _, f := range t.Frames {
		u := f.Unresponsive
		if u == nil || u.Reason == model.ReasonBrowser {
			continue
		}
		limit := script.Interrupting
		if u.Reason == model.ReasonWaiting {
			limit = script.WaitingFor
		}
		if !script.Interrupt(ctx, e.Browser.Session(f.Session), limit) {
			continue
		}
		took := time.Since(u.Since).Round(100 * time.Millisecond)
		rows = append(rows, Script{Frame: string(f.ID), URL: f.URL, Since: u.Since.UTC()})
		lines = append(lines, "the script of "+f.URL+" (no answer for "+took.String()+")")
	}
	return rows, lines
}
