package verify

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// Expected are the events that input causes at its target, and the options of the in-page event observer (observer.ts).
type Expected struct {
	Types []string `json:"types"`
	Final string   `json:"final"`
	Times int      `json:"times,omitempty"`
	Life  int      `json:"life"` // ms; set when the observer is started
	// Behind makes the observer report after the page has handled the final event, so that no other call has to wait
	// for that. An event that can open a dialog needs an earlier report.
	Behind bool `json:"behind,omitempty"`
}

// presses reports whether the events are those of a press.
func (e Expected) presses() bool { return slices.Contains(e.Types, "pointerdown") }

// Received counts the events of the input that reached the target.
func (e Expected) Received(seen *Report) int {
	if e.presses() {
		return seen.Events["pointerdown"] + seen.Events["mousedown"]
	}
	return len(seen.Events)
}

// Report is what the observer saw.
type Report struct {
	Events    map[string]int `json:"events"`
	Missed    string         `json:"missed"`
	Connected bool           `json:"connected"`
	Closing   bool           `json:"closing"`
}

// Others are the observers of other frames than the target's.
type Others struct {
	worlds *world.Worlds
	frames []model.FrameID
}

// observeLimit is how long frames other than the target's may take to start an observer. A frame that takes longer is
// left out. They answer in 1 to 2 ms; on a machine with fifteen times more to do than it can, more than 50 ms were
// seen, and a press that hit another frame meanwhile.
const observeLimit = 500 * time.Millisecond

// ObserveOthers starts observers that cancel a press in frames other than the target's.
func ObserveOthers(ctx context.Context, w *world.Worlds, frames []model.FrameID, expected *Expected) *Others {
	ctx, cancel := context.WithTimeout(ctx, observeLimit)
	defer cancel()
	var all sync.WaitGroup
	for _, id := range frames {
		all.Go(fault.Guarded(ctx, func() {
			// A frame without an observer is left out; the target itself was hit-tested a moment ago.
			_ = w.Call(ctx, id, "observeFrame", map[string]any{"watch": expected}, nil)
		}))
	}
	all.Wait()
	return &Others{worlds: w, frames: frames}
}

// End ends the observers. It does not wait: later input to a frame arrives after this call.
func (o *Others) End(ctx context.Context) {
	for _, id := range o.frames {
		// A frame that does not answer is gone, or its observer ends by its own timeout.
		_, _ = o.worlds.Start(ctx, id, "takeEventReport", nil)
	}
}

// MissedPress reports whether an observer canceled the press, in the target's frame or in another one, and returns the
// element that it would have hit.
func (o *Others) MissedPress(ctx context.Context, expected Expected, seen *Report) (string, bool) {
	if seen == nil || !expected.presses() {
		return "", false
	}
	if seen.Missed != "" {
		return seen.Missed, true
	}
	if expected.Received(seen) > 0 {
		return "", false
	}
	for _, id := range o.frames {
		var t Report
		if err := o.worlds.Call(ctx, id, "takeEventReport", nil, &t); err == nil && t.Missed != "" {
			return t.Missed, true
		}
	}
	return "", false
}

// reportLimit is how long the event report may take once the page has handled the input; it has normally come before. A
// page with an open dialog, or on its way to another document, gets reportLimitBlocked: Chromium handles input before
// calls, and then the request may have come too late.
const (
	reportLimit        = 100 * time.Millisecond
	reportLimitBlocked = 5 * time.Millisecond
)

// Listener waits for the event report of a frame.
type Listener struct {
	// Skipped is set if the report was not awaited: the page was leaving, or held by a dialog.
	Skipped bool

	worlds  *world.Worlds
	frame   model.FrameID
	pending *world.Pending // nil if the page could not be asked
}

// Listen requests the event report before the input is sent.
func Listen(ctx context.Context, w *world.Worlds, frame model.FrameID) *Listener {
	pending, err := w.Start(ctx, frame, "awaitEventReport", nil)
	if err != nil {
		return &Listener{}
	}
	return &Listener{worlds: w, frame: frame, pending: pending}
}

// Report waits for the event report; nil means that the page could not answer. blocked is whether the input failed, and
// patience how long a slow page may take.
func (l *Listener) Report(ctx context.Context, blocked bool, patience time.Duration) *Report {
	if l.pending == nil || !l.wait(ctx, blocked, patience) {
		return nil
	}
	var t Report
	if l.pending.Wait(context.WithoutCancel(ctx), &t) != nil {
		return nil
	}
	return &t
}

// wait waits until the event report is there.
func (l *Listener) wait(ctx context.Context, blocked bool, patience time.Duration) bool {
	browser := l.worlds.Browser()
	limit := reportLimit
	if blocked || IsLeaving(browser.State(), l.frame) {
		limit = reportLimitBlocked
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		s := browser.State()
		select {
		case <-l.pending.Done():
			return true
		case <-s.Changed():
			if limit == reportLimit && IsLeaving(browser.State(), l.frame) {
				limit = reportLimitBlocked
				timer.Reset(limit)
			}
		case <-timer.C:
			if limit == reportLimitBlocked {
				l.Skipped = true
				return false
			}
			// The final event did not come, or the page is slow: take the report as it is.
			ask, stop := context.WithTimeout(ctx, patience)
			defer stop()
			return l.worlds.Call(ask, l.frame, "takeEventReport", nil, nil) == nil
		}
	}
}

// IsLeaving reports whether a frame is gone or on its way to another document.
func IsLeaving(s *model.State, frame model.FrameID) bool {
	return s.Frame(frame) == nil || PendingURL(s, frame) != ""
}

// PendingURL returns the URL that the frame's process is navigating to, or "" if it is not leaving. Chromium holds back
// every call to a process while its root frame waits for the server of its next document (measured on Chromium 156).
func PendingURL(s *model.State, frame model.FrameID) string {
	f := s.Frame(frame)
	for f != nil {
		up := s.Frame(f.Parent)
		if f.PendingURL != "" || up == nil || up.Session != f.Session {
			return f.PendingURL
		}
		f = up
	}
	return ""
}
