package element

import (
	"context"

	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/element/verify"
)

// Tap touches an element with one finger for a moment. The browser then sends the mouse events and the click of a tap.
func (a *Actor) Tap(ctx context.Context, t locate.Target) (Outcome, error) {
	ctx, e, done, err := a.begin(ctx, "tap", t)
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	w := verify.Expected{Types: []string{"pointerdown", "touchstart", "pointerup", "touchend", "mousedown", "mouseup", "click"}, Final: "click"}
	return e.perform(ctx, w, nil, func(at geometry.Point) input.Sent {
		return a.input.Tap(e.session, at)
	})
}
