package element

import (
	"context"
	"math"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// A swipe takes as long as that of a quick finger, with a move for each frame of the screen: a pixel in a millisecond, a longer way
// faster.
const (
	swipeFrame    = time.Second / 60
	pixelsOfFrame = 16
	leastOfSwipe  = 6 // frames
	stepsOfSwipe  = 12
)

// swipeSteps returns how many moves, and so frames, a swipe of a length takes.
func swipeSteps(length float64) int {
	return min(max(int(length/pixelsOfFrame), leastOfSwipe), stepsOfSwipe)
}

// edgeOfSwipe is how far from the edge of the viewport a finger stays, in CSS pixels.
const edgeOfSwipe = 5

// calmAfterSwipe is how long the content may go on moving before its position is read.
const calmAfterSwipe = 2 * time.Second

// Swiped is the outcome of a swipe.
type Swiped struct {
	Outcome
	// Observed reports whether the page could be examined.
	Observed bool
	// Moved is how far the content under the finger was scrolled, in the direction of the finger, in CSS pixels.
	Moved geometry.Point
	// Scrolling reports whether the browser took the touch over to scroll or zoom: the page gets touchcancel in place
	// of touchend then.
	Scrolling bool
}

// Swipe moves a finger by a distance in CSS pixels: from the best point of the element, or across the middle of the
// tab's viewport if there is none. The error is [api.InvalidArgument] if the way does not fit in the viewport.
func (a *Actor) Swipe(ctx context.Context, t *locate.Target, dx, dy float64) (Swiped, error) {
	target := locate.Target{}
	if t != nil {
		target = *t
	}
	ctx, e, done, err := a.begin(ctx, "swipe", target)
	if err != nil {
		return Swiped{}, err
	}
	defer done()
	tab := a.browser.State().Tabs[a.tab]
	if tab == nil {
		return Swiped{}, e.apiError(&model.BlockedError{Tab: a.tab, Gone: true})
	}
	var view struct {
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	}
	if err := a.worlds.Call(ctx, tab.Main, "viewport", nil, &view); err != nil {
		return Swiped{}, e.apiError(err)
	}
	from := geometry.Point{X: (view.Width - dx) / 2, Y: (view.Height - dy) / 2}
	frame, arg := tab.Main, args{}
	var start hitTarget
	if t != nil {
		if start, err = e.waitHit(ctx, nil, nil); err != nil {
			return Swiped{}, err
		}
		e.pinElement(start.element)
		from, frame, arg["target"] = start.at, e.frame, e.target.inPage()
	}
	to := geometry.Point{X: from.X + dx, Y: from.Y + dy}
	for _, p := range []geometry.Point{from, to} {
		if p.X < edgeOfSwipe || p.Y < edgeOfSwipe || p.X > view.Width-edgeOfSwipe || p.Y > view.Height-edgeOfSwipe {
			return Swiped{}, api.Errorf(api.InvalidArgument, "swipe: a finger cannot move from %.0f,%.0f to %.0f,%.0f: the viewport is %.0fx%.0f",
				from.X, from.Y, to.X, to.Y, view.Width, view.Height).WithHint("Swipe a shorter way, more than once.")
		}
	}
	if err := a.worlds.Call(ctx, frame, "watchTouch", arg, nil); err != nil {
		return Swiped{}, e.apiError(err)
	}
	o := e.observe()
	o.out = Outcome{Element: start.element, Description: start.description, At: from, Scrolled: start.scrolled, Attempts: 1}
	out, err := o.finish(ctx, e.finger(ctx, from, to), false)
	res := Swiped{Outcome: out}
	if err != nil || !unexplained(out) {
		return res, err
	}
	return res, e.reportSwipe(ctx, frame, &res)
}

// finger moves a finger from one point to another. It never stays on the screen.
func (e *action) finger(ctx context.Context, from, to geometry.Point) error {
	devices := e.actor.input
	if _, err := devices.Touch(e.session, from).Wait(ctx); err != nil {
		devices.Lift(e.session)
		return err
	}
	steps := swipeSteps(math.Hypot(to.X-from.X, to.Y-from.Y))
	err := devices.Drag(ctx, e.session, from, to, steps, time.Duration(steps)*swipeFrame)
	_, lifted := devices.Lift(e.session).Wait(ctx)
	if err != nil {
		return err
	}
	return lifted
}

// reportSwipe reads what the swipe did to the page.
func (e *action) reportSwipe(ctx context.Context, frame model.FrameID, res *Swiped) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*calmAfterSwipe, errSlow)
	defer cancel()
	var seen struct {
		Touches  int            `json:"touches"`
		Canceled bool           `json:"canceled"`
		Moved    geometry.Point `json:"moved"`
	}
	if e.actor.worlds.Call(ctx, frame, "touched", args{"limit": calmAfterSwipe.Milliseconds()}, &seen) != nil {
		return nil //nolint:nilerr // the page is gone or busy: it is not reported
	}
	res.Observed, res.Moved, res.Scrolling = true, seen.Moved, seen.Canceled
	tab := e.actor.browser.State().Tabs[e.actor.tab]
	if seen.Touches == 0 && (!e.isPoint() || tab != nil && len(tab.Frames) == 1) { // else a frame may have got it
		return api.Errorf(api.ActionNotDelivered, "swipe: the browser accepted the input, but the page received no touch")
	}
	return nil
}
