// Package turns gives the commands of a session their turns at its tabs.
package turns

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Queues give commands their turns at the tabs of a session, in order of arrival: those that may change the page run alone, those
// that only read run concurrently.
type Queues struct {
	open func() map[model.TargetID]*model.Tab

	mu   sync.Mutex
	tabs map[model.TargetID]*semaphore.Weighted // guarded by mu
}

// New returns the queues of a session. open returns the open tabs, nil if that is not known: the others are forgotten.
func New(open func() map[model.TargetID]*model.Tab) *Queues {
	return &Queues{open: open, tabs: map[model.TargetID]*semaphore.Weighted{}}
}

// Clear forgets all tabs: those of a browser that has gone.
func (q *Queues) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.tabs)
}

// exclusiveWeight is the weight of a command that must run alone.
const exclusiveWeight = 1 << 30

// Turn is the turn of a command. It is used by one goroutine.
type Turn struct {
	tab    *semaphore.Weighted // nil for a command that needs no turn
	weight int64
	held   bool
}

// Leave implements [element.Turn]. After it, Take must have succeeded before the command goes on.
func (t *Turn) Leave() {
	if t.held && t.tab != nil {
		t.tab.Release(t.weight)
	}
	t.held = false
}

// Take implements [element.Turn]. The commands that wait already come first. A turn that is free is taken although the time is over.
func (t *Turn) Take(ctx context.Context) error {
	if t.tab != nil && !t.tab.TryAcquire(t.weight) {
		if err := t.tab.Acquire(ctx, t.weight); err != nil {
			return context.Cause(ctx)
		}
	}
	t.held = true
	return nil
}

// turn returns the turn of a command at a tab, which is still to be taken. Control verbs need none, and neither does wait,
// because it waits for effects of other commands.
func (q *Queues) turn(tab model.TargetID, v *verb.Verb) *Turn {
	if v.Is(verb.Control) || v.Category == verb.CatWait || tab == "" {
		return &Turn{}
	}
	t := &Turn{tab: q.at(tab), weight: 1}
	if v.Is(verb.ChangesPage) {
		t.weight = exclusiveWeight
	}
	return t
}

// at returns the queue of a tab. With a new one, those of closed tabs are removed.
func (q *Queues) at(tab model.TargetID) *semaphore.Weighted {
	q.mu.Lock()
	defer q.mu.Unlock()
	sem := q.tabs[tab]
	if sem == nil {
		sem = semaphore.NewWeighted(exclusiveWeight)
		q.tabs[tab] = sem
		if open := q.open(); open != nil {
			maps.DeleteFunc(q.tabs, func(id model.TargetID, _ *semaphore.Weighted) bool { return open[id] == nil })
		}
	}
	return sem
}

// Wait waits for a command's turn at its tab, which the caller ends with Leave. If the caller gave a deadline, or code runs
// the command, its time includes the wait. Otherwise the wait may take as long as a page load, before the verb's default
// limit begins.
func (q *Queues) Wait(ctx context.Context, env *run.Env, v *verb.Verb) (*Turn, error) {
	timeout, included := options.DefaultLimit, env.Limited || env.Patient
	if included {
		timeout = env.Limit
	}
	began := time.Now()
	wctx, cancel := context.WithTimeoutCause(ctx, timeout, errTurn)
	defer cancel()
	turn := q.turn(env.Tab, v)
	err := turn.Take(wctx)
	switch {
	case errors.Is(err, errTurn):
		return nil, api.Errorf(api.Timeout, "%s: another command has been using the tab for %s", v.Name, timeout).
			WithHint("Wait for that command or interrupt it, or give this one a longer --timeout.")
	case err != nil:
		return nil, api.Errorf(api.Cancelled, "cancelled while waiting for its turn: %w", err)
	}
	if included {
		// Whole milliseconds: a command that did not wait keeps the limit as given, which errors repeat.
		env.Requested = env.Limit
		env.Limit = max(0, env.Limit-time.Since(began).Truncate(time.Millisecond))
	}
	return turn, nil
}

// errTurn is the cause when a command's turn does not come in time.
var errTurn = errors.New("the wait for its turn timed out")
