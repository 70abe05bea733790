package input

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/geometry"
)

// Tap touches a point with one finger for a moment.
func (d *Devices) Tap(session string, at geometry.Point) Sent {
	return Sent{d.Touch(session, at), d.Lift(session)}
}

// Touch puts a finger on a point.
func (d *Devices) Touch(session string, at geometry.Point) *Event {
	return d.touch(session, input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at.X, Y: at.Y})
}

// Lift takes the finger away.
func (d *Devices) Lift(session string) *Event {
	return d.touch(session, input.DispatchTouchEventTypeTouchEnd)
}

// Drag moves the finger from one point to another over a time, in steps that become shorter: at the end it is half as fast
// as on average, which is what the content goes on with. A page that is slow gets fewer moves, as it does from a finger: the
// browser merges those that wait. All have been handled when Drag returns.
func (d *Devices) Drag(ctx context.Context, session string, from, to geometry.Point, steps int, spread time.Duration) error {
	began := time.Now()
	var moves Sent
	for i := 1; i <= steps; i++ {
		t := float64(i) / float64(steps)
		f := 1.5*t - 0.5*t*t
		at := input.TouchPoint{X: from.X + (to.X-from.X)*f, Y: from.Y + (to.Y-from.Y)*f}
		moves = append(moves, d.touch(session, input.DispatchTouchEventTypeTouchMove, &at))
		if err := Sleep(ctx, time.Until(began.Add(spread*time.Duration(i)/time.Duration(steps)))); err != nil {
			return err
		}
	}
	return moves.Wait(ctx)
}

func (d *Devices) touch(session string, kind input.DispatchTouchEventType, points ...*input.TouchPoint) *Event {
	if points == nil {
		points = []*input.TouchPoint{} // touchEnd has no points: an empty list is required
	}
	return cdp.Start(d.browser.Session(session), input.DispatchTouchEvent, input.DispatchTouchEventParams{
		Type: kind, TouchPoints: points, Modifiers: d.modifiers(),
	})
}
