package element

import (
	"context"
	"errors"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/element/verify"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// A drag takes as long as that of a quick hand:
//
//	press, hold still        300 ms   libraries that wait for a long press; not for elements with draggable=true
//	move over 150 ms                  each move handled before the next
//	rest on the destination  100 ms   libraries that look at the mouse now and then
//	release
//
// Once the page has received dragstart, the browser tells it of every move with dragenter and dragover, so that no library looks at
// the mouse by itself. Then the moves take no longer than the page needs to handle them, and the rest ends when two moves and an
// animation frame came without a change or an animation (measured with SortableJS 1.15, react-dnd 16 and pragmatic-drag-and-drop 1.4).

// dragSteps are the moves between press and release; more than one, because
// the browser starts a drag only after a few pixels of movement.
const dragSteps = 10

// htmlDragSteps are those of a drag that the browser tells the page of.
const htmlDragSteps = 3

// DefaultHold is the time between the press and the first move of a drag. 250 ms are what dnd kit's documentation
// proposes as delay.
const DefaultHold = 300 * time.Millisecond

// dragRest is how long the mouse rests on the destination before the button is released.
const dragRest = 100 * time.Millisecond

// dragSettleTime is how long a page may take to come to rest after a drag, before its changes are read.
const dragSettleTime = time.Second

// DragOptions are the options of [Actor.Drag].
type DragOptions struct {
	Hold time.Duration // between the press and the first move; 0 is none
	// HoldsPointer omits Hold for an element that the browser drags because of its draggable attribute: only pages that
	// follow the pointer themselves wait for a long press.
	HoldsPointer bool
	// At is where the drag ends, in CSS pixels from the top left of the destination's box, or of the tab's viewport if
	// there is no destination; nil is the best point of the destination.
	At *geometry.Point
	// By is how far the drag ends from where it begins, if it has no destination and no point.
	By *geometry.Point
}

// Dragged is the outcome of a drag.
type Dragged struct {
	Outcome
	// Observed reports whether the page could be examined for changes: its document is still there, and changes show in it.
	Observed bool
	// Effect is the dropEffect of the dragend event: "none" where nothing took the drop; empty where the page handles
	// the mouse by itself.
	Effect string
	// Changed reports whether something in the page is different now, Moved whether the dragged element is at another
	// position.
	Changed bool
	Moved   bool
	// Gone reports whether the dragged element is not in the page any more: many pages draw anew what was moved.
	Gone bool
	// Value is that of a slider that was dragged, if it has another value now.
	Value string
}

// dragged is the answer of drag.ts.
type dragged struct {
	Effect  string `json:"effect"`
	Started bool   `json:"started"`
	Dropped bool   `json:"dropped"`
	Changed bool   `json:"changed"`
	Moved   bool   `json:"moved"`
	Gone    bool   `json:"gone"`
	Unsure  bool   `json:"unsure"`
	Value   string `json:"value"`
}

// Drag presses on one element and releases on another, or at a point if to is the zero Target. The destination is
// searched once the drag has begun, so it may be scrolled into view by then. Both must be in frames of this tab. HTML
// drag and drop and pages with mouse handlers of their own both receive the events that a person would cause.
func (a *Actor) Drag(ctx context.Context, from, to locate.Target, opts DragOptions) (Dragged, error) {
	ctx, e, done, err := a.begin(ctx, "drag", from)
	if err != nil {
		return Dragged{}, err
	}
	defer done()
	dest := &action{actor: a, turn: e.turn, verb: "drag to"}
	tab := a.browser.State().Tabs[a.tab]
	if tab == nil {
		return Dragged{}, e.apiError(&model.BlockedError{Tab: a.tab, Gone: true})
	}
	if err := dest.setTarget(tab, to); err != nil {
		return Dragged{}, err
	}
	// Before anything is pressed, the destination must be there, and reach to the point.
	var there struct{ reply }
	if !dest.isPoint() {
		arg := args{"needs": []string{}}
		if opts.At != nil {
			arg = args{"needs": []string{"reaches"}, "at": *opts.At}
		}
		if _, err := dest.ask(ctx, "check", arg, &there); err != nil {
			return Dragged{}, err
		}
		e.turn.kept = false
	} else if opts.At == nil && opts.By == nil {
		return Dragged{}, api.Errorf(api.MissingArgument, "drag %s: needs a target element or a point, or a distance", from)
	}
	if _, err := e.ask(ctx, "watchDrag", args{"source": true}, &there); err != nil {
		return Dragged{}, err
	}
	if dest.frame != e.frame {
		// A frame that cannot be observed is left out of the report.
		_ = a.worlds.Call(ctx, dest.frame, "watchDrag", args{}, &there)
	}
	o := e.observe()
	out, pressed, err := e.dragTo(ctx, dest, opts)
	if err != nil || !pressed {
		return Dragged{Outcome: out}, err
	}
	err = input.Sent{a.input.Release(e.session, input.Left, 1)}.Wait(ctx)
	if err == nil {
		e.endInOtherProcess(ctx, dest, out.At)
	}
	events := out.Events
	o.out = out
	out, err = o.finish(ctx, err, false)
	out.Events = events
	res := Dragged{Outcome: out}
	if err == nil && unexplained(out) {
		err = e.reportDrag(ctx, dest, &res)
	}
	return res, err
}

// dragTo presses on the source and moves to the destination. If it returns pressed, the button is still down.
func (e *action) dragTo(ctx context.Context, dest *action, opts DragOptions) (out Outcome, pressed bool, err error) {
	a := e.actor
	began := time.Now()
	w := verify.Expected{Types: []string{"pointerdown", "mousedown"}, Final: "mousedown"}
	out, err = e.perform(ctx, w, args{"grab": true}, func(at geometry.Point) input.Sent {
		return input.Sent{a.input.Move(e.session, at), a.input.Press(e.session, input.Left, 1)}
	})
	if err != nil || out.Dialog != nil || out.TabClosed {
		return out, false, err
	}
	defer func() {
		if err != nil { // never leave a button down after a failed drag
			_, _ = a.input.Release(e.session, input.Left, 1).Wait(ctx) //nolint:errcheck // the first failure is the one to tell
		}
	}()
	if err := e.hold(ctx, opts); err != nil {
		return out, false, e.apiError(err)
	}
	if err := a.input.MoveInSteps(ctx, e.session, geometry.Point{X: out.At.X + 4, Y: out.At.Y + 4}, 2, 0); err != nil {
		return out, false, e.apiError(err)
	}
	dest.end = dest.end.Add(time.Since(began)) // its time runs while it is looked for
	end, err := dest.destination(ctx, out.At, opts)
	if err != nil {
		return out, false, err
	}
	html := e.htmlDrag(ctx)
	if path, ok := a.path(ctx, end); ok {
		err = a.input.Follow(ctx, e.session, path)
	} else if html {
		err = a.input.MoveInSteps(ctx, e.session, end, htmlDragSteps, 0)
	} else {
		err = a.input.MoveInSteps(ctx, e.session, end, dragSteps, glideTime)
	}
	if err != nil {
		return out, false, e.apiError(err)
	}
	if err := e.rest(ctx, dest, end, html); err != nil {
		return out, false, e.apiError(err)
	}
	// Move once more to the same point: the page may have moved other items by now, and Chromium reports a drag only
	// when the mouse moves.
	if err := a.input.MoveAndDeliver(e.session, end).Wait(ctx); err != nil {
		return out, false, e.apiError(err)
	}
	return out, true, nil
}

// hold waits between the press and the first move of a drag.
func (e *action) hold(ctx context.Context, opts DragOptions) error {
	if opts.Hold > 0 && opts.HoldsPointer {
		var source struct {
			Draggable bool `json:"draggable"`
		}
		if err := e.actor.worlds.Call(ctx, e.frame, "draggable", nil, &source); err != nil || source.Draggable {
			return err
		}
	}
	return input.Sleep(ctx, opts.Hold)
}

// restRounds is how often the mouse is moved once more at its destination, at most. An item of a list that is sorted while it is
// dragged is there after one or two.
const restRounds = 8

// restMoves is how often the mouse moves there each time: Chromium answers the first move onto an element with a dragenter event, and no
// dragover (measured on Chromium 156).
const restMoves = 2

// rest leaves the mouse on the destination until the page has shown what it does there. Libraries handle an HTML drag in frames (react-dnd)
// and move one item after the other: as long as the page changes something, the mouse moves again, on the spot.
func (e *action) rest(ctx context.Context, dest *action, end geometry.Point, html bool) error {
	if !html {
		return input.Sleep(ctx, dragRest)
	}
	// Pages that look at the mouse in frames may use the first event since the last one.
	if _, ok := e.restFrames(ctx, dest); !ok {
		return input.Sleep(ctx, dragRest)
	}
	for range restRounds {
		for range restMoves {
			if err := e.actor.input.MoveAndDeliver(e.session, end).Wait(ctx); err != nil {
				return err
			}
		}
		changed, ok := e.restFrames(ctx, dest)
		if !ok { // a page that cannot be examined gets the time
			return input.Sleep(ctx, dragRest)
		}
		if !changed {
			return nil
		}
	}
	return nil
}

// restFrames waits until the frames of a drag have come to rest, and reports whether anything changed since the last time.
func (e *action) restFrames(ctx context.Context, dest *action) (changed, ok bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, dragSettleTime, errSlow)
	defer cancel()
	frames := []*action{e}
	if dest.frame == e.frame {
		frames[0] = dest
	} else {
		frames = append(frames, dest)
	}
	for _, in := range frames {
		var seen struct {
			Watched bool `json:"watched"`
			Changed bool `json:"changed"`
		}
		if err := in.actor.worlds.Call(ctx, in.frame, "dragRest", args{"limit": dragRest.Milliseconds(), "over": in == dest && !dest.isPoint()}, &seen); err != nil || !seen.Watched {
			return false, false
		}
		changed = changed || seen.Changed
	}
	return changed, true
}

