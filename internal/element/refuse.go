package element

import (
	"context"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/world"
)

// cannotSucceed reports whether further waiting for a target with FailEarly set makes no sense: nothing in the page has
// changed for a while, and no request is in flight.
func (e *action) cannotSucceed(r *refusal) bool {
	if !e.target.FailEarly || time.Duration(r.Still*float64(time.Millisecond)) < quietTime(r) {
		return false
	}
	switch api.Code(r.Code) {
	case api.ElementDisabled, api.ElementCovered, api.ElementNotVisible, api.OptionNotFound:
		return e.actor.Busy == nil || !e.actor.Busy()
	}
	return false
}

// quietTime returns how long a page must be unchanged until its state counts as final: the half second after which a
// network counts as idle, and the usual debounce time of input fields. A disabled element may wait for a countdown
// ("Send again in 3 s"), which changes the page every second.
func quietTime(r *refusal) time.Duration {
	if api.Code(r.Code) == api.ElementDisabled {
		return 1200 * time.Millisecond
	}
	return 500 * time.Millisecond
}

// refuse turns a refusal into an error; early reports whether the target could have been waited for longer.
func (e *action) refuse(ctx context.Context, doc world.Document, r *refusal, early bool) error {
	detail := r.Detail
	if len(r.Seen) > 0 {
		quoted := make([]string, len(r.Seen))
		for i, s := range r.Seen {
			quoted[i] = s
			if r.Code == string(api.ElementNotFound) && !strings.HasPrefix(s, "role ") {
				quoted[i] = quote(s)
			}
		}
		detail += "; there are: " + strings.Join(quoted, ", ")
	}
	if early {
		detail += "; gave up because the page stopped changing: " + waitHint
	}
	err := api.Errorf(api.Code(r.Code), "%s %s: %s", e.verb, e.target, detail)
	if r.Blocker != "" {
		err = err.With("blocker", r.Blocker)
	}
	if len(r.Seen) > 0 {
		err = err.With("seen", r.Seen)
	}
	refused := &RefusedError{Err: err, Code: err.Code, Target: e.target, Seen: r.Seen, Others: r.Others, Blocker: r.Blocker}
	if err.Code == api.StaleRef {
		if s := e.successor(ctx); s != nil {
			refused.Err = &StaleError{Err: err, Successor: s}
			return refused
		}
	}
	if len(r.Several) > 0 {
		strict := &StrictError{Err: err, Matched: r.Matched}
		for _, el := range r.Several {
			strict.Elements = append(strict.Elements, el.in(doc))
		}
		refused.Err = strict
	}
	if r.Instead != nil {
		refused.Err = &InsteadError{Err: err, Instead: r.Instead.in(doc), Opens: r.Opens}
	}
	return refused
}

// RefusedError is the error for an element that is not there or cannot be acted on, with what a caller needs to say it
// in other words.
type RefusedError struct {
	Err    error // an *api.Error, a *StrictError, a *StaleError or an *InsteadError
	Code   api.Code
	Target Target
	// Seen is what there was instead: names, texts, options. Others is the number of elements with the wanted role and
	// other names.
	Seen    []string
	Others  int
	Blocker string // what covers the element
}

func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RefusedError) Unwrap() error { return e.Err }

// waitHint is the hint for a state that a page reaches later; tools replace it by their own.
const waitHint = "`--timeout 10s` waits that long for it"

// InsteadError is the error for an element that cannot be hit, with the clickable element around it.
type InsteadError struct {
	Err     *api.Error
	Instead Element
	Opens   bool // Instead opens the list that the element is in
}

func (e *InsteadError) Error() string { return e.Err.Error() }

// Unwrap returns the *api.Error.
func (e *InsteadError) Unwrap() error { return e.Err }

// StrictError is the error for a strict target that matches several elements, with the first of them.
type StrictError struct {
	Err      *api.Error
	Elements []Element
	Matched  int
}

func (e *StrictError) Error() string { return e.Err.Error() }

// Unwrap returns the *api.Error.
func (e *StrictError) Unwrap() error { return e.Err }

// StaleError is an [api.StaleRef] with a likely successor: the one element of the present page with the same role and
// name. The caller may assign a ref to it; no action was performed on it.
type StaleError struct {
	Err       *api.Error
	Successor *Element
}

func (e *StaleError) Error() string { return e.Err.Error() }

// Unwrap returns the *api.Error.
func (e *StaleError) Unwrap() error { return e.Err }

// successor searches the ref's frame, or the main frame if that is gone.
func (e *action) successor(ctx context.Context) *Element {
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
		Element *found `json:"element"`
	}
	ctx, cancel := context.WithTimeoutCause(ctx, slice, errSlow)
	defer cancel()
	doc, err := a.worlds.CallIn(ctx, frame, "successor", args{"role": e.target.Role, "name": e.target.Name}, &res)
	if err != nil || res.Element == nil {
		return nil // the ref is stale either way; a successor is a courtesy
	}
	el := res.Element.in(doc)
	return &el
}
