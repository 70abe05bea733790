package element

import (
	"context"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/world"
)

// hopeless says that waiting longer for a target that may be given up early makes no sense: nothing in the page has
// changed for a while, and nothing is on its way.
func (e *errand) hopeless(r *refusal) bool {
	if !e.target.Early || time.Duration(r.Still*float64(time.Millisecond)) < stillness(r) {
		return false
	}
	switch api.Code(r.Code) {
	case api.ElementDisabled, api.ElementCovered, api.ElementNotVisible, api.OptionNotFound:
		return e.actor.Busy == nil || !e.actor.Busy()
	}
	return false
}

// stillness is how long a page must not change until what it shows is taken for its last word: the half second after
// which a network counts as idle, and for which pages commonly wait behind a key before they look at a field. What is disabled may
// be so until a clock has run down ("Send again in 3 s"), which shows every second.
func stillness(r *refusal) time.Duration {
	if api.Code(r.Code) == api.ElementDisabled {
		return 1200 * time.Millisecond
	}
	return 500 * time.Millisecond
}

// refuse turns a refusal into an error; early says that its target could have been waited for longer.
func (e *errand) refuse(ctx context.Context, doc world.Document, r *refusal, early bool) error {
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
		detail += "; gave up because the page stopped changing: " + waitsLonger
	}
	err := api.Errorf(api.Code(r.Code), "%s %s: %s", e.verb, e.target, detail)
	if r.Blocker != "" {
		err = err.With("blocker", r.Blocker)
	}
	if len(r.Seen) > 0 {
		err = err.With("seen", r.Seen)
	}
	if err.Code == api.StaleRef {
		if s := e.successor(ctx); s != nil {
			return &StaleError{Err: err, Successor: s}
		}
	}
	if r.Instead != nil {
		return &InsteadError{Err: err, Instead: r.Instead.in(doc), Opens: r.Opens}
	}
	return err
}

// waitsLonger is how to wait for what a page does by and by; tools say it in their own words.
const waitsLonger = "`--timeout 10s` waits that long for it"

// InsteadError refuses an element that cannot be hit, and has what can be clicked around it.
type InsteadError struct {
	Err     *api.Error
	Instead Element
	Opens   bool // Instead opens the list that the element is in
}

func (e *InsteadError) Error() string { return e.Err.Error() }

// Unwrap returns the *api.Error.
func (e *InsteadError) Unwrap() error { return e.Err }

// StaleError is an [api.StaleRef] for which there is a likely successor: the one
// element of the present page with the same role and name. The caller may hand
// out a ref for it; nothing was done to it.
type StaleError struct {
	Err       *api.Error
	Successor *Element
}

func (e *StaleError) Error() string { return e.Err.Error() }

// Unwrap returns the *api.Error.
func (e *StaleError) Unwrap() error { return e.Err }

// successor looks in the ref's frame, or in the main frame if that is gone.
func (e *errand) successor(ctx context.Context) *Element {
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
