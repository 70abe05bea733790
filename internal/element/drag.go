package element

import (
	"context"
	"errors"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// A drag takes as long as that of a quick hand:
//
//	press, hold still        300 ms   libraries that wait for a long press
//	move over 150 ms                  each move handled before the next
//	rest on the destination  100 ms   libraries that look at the mouse now and then
//	release

// stepsOfDrag are the moves between press and release; more than one, because
// the browser starts a drag only after a few pixels of movement.
const stepsOfDrag = 10

// DefaultHold is how long a drag holds still before it moves. 250 ms are what dnd kit's documentation proposes as delay.
const DefaultHold = 300 * time.Millisecond

// restOfDrag is how long the mouse rests on the destination before the button is let go.
const restOfDrag = 100 * time.Millisecond

// calmAfterDrag is how long a page may take to come to rest behind a drag, until it is asked what changed.
const calmAfterDrag = time.Second

// DragOptions say how to drag.
type DragOptions struct {
	Hold time.Duration // between the press and the first move; 0 is none
	// At is where the drag ends, from the top left of the box of the destination, or of the tab's viewport where there is no
	// destination; nil for the best point of the destination.
	At *Point
}

// Dragged is the outcome of a drag.
type Dragged struct {
	Outcome
	// Told says that the page could be asked what changed: it is still there, and changes show in its document.
	Told bool
	// Effect is the dropEffect that the source of an HTML drag was told at its end, "none" where nothing took the
	// drop; empty where the page handles the mouse by itself.
	Effect string
	// Changed says that something in the page is different now, Moved that what was dragged is elsewhere.
	Changed bool
	Moved   bool
}

// dragged is the answer of drag.ts.
type dragged struct {
	Effect  string `json:"effect"`
	Started bool   `json:"started"`
	Dropped bool   `json:"dropped"`
	Changed bool   `json:"changed"`
	Moved   bool   `json:"moved"`
	Unsure  bool   `json:"unsure"`
}

// Drag presses on one element and lets go on another, or at a point where to is the zero Target. The destination is looked
// for when the drag has begun, so it may be scrolled into view by then. Both must
// be in frames of this tab. HTML drag and drop and pages with mouse handlers of
// their own both see what a hand would cause.
func (a *Actor) Drag(ctx context.Context, from, to Target, opts DragOptions) (Dragged, error) {
	ctx, e, done, err := a.begin(ctx, "drag", from)
	if err != nil {
		return Dragged{}, err
	}
	defer done()
	dest := &errand{actor: a, verb: "drag to"}
	tab := a.browser.State().Tabs[a.tab]
	if tab == nil {
		return Dragged{}, e.fault(&model.BlockedError{Tab: a.tab, Gone: true})
	}
	if err := dest.aimAt(tab, to); err != nil {
		return Dragged{}, err
	}
	// Before anything is pressed, the destination must be there.
	var there struct{ reply }
	if !dest.isPoint() {
		if _, err := dest.ask(ctx, "find", nil, &there); err != nil {
			return Dragged{}, err
		}
	} else if opts.At == nil {
		return Dragged{}, api.Errorf(api.MissingArgument, "drag %s: needs a target element or a point", from)
	}
	if _, err := e.ask(ctx, "watchDrag", args{"source": true}, &there); err != nil {
		return Dragged{}, err
	}
	if dest.frame != e.frame {
		// A frame that cannot be watched has no part in what is told.
		_ = a.worlds.Call(ctx, dest.frame, "watchDrag", args{}, &there)
	}
	o := e.observe()
	out, pressed, err := e.dragTo(ctx, dest, opts)
	if err != nil || !pressed {
		return Dragged{Outcome: out}, err
	}
	err = sent{a.release(e.session, Left, 1)}.wait(ctx)
	if err == nil {
		e.endAbroad(ctx, dest, out.At)
	}
	events := out.Events
	o.out = out
	out, err = o.finish(ctx, err, false)
	out.Events = events
	res := Dragged{Outcome: out}
	if err == nil && unexplained(out) {
		err = e.tellDrag(ctx, dest, &res)
	}
	return res, err
}

// dragTo presses on the source and goes to the destination. The button is still down if pressed is returned.
func (e *errand) dragTo(ctx context.Context, dest *errand, opts DragOptions) (out Outcome, pressed bool, err error) {
	a := e.actor
	began := time.Now()
	w := watch{Types: []string{"pointerdown", "mousedown"}, Final: "mousedown"}
	out, err = e.perform(ctx, w, nil, func(at Point) sent {
		return sent{a.moveTo(e.session, at), a.press(e.session, Left, 1)}
	})
	if err != nil || out.Dialog != nil || out.TabClosed {
		return out, false, err
	}
	defer func() {
		if err != nil { // never leave a button down behind a failed drag
			_, _ = a.release(e.session, Left, 1).Wait(ctx) //nolint:errcheck // the first failure is the one to tell
		}
	}()
	if err := sleep(ctx, opts.Hold); err != nil {
		return out, false, e.fault(err)
	}
	if err := a.glide(ctx, e.session, Point{out.At.X + 4, out.At.Y + 4}, 2, 0); err != nil {
		return out, false, e.fault(err)
	}
	dest.end = dest.end.Add(time.Since(began)) // its time runs while it is looked for
	end, err := dest.destination(ctx, out.At, opts.At)
	if err != nil {
		return out, false, err
	}
	if err := a.glide(ctx, e.session, end, stepsOfDrag, glideTime); err != nil {
		return out, false, e.fault(err)
	}
	if err := sleep(ctx, restOfDrag); err != nil {
		return out, false, e.fault(err)
	}
	// Once more where it is: the page may have made room there by now, and Chromium tells of a drag only when the mouse moves.
	if err := a.arrive(e.session, end).wait(ctx); err != nil {
		return out, false, e.fault(err)
	}
	return out, true, nil
}

// isPoint says that what is meant is a place of the viewport, and no element.
func (e *errand) isPoint() bool { return e.target.By == "" }

// destination is where a drag from a point ends: at a place of the destination's box, or where it can best be hit.
func (e *errand) destination(ctx context.Context, from Point, at *Point) (Point, error) {
	if e.isPoint() {
		return *at, nil
	}
	place := func(needs ...string) (Point, error) {
		arg := args{"needs": needs}
		if at != nil {
			arg["at"] = *at
		}
		end, err := e.aim(ctx, nil, arg)
		return end.at, err
	}
	end, err := place("visible", "stable", "hit")
	var covered *api.Error
	if errors.As(err, &covered) && covered.Code == api.ElementCovered {
		// What is dragged follows the mouse on many pages and may lie over the
		// destination now: then the middle of its box is the place.
		end, err = place("visible", "middle")
	}
	if err != nil || at != nil {
		return end, err
	}
	if middle, err := place("visible", "middle"); err == nil && middle == end {
		end = Point{beyond(from.X, end.X), beyond(from.Y, end.Y)}
	}
	return end, nil
}

// pastMiddle is how far behind the middle of its destination a drag ends, in CSS pixels, unless that middle is covered. A list sorted
// by hand gives way to what has passed the middle of an item, and to nothing that stops there.
const pastMiddle = 2

// beyond goes on from a coordinate of the destination in the direction of the drag.
func beyond(from, to float64) float64 {
	switch way := to - from; {
	case way > 2*pastMiddle:
		return to + pastMiddle
	case way < -2*pastMiddle:
		return to - pastMiddle
	}
	return to
}

// tellDrag asks the frames that took part what the drag did to them. That it did nothing is an error where it went from one
// frame to another.
func (e *errand) tellDrag(ctx context.Context, dest *errand, res *Dragged) error {
	arg := args{"limit": calmAfterDrag.Milliseconds()}
	ctx, cancel := context.WithTimeoutCause(ctx, 2*calmAfterDrag, errSlow)
	defer cancel()
	var seen, there dragged
	if e.actor.worlds.Call(ctx, e.frame, "dragged", arg, &seen) != nil {
		return nil //nolint:nilerr // the page is gone or busy: nothing is said of it
	}
	if dest.frame != e.frame {
		if e.actor.worlds.Call(ctx, dest.frame, "dragged", arg, &there) != nil {
			return nil //nolint:nilerr // the same
		}
		seen.Changed = seen.Changed || there.Changed
		seen.Unsure = seen.Unsure || there.Unsure
	}
	res.Effect, res.Changed, res.Moved = seen.Effect, seen.Changed, seen.Moved
	if there.Dropped && seen.Effect == "none" {
		res.Effect = "" // see endAbroad
	}
	res.Told = seen.Changed || !seen.Unsure || seen.Effect != ""
	if !dest.isPoint() && dest.frame != e.frame && res.Told && !seen.Changed && !there.Dropped {
		return e.nothingBetween(dest, seen.Started)
	}
	return nil
}