// isPoint reports whether the destination is a point of the viewport and no element.
func (e *action) isPoint() bool { return e.target.By == "" }

// destination returns the end of a drag that starts at a point: the given point of the destination's box, its best point
// to hit, or the given point or distance where there is none.
func (e *action) destination(ctx context.Context, from geometry.Point, opts DragOptions) (geometry.Point, error) {
	at := opts.At
	switch {
	case e.isPoint() && at == nil:
		return geometry.Point{X: from.X + opts.By.X, Y: from.Y + opts.By.Y}, nil
	case e.isPoint():
		return *at, nil
	}
	hitPoint := func(needs ...string) (geometry.Point, error) {
		arg := args{"needs": needs}
		if at != nil {
			arg["at"] = *at
		}
		end, err := e.waitHit(ctx, nil, arg)
		return end.at, err
	}
	end, err := hitPoint("visible", "stable", "hit")
	var covered *api.Error
	if errors.As(err, &covered) && covered.Code == api.ElementCovered {
		// What is dragged follows the mouse on many pages and may cover the destination now: then use the middle of its
		// box.
		end, err = hitPoint("visible", "middle")
	}
	if err != nil || at != nil {
		return end, err
	}
	if middle, err := hitPoint("visible", "middle"); err == nil && middle == end {
		end = geometry.Point{X: beyond(from.X, end.X), Y: beyond(from.Y, end.Y)}
	}
	return end, nil
}

