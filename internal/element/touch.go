package element

import (
	"context"

	"github.com/chromedp/cdproto/input"

	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/geometry"
)

// Tap touches an element with one finger for a moment. The browser then sends the mouse events and the click of a tap.
func (a *Actor) Tap(ctx context.Context, t Target) (Outcome, error) {
	ctx, e, done, err := a.begin(ctx, "tap", t)
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	w := observerOptions{Types: []string{"pointerdown", "touchstart", "pointerup", "touchend", "mousedown", "mouseup", "click"}, Final: "click"}
	return e.perform(ctx, w, nil, func(at geometry.Point) sent {
		return sent{
			a.touch(e.session, input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at.X, Y: at.Y}),
			a.touch(e.session, input.DispatchTouchEventTypeTouchEnd),
		}
	})
}

func (a *Actor) touch(session string, kind input.DispatchTouchEventType, points ...*input.TouchPoint) *cdp.Pending[protocol.Empty] {
	if points == nil {
		points = []*input.TouchPoint{} // touchEnd has no points: an empty list is required
	}
	return cdp.Start(a.browser.Session(session), input.DispatchTouchEvent, input.DispatchTouchEventParams{
		Type: kind, TouchPoints: points, Modifiers: a.keys.modifiers(),
	})
}
