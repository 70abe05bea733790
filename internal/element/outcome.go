package element

import (
	"context"

	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/element/verify"
)

// Outcome is what an action caused, as the browser reported it.
type Outcome struct {
	// Element is the target; zero for actions without one.
	Element locate.Element
	// Description describes the target in one line: `<button#buy> (button "Buy")`.
	Description string
	// Events counts the trusted events that reached the target, by type. It is nil when the page could not be called
	// any more (a dialog, a closed tab).
	Events map[string]int
	// At is the position of the action in the tab's viewport.
	At geometry.Point
	// Scrolled reports whether the element had to be scrolled into view. Attempts counts how often the action started
	// over because the page moved things meanwhile.
	Scrolled bool
	Attempts int

	verify.Effects
}

// observer finds out what an action caused.
type observer struct {
	e       *action
	browser *verify.Comparison
	out     Outcome
}

// observe starts watching.
func (e *action) observe() *observer {
	return &observer{e: e, browser: verify.NewComparison(e.actor.worlds, e.actor.tab, e.session)}
}

// finish waits for what the action caused and fills in the outcome. err is the error of the input; see
// [verify.Comparison.Finish].
func (o *observer) finish(ctx context.Context, err error, reported bool) (Outcome, error) {
	if err := o.browser.Finish(ctx, o.e.frame, err, reported, &o.out.Effects); err != nil {
		o.e.input = inputSent
		return o.out, o.e.apiError(err)
	}
	return o.out, nil
}
