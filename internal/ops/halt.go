package ops

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// tabInterrupt ends the scripts that keep a tab from answering, in every process
// that shows a part of it, and says which they were. One that answers is left alone.
func tabInterrupt(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	ctx, cancel := e.limit(ctx, func() {})
	defer cancel()
	t, err := e.namedTab(c)
	if err != nil {
		return Result{}, err
	}
	e.Tab = t.ID
	doing := "interrupt " + tabID(t)
	if d := e.Browser.State().Dialog(t.ID); d != nil {
		return Result{}, e.blockedError(&model.BlockedError{Tab: t.ID, Dialog: d}, doing)
	}
	stopped := []any{}
	lines := []string{}
	for range 3 { // one script may have been waiting behind another
		if e.Browser.Probe(ctx, t.ID, busyAfter) == nil {
			break
		}
		rows, text := e.stopScripts(ctx, t.ID)
		stopped, lines = append(stopped, rows...), append(lines, text...)
		if len(rows) == 0 {
			break
		}
	}
	if err := e.unresponsive(doing); err != nil {
		return Result{}, withStopped(err, stopped)
	}
	data := obj{"tabId": tabID(t), "targetId": string(t.ID), "stopped": stopped}
	if len(stopped) == 0 {
		text := "✓ Nothing to stop: the tab answers"
		if going := t.MainFrame().Going; going != "" {
			data["goingTo"] = going
			text = "✓ Nothing to stop: the tab waits for " + going
		}
		return Result{Data: data, Text: text}, nil
	}
	return Result{Data: data, Text: "✓ Stopped " + strings.Join(lines, "\n")}, nil
}

// withStopped adds to the news of a renderer that still does not answer what was
// done about it.
func withStopped(err error, stopped []any) error {
	var known *api.Error
	if !errors.As(err, &known) {
		return err
	}
	known.With("stopped", stopped)
	if len(stopped) == 0 && known.Data["reason"] == string(model.HeldWaiting) {
		known.WithHint("Nothing was stopped: a request that a script waits for cannot be, and the script goes on behind it. Try again later, or `tab close` after `tab new`.")
	}
	return known
}

// stopScripts ends the scripts of the tab's renderers that do not answer.
func (e *Env) stopScripts(ctx context.Context, id model.TargetID) (rows []any, lines []string) {
	t := e.Browser.State().Tabs[id]
	if t == nil {
		return nil, nil
	}
	for _, f := range t.Frames {
		u := f.Unresponsive
		if u == nil || u.Reason == model.HeldByBrowser {
			continue
		}
		limit := interrupting
		if u.Reason == model.HeldWaiting {
			limit = waitingFor
		}
		if !interruptWithin(ctx, e.Browser.Session(f.Session), limit) {
			continue
		}
		took := time.Since(u.Since).Round(100 * time.Millisecond)
		rows = append(rows, obj{"frame": string(f.ID), "url": f.URL, "since": u.Since.UTC().Format(time.RFC3339Nano)})
		lines = append(lines, "the script of "+f.URL+" (no answer for "+took.String()+")")
	}
	return rows, lines
}
