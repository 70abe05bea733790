package input

import (
	"context"
	"fmt"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/geometry"
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

// Mouse returns the pointer's position and the pressed buttons, as MouseEvent.buttons.
func (d *Devices) Mouse() (at geometry.Point, held int64) { return d.at, d.held }

// pressure of a pressed button, as a mouse reports it (Pointer Events 3, §10.1).
const pressure = 0.5

func (d *Devices) mouseEvent(session string, kind input.DispatchMouseEventType, b Button, clicks int64) *Event {
	p := input.DispatchMouseEventParams{
		Type: kind, X: d.at.X, Y: d.at.Y, Modifiers: d.modifiers(), Button: input.MouseButton(b),
		Buttons: d.held, ClickCount: clicks, PointerType: input.DispatchMouseEventPointerTypeMouse,
	}
	if b == "" {
		p.Button = input.MouseButtonNone
		switch { // a move with a button down carries that button
		case d.held&1 != 0:
			p.Button = input.MouseButtonLeft
		case d.held&2 != 0:
			p.Button = input.MouseButtonRight
		case d.held&4 != 0:
			p.Button = input.MouseButtonMiddle
		}
	}
	if d.held != 0 {
		p.Force = pressure
	}
	return cdp.Start(d.browser.Session(session), input.DispatchMouseEvent, p)
}

// Move moves the pointer to a point.
func (d *Devices) Move(session string, p geometry.Point) *Event {
	d.at = p
	d.publish()
	return d.mouseEvent(session, input.DispatchMouseEventTypeMouseMoved, "", 0)
}

// MoveAndDeliver is Move for a last move. The renderer keeps a mouse move until its next frame, up to 16 ms away while
// frames come. Any other input makes it deliver at once, and a mouseReleased event without a button is one that no page
// can notice: it fires no event, whatever has the focus (both measured on Chromium 156, with every event type listened
// for:
// 12.5 ms become 0.7).
func (d *Devices) MoveAndDeliver(session string, p geometry.Point) Sent {
	move := Sent{d.Move(session, p)}
	if d.held != 0 {
		return move
	}
	return append(move, d.mouseEvent(session, input.DispatchMouseEventTypeMouseReleased, "", 0))
}

// MoveTwice is Move, preceded by a small move, for the first move after text was entered: a list that opened under the
// resting mouse ignores the first one, to prevent accidental choices (jQuery UI's autocomplete). A real mouse makes many
// moves.
func (d *Devices) MoveTwice(session string, p geometry.Point) Sent {
	if !d.typed || d.held != 0 || p == d.at {
		return Sent{d.Move(session, p)}
	}
	d.typed = false
	near := geometry.Point{X: d.at.X + 1, Y: d.at.Y}
	if p.X < d.at.X {
		near.X = d.at.X - 1
	}
	return append(d.MoveAndDeliver(session, near), d.Move(session, p))
}

// Press presses a button; clicks counts the presses of a multiple click, from 1.
func (d *Devices) Press(session string, b Button, clicks int64) *Event {
	if d.held == 0 {
		d.pressedIn = d.document()
	}
	d.held |= b.bit()
	d.entered = false
	d.publish()
	return d.mouseEvent(session, input.DispatchMouseEventTypeMousePressed, b, clicks)
}

// Entered reports whether text was entered since a button was last pressed.
func (d *Devices) Entered() bool { return d.entered }

// Release releases a button, like Press.
func (d *Devices) Release(session string, b Button, clicks int64) *Event {
	d.held &^= b.bit()
	d.publish()
	return d.mouseEvent(session, input.DispatchMouseEventTypeMouseReleased, b, clicks)
}

// document returns the loader of the tab's document.
func (d *Devices) document() string {
	if tab := d.browser.State().Tabs[d.tab]; tab != nil && tab.MainFrame() != nil {
		return tab.MainFrame().Loader
	}
	return ""
}

// LetGo releases the buttons that were pressed in a document that is gone, and cancels a drag of HTML that began there: Chromium
// gives the page no other mouse event while one lasts.
func (d *Devices) LetGo(ctx context.Context, session string) error {
	if d.held == 0 || d.pressedIn == d.document() {
		return nil
	}
	if _, err := cdp.Do(ctx, d.browser.Session(session), input.CancelDragging, protocol.Empty{}); err != nil {
		return fmt.Errorf("cancel a drag: %w", err)
	}
	var all Sent
	for _, b := range []Button{Left, Right, Middle} {
		if d.held&b.bit() != 0 {
			all = append(all, d.Release(session, b, 1))
		}
	}
	if err := all.Wait(ctx); err != nil {
		return fmt.Errorf("release the mouse: %w", err)
	}
	return nil
}

// At returns the mouse's position.
func (d *Devices) At() geometry.Point { return d.at }

// MoveInSteps moves in equal steps over a time.
func (d *Devices) MoveInSteps(ctx context.Context, session string, to geometry.Point, steps int, spread time.Duration) error {
	from := d.at
	path := Path{Spread: spread}
	for i := 1; i <= steps; i++ {
		f := float64(i) / float64(steps)
		path.Points = append(path.Points, geometry.Point{X: from.X + (to.X-from.X)*f, Y: from.Y + (to.Y-from.Y)*f})
	}
	return d.Follow(ctx, session, path)
}

// Path is a movement of the mouse: points at equal intervals, the last one at the end.
type Path struct {
	Points []geometry.Point
	Spread time.Duration
}

// Follow moves along a path, and the page handles each move before the next is sent: the renderer merges the moves that
// wait for the same frame, and of twelve sent at once a page saw one to three (measured on Chromium 156).
func (d *Devices) Follow(ctx context.Context, session string, path Path) error {
	began := time.Now()
	for i, at := range path.Points {
		if err := d.MoveAndDeliver(session, at).Wait(ctx); err != nil {
			return err
		}
		if err := Sleep(ctx, time.Until(began.Add(path.Spread*time.Duration(i+1)/time.Duration(len(path.Points))))); err != nil {
			return err
		}
	}
	return nil
}

// Wheel turns the wheel, in CSS pixels: positive is down and right. CDP replies once the event is on its way to the page,
// which keeps it until its next frame. An event without effect behind it, as for [Devices.MoveAndDeliver], makes the page handle
// it at once, and is replied to afterwards. handled is false while a button is down: then no such event can be sent.
func (d *Devices) Wheel(ctx context.Context, session string, dx, dy float64) (handled bool, err error) {
	// Not the typed command: it omits zeroes, and the browser requires both deltas.
	err = d.browser.Session(session).Call(ctx, input.CommandDispatchMouseEvent, map[string]any{
		"type": input.DispatchMouseEventTypeMouseWheel, "x": d.at.X, "y": d.at.Y, "deltaX": dx, "deltaY": dy,
		"modifiers": d.modifiers(), "buttons": d.held, "pointerType": input.DispatchMouseEventPointerTypeMouse,
	}, nil)
	if err == nil && d.held == 0 {
		handled = true
		err = Sent{d.mouseEvent(session, input.DispatchMouseEventTypeMouseReleased, "", 0)}.Wait(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("turn the wheel: %w", err)
	}
	return handled, nil
}

// CancelDrag cancels a drag of HTML at a point.
func (d *Devices) CancelDrag(ctx context.Context, session string, at geometry.Point) error {
	_, err := cdp.Do(ctx, d.browser.Session(session), input.DispatchDragEvent, input.DispatchDragEventParams{
		Type: input.DispatchDragEventTypeDragCancel, X: at.X, Y: at.Y,
		Data: &input.DragData{Items: []*input.DragDataItem{}, DragOperationsMask: 1},
	})
	if err != nil {
		return fmt.Errorf("cancel a drag: %w", err)
	}
	return nil
}

// Pointer is the state of the mouse.
type Pointer struct {
	At      geometry.Point
	Pressed bool // some button is down
}

// publish makes the state of the mouse known to [Devices.Pointer].
func (d *Devices) publish() { d.pointer.Store(&Pointer{d.at, d.held != 0}) }

// Pointer returns the state of the mouse; nil if it was not used. Any goroutine may call it.
func (d *Devices) Pointer() *Pointer { return d.pointer.Load() }