// dragOvershoot is how far beyond the middle of its destination a drag ends, in CSS pixels, unless that middle is covered.
// A sortable list moves an item once the mouse has passed its middle, and not before.
const dragOvershoot = 2

// beyond returns a coordinate of the destination, moved on in the direction of the drag.
func beyond(from, to float64) float64 {
	switch way := to - from; {
	case way > 2*dragOvershoot:
		return to + dragOvershoot
	case way < -2*dragOvershoot:
		return to - dragOvershoot
	}
	return to
}

// reportDrag collects from the frames that took part what the drag changed. It returns an error if a drag from one
// frame to another changed nothing.
func (e *action) reportDrag(ctx context.Context, dest *action, res *Dragged) error {
	arg := args{"limit": dragSettleTime.Milliseconds()}
	ctx, cancel := context.WithTimeoutCause(ctx, 2*dragSettleTime, errSlow)
	defer cancel()
	var seen, there dragged
	if e.actor.worlds.Call(ctx, e.frame, "dragged", arg, &seen) != nil {
		return nil //nolint:nilerr // the page is gone or busy: it is not reported
	}
	if dest.frame != e.frame {
		if e.actor.worlds.Call(ctx, dest.frame, "dragged", arg, &there) != nil {
			return nil //nolint:nilerr // the same
		}
		seen.Changed = seen.Changed || there.Changed
		seen.Unsure = seen.Unsure || there.Unsure
	}
	res.Effect, res.Changed, res.Moved, res.Gone, res.Value = seen.Effect, seen.Changed, seen.Moved, seen.Gone, seen.Value
	if there.Dropped && seen.Effect == "none" {
		res.Effect = "" // see endInOtherProcess
	}
	res.Observed = seen.Changed || !seen.Unsure || seen.Effect != ""
	if !dest.isPoint() && dest.frame != e.frame && res.Observed && !seen.Changed && !there.Dropped {
		return e.nothingBetween(dest, seen.Started)
	}
	return nil
}
