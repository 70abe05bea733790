package session

import (
	"context"
	"maps"

	"golang.org/x/sync/semaphore"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// order lets the commands of one tab pass in order of arrival: those that may
// change the page alone, those that only look side by side.
type order struct{ sem *semaphore.Weighted }

// everyone is the weight of a command that must be alone.
const everyone = 1 << 30

// pass waits for a command's turn at a tab and returns how to end it. Control
// verbs pass at once, and so does wait: what it waits for is done by others.
func (s *Session) pass(ctx context.Context, tab model.TargetID, v *verb.Verb) (end func(), err error) {
	if v.Is(verb.Control) || v.Category == verb.CatWait || tab == "" {
		return func() {}, nil
	}
	s.mu.Lock()
	o := s.order[tab]
	if o == nil {
		o = &order{semaphore.NewWeighted(everyone)}
		s.order[tab] = o
		s.forgetClosed()
	}
	s.mu.Unlock()
	weight := int64(1)
	if v.Is(verb.ChangesPage) {
		weight = everyone
	}
	if err := o.sem.Acquire(ctx, weight); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { o.sem.Release(weight) }, nil
}

// forgetClosed drops the queues of closed tabs. It needs mu.
func (s *Session) forgetClosed() {
	if s.work == nil {
		return
	}
	tabs := s.work.Browser.State().Tabs
	maps.DeleteFunc(s.order, func(id model.TargetID, _ *order) bool { return tabs[id] == nil })
}
