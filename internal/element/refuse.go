package element

import (
	"context"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/world"
)

// cannotSucceed reports whether further waiting for a target with FailEarly set makes no sense: nothing in the page has
// changed for a while, and no request is in flight.
func (e *action) cannotSucceed(r *failure.Refusal) bool {
	return e.target.FailEarly && r.Final() && (e.actor.Busy == nil || !e.actor.Busy())
}

// mayChange reports whether waiting may help. A read-only field is waited for only by whoever named a time, and by code, as Playwright does:
// others are to be told at once what else to do with it.
func (e *action) mayChange(r *failure.Refusal) bool {
	return r.Retry || r.Code == string(api.ElementReadonly) && !e.target.FailEarly
}

// refuse turns a refusal into an error.
func (e *action) refuse(ctx context.Context, doc world.Document, r *failure.Refusal) error {
	if r.Code == string(api.StaleRef) {
		r.Successor = e.successor(ctx)
	}
	if r.Code == string(api.ElementNotFound) && e.target.By == locate.ByText && e.target.Nth == nil {
		r.Named = e.named(ctx)
	}
	return r.Err(e.verb, e.target.Target, doc)
}

// named searches for an element that has the text that was sought for its name.
func (e *action) named(ctx context.Context) *locate.Element {
	var res struct {
		Element *locate.Found `json:"element"`
	}
	ctx, cancel := context.WithTimeoutCause(ctx, slice, errSlow)
	defer cancel()
	doc, err := e.actor.worlds.CallIn(ctx, e.frame, "named", args{"name": e.target.Value}, &res)
	if err != nil || res.Element == nil {
		return nil // there is no match either way; this is a courtesy, as a successor
	}
	el := res.Element.In(doc)
	return &el
}

// successor searches the ref's frame, or the main frame if that is gone.
func (e *action) successor(ctx context.Context) *locate.Element {
	a := e.actor
	frame := e.frame
	s := a.browser.State()
	if s.Frame(frame) == nil {
		tab := s.Tabs[a.tab]
		if tab == nil {
			return nil
		}
		frame = tab.Main
	}
	var res struct {
		Element *locate.Found `json:"element"`
	}
	ctx, cancel := context.WithTimeoutCause(ctx, slice, errSlow)
	defer cancel()
	doc, err := a.worlds.CallIn(ctx, frame, "successor", args{"role": e.target.Role, "name": e.target.Name}, &res)
	if err != nil || res.Element == nil {
		return nil // the ref is stale either way; a successor is a courtesy
	}
	el := res.Element.In(doc)
	return &el
}
