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

// acquire waits for a command's turn at a tab and returns the function that ends it. Control verbs do not wait, and
// neither does wait, because it waits for effects of other commands.
func (q *Queues) acquire(ctx context.Context, tab model.TargetID, v *verb.Verb) (end func(), err error) {
	if v.Is(verb.Control) || v.Category == verb.CatWait || tab == "" {
		return func() {}, nil
	}
	sem := q.at(tab)
	weight := int64(1)
	if v.Is(verb.ChangesPage) {
		weight = exclusiveWeight
	}
	if err := sem.Acquire(ctx, weight); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { sem.Release(weight) }, nil
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

// Wait waits for a command's turn at its tab. If the caller gave a deadline, it includes the wait. Otherwise the
// wait may take as long as a page load, before the verb's default limit begins.
func (q *Queues) Wait(ctx context.Context, env *run.Env, v *verb.Verb) (end func(), err error) {
	timeout := options.DefaultLimit
	if env.Limited {
		timeout = env.Limit
	}
	began := time.Now()
	wctx, cancel := context.WithTimeoutCause(ctx, timeout, errTurn)
	defer cancel()
	end, err = q.acquire(wctx, env.Tab, v)
	switch {
	case errors.Is(err, errTurn):
		return nil, api.Errorf(api.Timeout, "%s: another command has been using the tab for %s", v.Name, timeout).
			WithHint("Wait for that command or interrupt it, or give this one a longer --timeout.")
	case err != nil:
		return nil, api.Errorf(api.Cancelled, "cancelled while waiting for its turn: %w", err)
	}
	if env.Limited {
		// Whole milliseconds: a command that did not wait keeps the limit as given, which errors repeat.
		env.Requested = env.Limit
		env.Limit = max(0, env.Limit-time.Since(began).Truncate(time.Millisecond))
	}
	return end, nil
}

// errTurn is the cause when a command's turn does not come in time.
var errTurn = errors.New("the wait for its turn timed out")
