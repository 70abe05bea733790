package input

import (
	"github.com/chromedp/cdproto/input"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/geometry"
)

// Tap touches a point with one finger for a moment.
func (d *Devices) Tap(session string, at geometry.Point) Sent {
	return Sent{
		d.touch(session, input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at.X, Y: at.Y}),
		d.touch(session, input.DispatchTouchEventTypeTouchEnd),
	}
}

func (d *Devices) touch(session string, kind input.DispatchTouchEventType, points ...*input.TouchPoint) *Event {
	if points == nil {
		points = []*input.TouchPoint{} // touchEnd has no points: an empty list is required
	}
	return cdp.Start(d.browser.Session(session), input.DispatchTouchEvent, input.DispatchTouchEventParams{
		Type: kind, TouchPoints: points, Modifiers: d.modifiers(),
	})
}
