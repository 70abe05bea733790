package element

import (
	"context"
	"fmt"
	"math"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Button is a mouse button.
type Button string

// The mouse buttons.
const (
	Left   Button = "left"
	Right  Button = "right"
	Middle Button = "middle"
)

// ParseButton parses a button's name; empty is the left one. The error is [api.InvalidArgument].
func ParseButton(s string) (Button, error) {
	switch b := Button(s); b {
	case "":
		return Left, nil
	case Left, Right, Middle:
		return b, nil
	}
	return "", api.Errorf(api.InvalidArgument, "there is no mouse button %q", s).WithHint("Buttons are left, right and middle.")
}

// bit returns the button's bit in MouseEvent.buttons.
func (b Button) bit() int64 {
	switch b {
	case Right:
		return 2
	case Middle:
		return 4
	}
	return 1
}

// mouse is the position of a tab's pointer and the buttons that are down.
type mouse struct {
	at   geometry.Point
	held int64 // buttons, as MouseEvent.buttons
}

// sent is input on its way.
type sent []*cdp.Pending[protocol.Empty]

// wait returns when the page has handled all of it.
func (s sent) wait(ctx context.Context) error {
	for _, p := range s {
		if _, err := p.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lifeSign is how often a page that handles much input is reported as responsive.
const lifeSign = 100 * time.Millisecond

// handled waits until the page has handled one of many events sent ahead.
func (a *Actor) handled(ctx context.Context, p *cdp.Pending[protocol.Empty]) error {
	_, err := p.Wait(ctx)
	if err == nil && time.Since(a.signed) >= lifeSign {
		a.browser.InputHandled(a.tab)
		a.signed = time.Now()
	}
	return err
}

// pressure of a pressed button, as a mouse reports it (Pointer Events 3, §10.1).
const pressure = 0.5

func (a *Actor) mouseEvent(session string, kind input.DispatchMouseEventType, b Button, clicks int64) *cdp.Pending[protocol.Empty] {
	p := input.DispatchMouseEventParams{
		Type: kind, X: a.mouse.at.X, Y: a.mouse.at.Y, Modifiers: a.keys.modifiers(), Button: input.MouseButton(b),
		Buttons: a.mouse.held, ClickCount: clicks, PointerType: input.DispatchMouseEventPointerTypeMouse,
	}
	if b == "" {
		p.Button = input.MouseButtonNone
		switch { // a move with a button down carries that button
		case a.mouse.held&1 != 0:
			p.Button = input.MouseButtonLeft
		case a.mouse.held&2 != 0:
			p.Button = input.MouseButtonRight
		case a.mouse.held&4 != 0:
			p.Button = input.MouseButtonMiddle
		}
	}
	if a.mouse.held != 0 {
		p.Force = pressure
	}
	return cdp.Start(a.browser.Session(session), input.DispatchMouseEvent, p)
}

func (a *Actor) moveTo(session string, p geometry.Point) *cdp.Pending[protocol.Empty] {
	a.mouse.at = p
	return a.mouseEvent(session, input.DispatchMouseEventTypeMouseMoved, "", 0)
}

// arrive is moveTo for a last move. The renderer keeps a mouse move until its next frame, up to 16 ms away while frames
// come. Any other input makes it deliver at once, and a mouseReleased event without a button is one that no page can
// notice: it fires no event, whatever has the focus (both measured on Chromium 156, with every event type listened for:
// 12.5 ms become 0.7).
func (a *Actor) arrive(session string, p geometry.Point) sent {
	move := sent{a.moveTo(session, p)}
	if a.mouse.held != 0 {
		return move
	}
	return append(move, a.mouseEvent(session, input.DispatchMouseEventTypeMouseReleased, "", 0))
}

func (a *Actor) press(session string, b Button, clicks int64) *cdp.Pending[protocol.Empty] {
	a.mouse.held |= b.bit()
	return a.mouseEvent(session, input.DispatchMouseEventTypeMousePressed, b, clicks)
}

func (a *Actor) release(session string, b Button, clicks int64) *cdp.Pending[protocol.Empty] {
	a.mouse.held &^= b.bit()
	return a.mouseEvent(session, input.DispatchMouseEventTypeMouseReleased, b, clicks)
}

// MoveOptions are the options of [Actor.MouseMove].
type MoveOptions struct {
	Steps    int           // number of moves, 1 if 0
	Duration time.Duration // spread over this time; for several moves 0 means glideTime
}

// glideTime is the default duration of several moves: long enough that a page sees each move, also libraries that poll
// the mouse position (SortableJS every 50 ms).
const glideTime = 150 * time.Millisecond

// MouseMove moves the pointer to a point of the tab's viewport.
func (a *Actor) MouseMove(ctx context.Context, to geometry.Point, o MoveOptions) error {
	ctx, e, done, err := a.begin(ctx, "mouse move", Target{})
	if err != nil {
		return err
	}
	defer done()
	if math.IsNaN(to.X) || math.IsNaN(to.Y) || math.IsInf(to.X, 0) || math.IsInf(to.Y, 0) {
		return api.Errorf(api.InvalidArgument, "mouse move: %v, %v is not a point", to.X, to.Y)
	}
	if o.Steps > 1 && o.Duration == 0 {
		o.Duration = glideTime
	}
	return e.faultOrNil(a.glide(ctx, e.session, to, max(1, o.Steps), o.Duration))
}

// glide moves in equal steps, and the page handles each before the next is sent: the renderer merges the moves that wait
// for the same frame, and of twelve sent at once a page saw one to three (measured on Chromium 156).
func (a *Actor) glide(ctx context.Context, session string, to geometry.Point, steps int, d time.Duration) error {
	from, began := a.mouse.at, time.Now()
	for i := 1; i <= steps; i++ {
		f := float64(i) / float64(steps)
		if err := a.arrive(session, geometry.Point{X: from.X + (to.X-from.X)*f, Y: from.Y + (to.Y-from.Y)*f}).wait(ctx); err != nil {
			return err
		}
		if err := sleep(ctx, time.Until(began.Add(d*time.Duration(i)/time.Duration(steps)))); err != nil {
			return err
		}
	}
	return nil
}

// MouseDown presses a button at the pointer's position.
func (a *Actor) MouseDown(ctx context.Context, b Button) error {
	return a.button(ctx, "mouse down", func(session string) *cdp.Pending[protocol.Empty] { return a.press(session, b, 1) })
}

// MouseUp releases a button at the pointer's position.
func (a *Actor) MouseUp(ctx context.Context, b Button) error {
	return a.button(ctx, "mouse up", func(session string) *cdp.Pending[protocol.Empty] { return a.release(session, b, 1) })
}

// button sends one button event. A dialog that it opens is not an error: the
// press happened.
func (a *Actor) button(ctx context.Context, verb string, send func(string) *cdp.Pending[protocol.Empty]) error {
	ctx, e, done, err := a.begin(ctx, verb, Target{})
	if err != nil {
		return err
	}
	defer done()
	err = sent{send(e.session)}.wait(ctx)
	if blocked := a.browser.Blocked(err, a.tab); blocked != nil && blocked.Dialog != nil {
		return nil
	}
	return e.faultOrNil(err)
}

// MouseWheel turns the wheel at the pointer's position, in CSS pixels: positive is down and right.
func (a *Actor) MouseWheel(ctx context.Context, dx, dy float64) error {
	ctx, e, done, err := a.begin(ctx, "mouse wheel", Target{})
	if err != nil {
		return err
	}
	defer done()
	return e.faultOrNil(a.wheel(ctx, e.session, dx, dy))
}

func (a *Actor) wheel(ctx context.Context, session string, dx, dy float64) error {
	// Not the typed command: it omits zeroes, and the browser requires both deltas.
	err := a.browser.Session(session).Call(ctx, input.CommandDispatchMouseEvent, map[string]any{
		"type": input.DispatchMouseEventTypeMouseWheel, "x": a.mouse.at.X, "y": a.mouse.at.Y, "deltaX": dx, "deltaY": dy,
		"modifiers": a.keys.modifiers(), "buttons": a.mouse.held, "pointerType": input.DispatchMouseEventPointerTypeMouse,
	}, nil)
	if err != nil {
		return fmt.Errorf("turn the wheel: %w", err)
	}
	// CDP replies before the page handles the event, which waits for a frame.
	return a.worlds.Call(ctx, model.FrameID(a.tab), "drawn", nil, nil)
}

// Mouse returns the pointer's position and the pressed buttons, as MouseEvent.buttons.
func (a *Actor) Mouse() (at geometry.Point, held int64) {
	a.turn <- struct{}{}
	defer func() { <-a.turn }()
	return a.mouse.at, a.mouse.held
}

func (e *action) faultOrNil(err error) error {
	if err == nil {
		return nil
	}
	return e.fault(err)
}
