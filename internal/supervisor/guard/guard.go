// Package guard ends calls to tabs that cannot answer.
package guard

import (
	"context"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/timers"
)

// RelatedGrace is how long a call may take while a dialog is open in another tab of the same opener group before that
// dialog ends it. Such tabs often share a renderer process, whose scripts all stop for the dialog.
const RelatedGrace = 200 * time.Millisecond

// Call is the subject of a guard: one call, or a group of calls, to a tab.
type Call struct {
	Tab model.TargetID
	// Frame is the frame of the calls, besides the page: its own renderer process, if any, can end them.
	Frame model.FrameID
	// Replaces reports whether the call leaves the page: what blocks the page already does not end it, because the
	// browser starts another renderer.
	Replaces bool
}

// guard is one call that is under way.
type guard struct {
	call              Call
	priorCrash        *model.Crash        // a crash that does not count: the caller is about to replace the page
	priorInterruption *model.Interruption // what held the page before and does not count either
	cancel            context.CancelCauseFunc
	timeout           UnresponsiveTimeout
	grace             *time.Timer // of a related dialog; nil while there is none
	related           string      // the id of that dialog
	expiry            *time.Timer // of the unresponsive timeout
}

// Host is the owner of the guards.
type Host interface {
	// State returns the newest snapshot. A guard ends by what is published: a caller that learns of a dialog finds it
	// in the State.
	State() *model.State
	Now() time.Time
	// Probe probes the renderers of a tab, and publishes the result. The lock is held.
	Probe(tab model.TargetID)
}

// Guards are the guards of one browser.
type Guards struct {
	host   Host
	mu     *sync.Mutex // the host's; guards all that follows
	timers *timers.Timers
	open   map[*guard]struct{}
	probes map[model.TargetID]*time.Timer // of the next liveness probe
}

// New returns an empty Guards. mu is the lock that the host publishes under.
func New(host Host, mu *sync.Mutex, t *timers.Timers) *Guards {
	return &Guards{host: host, mu: mu, timers: t, open: map[*guard]struct{}{}, probes: map[model.TargetID]*time.Timer{}}
}

// Start returns a context for a call. It ends when ctx does, or with a
// *model.BlockedError as its cause when the tab cannot answer. The stop function
// must be called when the call is done.
func (all *Guards) Start(ctx context.Context, call Call) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	g := &guard{call: call, cancel: cancel, timeout: timeoutOf(ctx)}
	if call.Replaces {
		s := all.host.State()
		if t := s.Tabs[call.Tab]; t != nil {
			g.priorCrash, g.priorInterruption = t.Crash, s.PendingInterruption(call.Tab)
		}
	}
	// A renderer that is known to be unresponsive gets the time of one probe to answer: a retry should not fail at
	// once.
	if least := all.host.Now().Add(liveness.Timeout); g.timeout.Until.Before(least) {
		g.timeout.Until = least
	}
	all.mu.Lock()
	all.open[g] = struct{}{}
	all.judge(g)
	if !g.timeout.Ignore {
		all.probeLater(call.Tab)
	}
	all.mu.Unlock()
	return ctx, func() {
		all.mu.Lock()
		delete(all.open, g)
		all.stopTimers(g)
		all.mu.Unlock()
		cancel(context.Canceled)
	}
}

// stopTimers stops the timers of a guard. The caller holds mu.
func (all *Guards) stopTimers(g *guard) {
	all.timers.Stop(g.grace)
	all.timers.Stop(g.expiry)
	g.grace, g.expiry = nil, nil
}

// Judge checks every guard against the current state. The caller holds mu.
func (all *Guards) Judge() {
	for g := range all.open {
		all.judge(g)
	}
}

// End ends every guard because the browser is gone. The caller holds mu.
func (all *Guards) End(cause error) {
	for g := range all.open {
		g.cancel(&model.BlockedError{Tab: g.call.Tab, Closed: cause})
	}
}

// Close stops all timers. The caller holds mu.
func (all *Guards) Close() {
	for g := range all.open {
		all.stopTimers(g)
	}
	for tab, t := range all.probes {
		all.timers.Stop(t)
		delete(all.probes, tab)
	}
}

// judge ends a guard whose tab is blocked. The caller holds mu.
func (all *Guards) judge(g *guard) {
	s := all.host.State()
	if err := s.Blocked(g.call.Tab); err != nil && !g.expected(err) {
		g.cancel(err)
		return
	}
	all.judgeUnresponsive(g, s)
	all.judgeRelated(g, s)
}

// expected reports whether the caller expected the block and its call is to end it.
func (g *guard) expected(err *model.BlockedError) bool {
	switch {
	case err.Crash != nil:
		return err.Crash == g.priorCrash
	case err.Interruption != nil:
		return g.priorInterruption != nil && err.Interruption.ID == g.priorInterruption.ID
	}
	return false
}

// judgeRelated starts the grace of a dialog in a related tab. Each such dialog has its own, which is not shortened by one
// that closes in time. The caller holds mu.
func (all *Guards) judgeRelated(g *guard, s *model.State) {
	d := s.RelatedDialog(g.call.Tab)
	if g.grace != nil || d == nil {
		return
	}
	g.related = d.ID
	g.grace = all.timers.After(RelatedGrace, func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		if _, open := all.open[g]; !open {
			return
		}
		g.grace = nil
		s := all.host.State()
		if d := s.RelatedDialog(g.call.Tab); d != nil && d.ID == g.related {
			g.cancel(&model.BlockedError{Tab: g.call.Tab, Dialog: d})
			return
		}
		all.judgeRelated(g, s)
	})
}

// judgeUnresponsive ends a guard whose renderer does not answer when its timeout
// has passed. The caller holds mu.
func (all *Guards) judgeUnresponsive(g *guard, s *model.State) {
	t := s.Tabs[g.call.Tab]
	if t == nil || g.timeout.Ignore {
		return
	}
	u, now := t.UnresponsiveFor(g.call.Frame), all.host.Now()
	if u == nil {
		return
	}
	end := u.Since.Add(g.timeout.For)
	if end.Before(g.timeout.Until) {
		end = g.timeout.Until
	}
	switch left := end.Sub(now); {
	case left <= 0:
		g.cancel(&model.BlockedError{Tab: g.call.Tab, Unresponsive: u, For: now.Sub(u.Since)})
	case g.expiry == nil:
		g.expiry = all.timers.After(left, func() {
			all.mu.Lock()
			defer all.mu.Unlock()
			if _, open := all.open[g]; open {
				g.expiry = nil
				all.judge(g)
			}
		})
	}
}
