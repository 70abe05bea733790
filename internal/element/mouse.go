package element

import (
	"context"
	"math"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// MoveOptions are the options of [Actor.MouseMove].
type MoveOptions struct {
	Steps    int           // number of moves, 1 if 0
	Duration time.Duration // spread over this time; for several moves 0 means glideTime
	// Human moves along a curve, slowly at both ends, as a hand does. Steps and Duration follow from the distance if they
	// are 0.
	Human bool
	// Seed makes a human movement repeatable; 0 takes another each time.
	Seed uint64
}

// glideTime is the default duration of several moves: long enough that a page sees each move, also libraries that poll
// the mouse position (SortableJS every 50 ms).
const glideTime = 150 * time.Millisecond

// MouseMove moves the pointer to a point of the tab's viewport.
func (a *Actor) MouseMove(ctx context.Context, to geometry.Point, o MoveOptions) error {
	ctx, e, done, err := a.begin(ctx, "mouse move", locate.Target{})
	if err != nil {
		return err
	}
	defer done()
	if err := inReach("mouse move", to.X, to.Y); err != nil {
		return err
	}
	if o.Human {
		path := input.HandPath(a.input.At(), to, o.Steps, o.Duration, o.Seed)
		return e.apiErrorOrNil(a.input.Follow(ctx, e.session, path))
	}
	if path, ok := a.path(ctx, to); ok && o.Steps == 0 && o.Duration == 0 {
		return e.apiErrorOrNil(a.input.Follow(ctx, e.session, path))
	}
	if o.Steps > 1 && o.Duration == 0 {
		o.Duration = glideTime
	}
	return e.apiErrorOrNil(a.input.MoveInSteps(ctx, e.session, to, max(1, o.Steps), o.Duration))
}

// MouseDown presses a button at the pointer's position.
func (a *Actor) MouseDown(ctx context.Context, b input.Button) error {
	return a.button(ctx, "mouse down", func(session string) *input.Event { return a.input.Press(session, b, 1) })
}

// MouseUp releases a button at the pointer's position.
func (a *Actor) MouseUp(ctx context.Context, b input.Button) error {
	return a.button(ctx, "mouse up", func(session string) *input.Event { return a.input.Release(session, b, 1) })
}

// button sends one button event. A dialog that it opens is not an error: the
// press happened.
func (a *Actor) button(ctx context.Context, verb string, send func(string) *input.Event) error {
	ctx, e, done, err := a.begin(ctx, verb, locate.Target{})
	if err != nil {
		return err
	}
	defer done()
	err = input.Sent{send(e.session)}.Wait(ctx)
	if blocked := a.browser.Blocked(err, a.tab); blocked != nil && blocked.Dialog != nil {
		return nil
	}
	return e.apiErrorOrNil(err)
}

// MouseWheel turns the wheel at the pointer's position, in CSS pixels: positive is down and right.
func (a *Actor) MouseWheel(ctx context.Context, dx, dy float64) error {
	ctx, e, done, err := a.begin(ctx, "mouse wheel", locate.Target{})
	if err != nil {
		return err
	}
	defer done()
	if err := inReach("mouse wheel", dx, dy); err != nil {
		return err
	}
	return e.apiErrorOrNil(a.wheel(ctx, e.session, dx, dy))
}

// inReach returns an error for a point or a distance that no page has. Chromium keeps them in 32 bits: it never answers an event
// with more, nor any that comes after it in the tab.
func inReach(doing string, x, y float64) error {
	if math.Abs(x) <= verb.MaxPixels && math.Abs(y) <= verb.MaxPixels { // false for NaN
		return nil
	}
	return api.Errorf(api.InvalidArgument, "%s: %v, %v is beyond every page", doing, x, y).
		WithHint("Numbers are CSS pixels, from -%d to %d.", verb.MaxPixels, verb.MaxPixels)
}

// wheel turns the wheel and waits until the page has handled it.
func (a *Actor) wheel(ctx context.Context, session string, dx, dy float64) error {
	handled, err := a.input.Wheel(ctx, session, dx, dy)
	if err != nil || handled {
		return err
	}
	return a.worlds.Call(ctx, model.FrameID(a.tab), "drawn", nil, nil)
}

// Mouse returns the pointer's position and the pressed buttons, as MouseEvent.buttons.
func (a *Actor) Mouse() (at geometry.Point, held int64) {
	a.token <- struct{}{}
	defer func() { <-a.token }()
	return a.input.Mouse()
}
