package element

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// watch is what the witness listens for (witness.ts).
type watch struct {
	Types []string `json:"types"`
	Final string   `json:"final"`
	Times int      `json:"times,omitempty"`
	Life  int      `json:"life"` // ms; set when the witness is armed
	// Behind has it tell when the page has handled the final event: nothing has to be asked behind it. What can open a
	// dialog is better told before.
	Behind bool `json:"behind,omitempty"`
}

// lateness is how much longer than its action a witness lives. An input that the
// browser has taken reaches the page within seconds, however busy that is.
const lateness = 10 * time.Second

// testimony is what it saw.
type testimony struct {
	Events    map[string]int `json:"events"`
	Missed    string         `json:"missed"`
	Connected bool           `json:"connected"`
	Closing   bool           `json:"closing"`
}

// checked is the answer of check.ts.
type checked struct {
	reply
	Element  found  `json:"element"`
	Point    Point  `json:"point"`
	Scrolled bool   `json:"scrolled"`
	Chosen   bool   `json:"chosen"`
	Shape    string `json:"shape"`
}

// aim is an element ready to be acted on at a point of the tab's viewport.
type aim struct {
	doc      world.Document
	element  Element
	at       Point
	scrolled bool
	chosen   bool // it is an option that was chosen: nothing is to be hit
	shape    string
}

// aim waits until the target can be hit and arms the witness for w, nil for none.
func (e *errand) aim(ctx context.Context, w *watch, more args) (aim, error) {
	arg := args{"needs": []string{"visible", "enabled", "stable", "hit"}}
	if w != nil {
		w.Life = int((max(0, time.Until(e.end)) + lateness).Milliseconds())
		arg["watch"] = w
	}
	for k, v := range more {
		arg[k] = v
	}
	for {
		var c checked
		doc, err := e.ask(ctx, "check", arg, &c)
		if err != nil {
			return aim{}, err
		}
		ready := aim{doc: doc, element: c.Element.in(doc), at: c.Point, scrolled: c.Scrolled, chosen: c.Chosen, shape: c.Shape}
		if c.Chosen {
			return ready, nil
		}
		at, blocker, moved, err := e.actor.reach(ctx, e.frame, c.Point)
		switch {
		case err != nil && world.DocumentGone(err) && e.target.By != ByRef && time.Until(e.end) > 0:
			// The frame moved to another process or left; look again.
		case errors.Is(err, errNoBox) && time.Until(e.end) > 0:
			// It may be about to leave, which the element is asked next, or about to be shown.
		case err != nil:
			return aim{}, e.fault(err)
		case blocker == "":
			ready.at = at
			ready.scrolled = c.Scrolled || moved
			if w != nil {
				e.guardOthers(ctx, w)
			}
			return ready, e.drawn(ctx, ready.scrolled)
		case time.Until(e.end) <= 0:
			return aim{}, api.Errorf(api.ElementCovered, "%s %s: the frame that %s is in is covered by %s", e.verb, e.target, c.Shape, blocker).
				With("blocker", blocker)
		}
		if err := sleep(ctx, pause); err != nil {
			return aim{}, e.fault(err)
		}
	}
}

