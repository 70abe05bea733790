package element

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/key"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/element/verify"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// observerGrace is how much longer than its action an observer is active. Input that the browser has taken reaches the
// page within seconds, however busy that is.
const observerGrace = 10 * time.Second

// checked is the answer of check.ts.
type checked struct {
	reply
	Element  locate.Found   `json:"element"`
	Point    geometry.Point `json:"point"`
	Scrolled bool           `json:"scrolled"`
	Framed   bool           `json:"framed"`
	Chosen   bool           `json:"chosen"`
	Shape    string         `json:"shape"`
}

// hitTarget is an actionable element with the point of the tab's viewport to hit.
type hitTarget struct {
	doc         world.Document
	element     locate.Element
	at          geometry.Point
	scrolled    bool
	framed      bool // a frame in the element is hit, whose document gets the events
	chosen      bool // it is an option that was chosen: nothing is to be hit
	description string
}

// waitHit waits until the target can be hit and starts an observer with the options w, or none for nil.
func (e *action) waitHit(ctx context.Context, w *verify.Expected, more args) (hitTarget, error) {
	arg := args{"needs": []string{"visible", "enabled", "stable", "hit"}}
	if w != nil {
		w.Life = int((max(0, time.Until(e.end)) + observerGrace).Milliseconds())
		arg["watch"] = w
	}
	for k, v := range more {
		arg[k] = v
	}
	e.aim(arg)
	for kept := e.turn.kept; ; {
		e.turn.kept = kept // an element that was found may still not be hit
		var c checked
		doc, err := e.ask(ctx, "check", arg, &c)
		if err != nil {
			return hitTarget{}, err
		}
		ready := hitTarget{doc: doc, element: c.Element.In(doc), at: c.Point, scrolled: c.Scrolled, framed: c.Framed, chosen: c.Chosen, description: c.Shape}
		if c.Chosen {
			return ready, nil
		}
		at, blocker, moved, err := e.actor.points.HitTest(ctx, e.frame, c.Point)
		if err == nil && e.target.Force {
			blocker = ""
		}
		if err == nil && blocker != "" {
			err = api.Errorf(api.ElementCovered, "%s %s: the frame that %s is in is covered by %s", e.verb, e.target, c.Shape, blocker).With("blocker", blocker)
		}
		switch {
		case err != nil && world.DocumentGone(err) && e.target.By != locate.ByRef && time.Until(e.end) > 0:
			// The frame moved to another process or left; look again.
		case errors.Is(err, geometry.ErrNoBox) && time.Until(e.end) > 0:
			// The frame may be about to be removed, which the next call shows, or about to be shown.
		case blocker != "" && time.Until(e.end) > 0:
			// What covers its frame may go.
		case err != nil:
			return hitTarget{}, e.apiError(err)
		default:
			ready.at = at
			ready.scrolled = c.Scrolled || moved
			if w != nil && !c.Framed {
				e.others = verify.ObserveOthers(ctx, e.actor.worlds, e.otherFrames(), w)
			}
			return ready, e.awaitDrawn(ctx, ready.scrolled)
		}
		e.turn.kept = kept
		if e.turn.leaves() && w != nil { // else the observer would cancel the presses of others
			_, _ = e.actor.worlds.Start(ctx, e.frame, "takeEventReport", nil)
		}
		again, waited := e.wait(ctx, pause)
		switch {
		case waited != nil:
			return hitTarget{}, waited
		case !again:
			return hitTarget{}, e.apiError(err)
		}
	}
}

// awaitDrawn waits until scrolled frames are drawn at their new position: the browser sends an event to the process of the
// frame it last drew at that point.
func (e *action) awaitDrawn(ctx context.Context, scrolled bool) error {
	s := e.actor.browser.State()
	tab, f := s.Tabs[e.actor.tab], s.Frame(e.frame)
	if !scrolled || tab == nil || f == nil || len(processFrames(tab)) == 0 {
		return nil
	}
	for _, id := range slices.Compact([]model.FrameID{tab.Main, e.frame}) {
		if err := e.actor.worlds.Call(ctx, id, "drawn", nil, nil); err != nil {
			return e.apiError(err)
		}
	}
	return nil
}

