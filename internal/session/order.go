package session

import (
	"context"
	"errors"
	"maps"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// tabLock serialises the commands of one tab in order of arrival: those that may change the page run alone, those that only
// read run concurrently.
type tabLock struct{ sem *semaphore.Weighted }

// exclusiveWeight is the weight of a command that must run alone.
const exclusiveWeight = 1 << 30

// acquireTab waits for a command's turn at a tab and returns the function that ends it. Control verbs do not wait, and
// neither does wait, because it waits for effects of other commands.
func (s *Session) acquireTab(ctx context.Context, tab model.TargetID, v *verb.Verb) (end func(), err error) {
	if v.Is(verb.Control) || v.Category == verb.CatWait || tab == "" {
		return func() {}, nil
	}
	s.mu.Lock()
	o := s.tabLocks[tab]
	if o == nil {
		o = &tabLock{semaphore.NewWeighted(exclusiveWeight)}
		s.tabLocks[tab] = o
		s.forgetClosed()
	}
	s.mu.Unlock()
	weight := int64(1)
	if v.Is(verb.ChangesPage) {
		weight = exclusiveWeight
	}
	if err := o.sem.Acquire(ctx, weight); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { o.sem.Release(weight) }, nil
}

// forgetClosed removes the queues of closed tabs. The caller holds mu.
func (s *Session) forgetClosed() {
	if s.work == nil {
		return
	}
	tabs := s.work.Browser.State().Tabs
	maps.DeleteFunc(s.tabLocks, func(id model.TargetID, _ *tabLock) bool { return tabs[id] == nil })
}

// waitTurn waits for a command's turn at its tab. If the caller gave a deadline, it includes the wait. Otherwise the
// wait may take as long as a page load, before the verb's default limit begins.
func (s *Session) waitTurn(ctx context.Context, env *run.Env, v *verb.Verb) (end func(), err error) {
	timeout := options.DefaultLimit
	if env.Limited {
		timeout = env.Limit
	}
	began := time.Now()
	wctx, cancel := context.WithTimeoutCause(ctx, timeout, errTurn)
	defer cancel()
	end, err = s.acquireTab(wctx, env.Tab, v)
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