// drawn lets frames that were scrolled be drawn where they are now: the browser
// sends an event to the process of the frame it last drew at that place, be it the
// target's or another's.
func (e *errand) drawn(ctx context.Context, scrolled bool) error {
	s := e.actor.browser.State()
	tab, f := s.Tabs[e.actor.tab], s.Frame(e.frame)
	if !scrolled || tab == nil || f == nil || len(processFrames(tab)) == 0 {
		return nil
	}
	for _, id := range slices.Compact([]model.FrameID{tab.Main, e.frame}) {
		if err := e.actor.worlds.Call(ctx, id, "drawn", nil, nil); err != nil {
			return e.fault(err)
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

// guardLimit is how long frames other than the target's may take to raise their
// guard. One that is busy longer is left unguarded. They answer in 1 to 2 ms; on a
// machine with fifteen times more to do than it can, more than 50 ms were seen, and
// a press that went astray meanwhile.
const guardLimit = 500 * time.Millisecond

// guardOthers holds presses back that would land in another frame: in those around
// the one aimed at, and in those of other processes, one of which the browser may
// have drawn at that place a moment ago.
func (e *errand) guardOthers(ctx context.Context, w *watch) {
	s := e.actor.browser.State()
	e.guarded = e.guarded[:0]
	for f := s.Frame(e.frame); f != nil && f.Parent != ""; f = s.Frame(f.Parent) {
		e.guarded = append(e.guarded, f.Parent)
	}
	if tab := s.Tabs[e.actor.tab]; tab != nil {
		for _, id := range processFrames(tab) {
			if id != e.frame && !slices.Contains(e.guarded, id) {
				e.guarded = append(e.guarded, id)
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, guardLimit)
	defer cancel()
	var all sync.WaitGroup
	for _, id := range e.guarded {
		all.Go(fault.Guarded(ctx, func() {
			// A frame that cannot be guarded is left out; the target itself was hit-tested a moment ago.
			_ = e.actor.worlds.Call(ctx, id, "armFrame", args{"watch": w}, nil)
		}))
	}
	all.Wait()
}

// unguard lets the other frames be pressed again. It does not wait: what is sent to
// a frame later comes there later.
func (e *errand) unguard(ctx context.Context) {
	for _, id := range e.guarded {
		// A frame that cannot be told is gone, or its guard ends by itself.
		_, _ = e.actor.worlds.Start(ctx, id, "testify", nil)
	}
}

// attempts is how often an action begins anew because the page moved something
// between the check and the press, at least; more while there is time.
const attempts = 3

// perform aims, sends input with the witness listening, and begins anew when the
// press would have hit something else. It returns the outcome of the input.
func (e *errand) perform(ctx context.Context, w watch, more args, send func(at Point) sent) (Outcome, error) {
	for try := 1; ; try++ {
		e.input = nothingSent
		o := e.observe()
		a, err := e.aim(ctx, &w, more)
		if err != nil {
			return Outcome{}, err
		}
		if !a.chosen {
			o = e.observe()
		}
		o.out = Outcome{Element: a.element, Shape: a.shape, At: a.at, Scrolled: a.scrolled, Attempts: try}
		if a.chosen {
			return o.finish(ctx, nil, false)
		}
		heard := e.listen(ctx)
		e.input = inputSent
		input := send(a.at)
		err = input.wait(ctx)
		seen := heard(err)
		if missed, moved := e.missed(ctx, w, seen); moved && err == nil {
			if try >= attempts && (e.once || time.Until(e.end) <= 0) {
				return o.out, api.Errorf(api.ElementCovered, "%s %s: every attempt would have hit %s instead of %s, so nothing was pressed",
					e.verb, e.target, missed, a.shape).With("blocker", missed)
			}
			continue
		}
		if err == nil {
			e.unguard(ctx)
		}
		if seen != nil {
			o.out.Events = seen.Events
		}
		out, err := o.finish(ctx, err, w.Behind && seen != nil && !seen.Closing)
		if err != nil {
			return out, err
		}
		if seen != nil && !seen.Connected && received(w, seen) == 0 && unexplained(out) {
			return out, api.Errorf(api.ElementDetached, "%s %s: %s was removed from the page before the input reached it", e.verb, e.target, a.shape)
		}
		if seen == nil && unexplained(out) && !e.excused && !e.leaving() {
			return out, api.Errorf(api.Timeout, "%s %s: the input was sent, but the page did not confirm that it reached %s", e.verb, e.target, a.shape).
				WithHint("The page is very busy. Check the result with `snapshot -i` before you repeat the command.")
		}
		if undelivered(w, seen, out) {
			return out, api.Errorf(api.ActionNotDelivered, "%s %s: the browser accepted the input, but %s received no event", e.verb, e.target, a.shape).
				WithHint("The browser may show a prompt of its own, such as whether to open another program; use `reload` or a new tab.")
		}
		return out, nil
	}
}

// undelivered says that nothing reached the target although the page is there to
// be asked and nothing else explains it.
func undelivered(w watch, seen *testimony, out Outcome) bool {
	return seen != nil && received(w, seen) == 0 && seen.Connected && unexplained(out)
}

// received counts the events of the input that reached the target.
func received(w watch, seen *testimony) int {
	if slices.Contains(w.Types, "pointerdown") {
		return seen.Events["pointerdown"] + seen.Events["mousedown"]
	}
	return len(seen.Events)
}

// unexplained says that nothing else the browser did shows that the input arrived.
func unexplained(out Outcome) bool {
	return out.Navigation == nil && out.Dialog == nil && !out.TabClosed && len(out.NewTabs) == 0
}

// hearing is how long the witness may take once the page has handled the input;
// it has normally answered before. A page held by a dialog or leaving for another
// document gets a moment only: Chromium lets input pass calls, and then the
// question may have come too late.
const (
	hearing      = 100 * time.Millisecond
	hearingBrief = 5 * time.Millisecond
)

// listen asks for the testimony before the input is sent. The function returned
// waits for it; nil means that the page could not tell.
func (e *errand) listen(ctx context.Context) func(inputErr error) *testimony {
	e.excused = false
	pending, err := e.actor.worlds.Start(ctx, e.frame, "testimony", nil)
	if err != nil {
		return func(error) *testimony { return nil }
	}
	return func(inputErr error) *testimony {
		if !e.heard(ctx, pending, inputErr != nil) {
			return nil
		}
		var t testimony
		if pending.Wait(context.WithoutCancel(ctx), &t) != nil {
			return nil
		}
		return &t
	}
}

// heard waits until the testimony is there.
func (e *errand) heard(ctx context.Context, pending *world.Pending, blocked bool) bool {
	limit := hearing
	if blocked || e.leaving() {
		limit = hearingBrief
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		changed := e.actor.browser.State().Changed()
		select {
		case <-pending.Done():
			return true
		case <-changed:
			if limit == hearing && e.leaving() {
				limit = hearingBrief
				timer.Reset(limit)
			}
		case <-timer.C:
			if limit == hearingBrief {
				e.excused = true
				return false
			}
			// The final event did not come, or the page is slow: the witness is told
			// to say what it has.
			ask, stop := context.WithTimeoutCause(ctx, max(0, time.Until(e.end))+grace, errSlow)
			defer stop()
			return e.actor.worlds.Call(ask, e.frame, "testify", nil, nil) == nil
		}
	}
}

// leaving says that the frame is gone or on its way to another document.
func (e *errand) leaving() bool {
	return e.actor.browser.State().Frame(e.frame) == nil || e.going() != ""
}

// missed says that the press did not reach the target, and what it was held
// back from, in its frame or in those around it.
func (e *errand) missed(ctx context.Context, w watch, seen *testimony) (string, bool) {
	if seen == nil || !slices.Contains(w.Types, "pointerdown") {
		return "", false
	}
	if seen.Missed != "" {
		return seen.Missed, true
	}
	if seen.Events["pointerdown"]+seen.Events["mousedown"] > 0 {
		return "", false
	}
	for _, id := range e.guarded {
		var t testimony
		if err := e.actor.worlds.Call(ctx, id, "testify", nil, &t); err == nil && t.Missed != "" {
			return t.Missed, true
		}
	}
	return "", false
}

// ClickOptions say how to click.
type ClickOptions struct {
	Button Button // left if empty
	// Count is 1 for a click, 2 for a double click; 0 means 1.
	Count int
	// At is where, from the top left of the element's box; nil for the best point.
	At *Point
	// Held are modifier keys that are held meanwhile; see [ParseModifiers].
	Held []Key
}

// Click clicks an element with the mouse, as often as Count says: a double click
// is two whole clicks, as from a hand.
func (a *Actor) Click(ctx context.Context, t Target, o ClickOptions) (Outcome, error) {
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
	more := args{"choose": o.button() == Left && len(o.Held) == 0}
	if o.At != nil {
		more["at"] = *o.At
	}
	return e.perform(ctx, clickWatch(o.button(), count), more, func(at Point) sent {
		return a.clicks(e.session, at, o)
	})
}

// clickWatch: a right click ends with mouseup, for its click is an auxclick that
// a context menu may swallow.
func clickWatch(b Button, count int) watch {
	w := watch{Types: []string{"pointerdown", "mousedown", "pointerup", "mouseup", "click"}, Final: "click", Times: count}
	switch {
	case b != Left:
		w.Types = []string{"pointerdown", "mousedown", "pointerup", "mouseup", "auxclick", "contextmenu"}
		w.Final = "mouseup"
	case count == 2:
		w.Types = append(w.Types, "dblclick")
		w.Final, w.Times = "dblclick", 1
	}
	return w
}

// Hover moves the mouse onto an element.
func (a *Actor) Hover(ctx context.Context, t Target) (Outcome, error) {
	ctx, e, done, err := a.begin(ctx, "hover", t)
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	w := watch{Types: []string{"mousemove", "mouseover"}, Final: "mousemove", Behind: true}
	return e.perform(ctx, w, args{"needs": []string{"visible", "stable", "hit"}}, func(at Point) sent {
		return a.arrive(e.session, at)
	})
}

// Link returns where a link leads, for opening it elsewhere. The error is
// [api.ElementUnsuitable] for an element without an address.
func (a *Actor) Link(ctx context.Context, t Target) (string, error) {
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

// Place maps a point of a frame's viewport to the tab's viewport.
func (a *Actor) Place(ctx context.Context, frame model.FrameID, p Point) (Point, error) {
	ctx, e, done, err := a.begin(ctx, "place", Target{})
	if err != nil {
		return Point{}, err
	}
	defer done()
	at, err := a.place(ctx, frame, p)
	return at, e.faultOrNil(err)
}