// processFrames lists the frames of a tab that live in processes of their own.
func processFrames(tab *model.Tab) []model.FrameID {
	var ids []model.FrameID
	for id, f := range tab.Frames {
		if f.OOPIF && f.Crash == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// otherFrames lists the frames in which a press is to be canceled: those around the target's frame, and those of other
// processes, one of which the browser may have drawn at that point a moment ago.
func (e *action) otherFrames() []model.FrameID {
	var ids []model.FrameID
	s := e.actor.browser.State()
	for f := s.Frame(e.frame); f != nil && f.Parent != ""; f = s.Frame(f.Parent) {
		ids = append(ids, f.Parent)
	}
	if tab := s.Tabs[e.actor.tab]; tab != nil {
		for _, id := range processFrames(tab) {
			if id != e.frame && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// attempts is the least number of times that an action starts over because the page moved something between the check
// and the press; there are more while there is time.
const attempts = 3

// perform waits for the hit target, sends input with an observer, and starts over when the press would have hit another
// element. It returns the outcome of the input.
func (e *action) perform(ctx context.Context, w verify.Expected, more args, send func(at geometry.Point) input.Sent) (Outcome, error) {
	if e.target.Trial || e.target.Force {
		return e.unobserved(ctx, more, send)
	}
	for try, approached := 1, false; ; try++ {
		e.input, e.turn.kept = nothingSent, false
		o := e.observe()
		a, err := e.waitHit(ctx, &w, more)
		if err != nil {
			return Outcome{}, err
		}
		if !a.chosen && !approached {
			if approached, err = e.approach(ctx, a.at); err != nil {
				return Outcome{}, err
			}
			if approached { // the target may have moved meanwhile, or shown something over itself
				try--
				continue
			}
			approached = true
		}
		if !a.chosen {
			o = e.observe()
		}
		o.out = Outcome{Element: a.element, Description: a.description, At: a.at, Scrolled: a.scrolled, Attempts: try}
		if a.chosen {
			return o.finish(ctx, nil, false)
		}
		if a.framed { // what is in the frame is not the target, so that no press misses it
			e.input = inputSent
			return o.finish(ctx, send(a.at).Wait(ctx), false)
		}
		report := verify.Listen(ctx, e.actor.worlds, e.frame)
		e.input = inputSent
		err = send(a.at).Wait(ctx)
		seen := report.Report(ctx, err != nil, max(0, time.Until(e.end))+grace)
		if missed, moved := e.others.MissedPress(ctx, w, seen); moved && err == nil {
			if try >= attempts && (e.once || time.Until(e.end) <= 0) {
				return o.out, api.Errorf(api.ElementCovered, "%s %s: every attempt would have hit %s instead of %s, so nothing was pressed",
					e.verb, e.target, missed, a.description).With("blocker", missed)
			}
			e.others.End(ctx)
			continue
		}
		if err == nil {
			e.others.End(ctx)
		}
		if seen != nil {
			o.out.Events = seen.Events
		}
		out, err := o.finish(ctx, err, w.Behind && seen != nil && !seen.Closing)
		if err != nil {
			return out, err
		}
		if seen != nil && !seen.Connected && w.Received(seen) == 0 && unexplained(out) {
			return out, api.Errorf(api.ElementDetached, "%s %s: %s was removed from the page before the input reached it", e.verb, e.target, a.description)
		}
		if seen == nil && unexplained(out) && !report.Skipped && !e.isLeaving() {
			return out, api.Errorf(api.Timeout, "%s %s: the input was sent, but the page did not confirm that it reached %s", e.verb, e.target, a.description).
				WithHint("The page is very busy. Check the result with `snapshot -i` before you repeat the command.")
		}
		if undelivered(w, seen, out) {
			if w.Final == "mousemove" && try < attempts { // a hover: moving the mouse there again changes nothing else
				continue
			}
			return out, api.Errorf(api.ActionNotDelivered, "%s %s: the browser accepted the input, but %s received no event", e.verb, e.target, a.description).With("events", w.Received(seen)).
				WithHint("The browser may show a prompt of its own, such as whether to open another program; use `reload` or a new tab.")
		}
		return out, nil
	}
}

// undelivered reports whether no event reached the target although the page answers and nothing else explains it.
func undelivered(w verify.Expected, seen *verify.Report, out Outcome) bool {
	return seen != nil && w.Received(seen) == 0 && seen.Connected && unexplained(out)
}

// unexplained reports whether no other event of the browser shows that the input arrived.
func unexplained(out Outcome) bool {
	return out.Navigation == nil && out.Dialog == nil && !out.TabClosed && len(out.NewTabs) == 0
}

// isLeaving reports whether the frame is gone or on its way to another document.
func (e *action) isLeaving() bool {
	return verify.IsLeaving(e.actor.browser.State(), e.frame)
}

// ClickOptions are the options of [Actor.Click].
type ClickOptions struct {
	Button input.Button // left if empty
	// Count is 1 for a click, 2 for a double click; 0 means 1.
	Count int
	// At is where to click, in CSS pixels from the top left of the element's box; nil is the best point.
	At *geometry.Point
	// Held are the modifier keys held down during the click; see [key.ParseModifiers].
	Held []key.Key
}

// Click clicks an element with the mouse, Count times; a double click is two whole clicks.
func (a *Actor) Click(ctx context.Context, t locate.Target, o ClickOptions) (Outcome, error) {
	count := max(1, o.Count)
	verb := "click"
	if count == 2 {
		verb = "dblclick"
	}
	ctx, e, done, err := a.begin(ctx, verb, t)
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	more := args{"choose": o.button() == input.Left && len(o.Held) == 0}
	if o.At != nil {
		more["at"] = *o.At
	}
	return e.perform(ctx, clickEvents(o.button(), count), more, func(at geometry.Point) input.Sent {
		return e.clicks(ctx, at, o)
	})
}

// clickEvents: a right click ends with mouseup, for its click is an auxclick that
// a context menu may swallow.
func clickEvents(b input.Button, count int) verify.Expected {
	w := verify.Expected{Types: []string{"pointerdown", "mousedown", "pointerup", "mouseup", "click"}, Final: "click", Times: count}
	switch {
	case b != input.Left:
		w.Types = []string{"pointerdown", "mousedown", "pointerup", "mouseup", "auxclick", "contextmenu"}
		w.Final = "mouseup"
	case count == 2:
		w.Types = append(w.Types, "dblclick")
		w.Final, w.Times = "dblclick", 1
	}
	return w
}

// Hover moves the mouse onto an element.
func (a *Actor) Hover(ctx context.Context, t locate.Target) (Outcome, error) {
	return a.HoverAt(ctx, t, nil)
}

// HoverAt moves the mouse onto a point of an element, in CSS pixels from the top left of its box; nil is the best point.
func (a *Actor) HoverAt(ctx context.Context, t locate.Target, at *geometry.Point) (Outcome, error) {
	ctx, e, done, err := a.begin(ctx, "hover", t)
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	w := verify.Expected{Types: []string{"mousemove", "mouseover"}, Final: "mousemove", Behind: true}
	if _, held := a.input.Mouse(); held != 0 { // perhaps in a drag of HTML: then these come instead
		w.Types = append(w.Types, "dragenter", "dragover")
	}
	more := args{"needs": []string{"visible", "stable", "hit"}}
	if at != nil {
		more["at"] = *at
	}
	return e.perform(ctx, w, more, func(at geometry.Point) input.Sent {
		return a.input.MoveAndDeliver(e.session, at)
	})
}

// Link returns the URL of a link. The error is [api.ElementUnsuitable] for an element without one.
func (a *Actor) Link(ctx context.Context, t locate.Target) (string, error) {
	ctx, e, done, err := a.begin(ctx, "click", t)
	if err != nil {
		return "", err
	}
	defer done()
	var link struct {
		reply
		URL string `json:"url"`
	}
	_, err = e.ask(ctx, "link", nil, &link)
	return link.URL, err
}

// Box is a rectangle in the tab's viewport.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// ToTabViewport maps a point of a frame's viewport to the tab's viewport.
func (a *Actor) ToTabViewport(ctx context.Context, frame model.FrameID, p geometry.Point) (geometry.Point, error) {
	ctx, e, done, err := a.begin(ctx, "place", locate.Target{})
	if err != nil {
		return geometry.Point{}, err
	}
	defer done()
	at, err := a.points.ToTab(ctx, frame, p)
	return at, e.apiErrorOrNil(err)
}
