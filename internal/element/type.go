package element

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
)

// TypeOptions are the options of [Actor.Type].
type TypeOptions struct {
	Clear bool          // empty the field first
	Delay time.Duration // between characters
}

// Type enters text key by key after the present value: keydown, keypress, input and keyup for each character.
func (a *Actor) Type(ctx context.Context, t locate.Target, text string, opts TypeOptions) (Filled, error) {
	if !utf8.ValidString(text) {
		return Filled{}, api.Errorf(api.InvalidArgument, "type: the text is not valid UTF-8")
	}
	ctx, e, done, err := a.begin(ctx, "type", t)
	if err != nil {
		return Filled{}, err
	}
	defer done()
	o := e.observe()
	var p prepared
	doc, err := e.ask(ctx, "startType", args{"clear": opts.Clear}, &p)
	if err != nil {
		return Filled{}, err
	}
	o.out = Outcome{Element: p.Element.In(doc), Description: p.Shape, Attempts: 1}
	e.pinElement(o.out.Element)
	if p.Next == "press" {
		return e.typeInCell(ctx, text, opts.Delay)
	}
	if text == "" && !p.Editor && p.Next != "clear" {
		out, err := o.finish(ctx, nil, true)
		return Filled{Outcome: out, Value: p.Value}, err
	}
	if err := e.keysArrive(ctx); err != nil {
		return Filled{}, err
	}
	field := e.field(p.Drawn)
	if p.Editor || p.Next == "clear" {
		if err := field.Ready(ctx, p.Next); err != nil {
			out, err := o.finish(ctx, err, false)
			return Filled{Outcome: out}, err
		}
	}
	if err := a.input.Type(ctx, e.session, text, opts.Delay); err != nil {
		a.input.ForgetKeys()
		out, err := o.finish(ctx, err, false)
		return Filled{Outcome: out}, err
	}
	if p.Editor {
		_ = field.AwaitDeferred(ctx) // a page that does not answer fails the calls below, too
	}
	seen, value, known := e.takeEntered(ctx, false)
	if seen != nil {
		o.out.Events = seen.Events
	}
	out, err := o.finish(ctx, nil, seen != nil)
	if err == nil && text != "" && seen != nil && len(seen.Events) == 0 && seen.Connected && out.Navigation == nil && len(out.NewTabs) == 0 {
		return Filled{Outcome: out, Value: value}, api.Errorf(api.ActionNotDelivered, "type %s: %s has the focus, but received no key", e.target, p.Shape)
	}
	filled := Filled{Outcome: out, Value: value, Unknown: !known}
	if err == nil && text != "" && !known && !p.Editor && seen != nil && seen.Connected && !e.isLeaving() {
		handled, err := a.worlds.HandlesKeys(ctx, e.frame)
		filled.Unheard = err == nil && !handled // the keys were sent either way
	}
	return filled, err
}

// typeInCell presses a cell of a grid and types. Where the keys go is up to the grid, which may have a field elsewhere for them.
func (e *action) typeInCell(ctx context.Context, text string, delay time.Duration) (Filled, error) {
	a := e.actor
	out, err := e.perform(ctx, clickEvents(input.Left, 1), nil, func(at geometry.Point) input.Sent {
		return e.clicks(ctx, at, ClickOptions{})
	})
	if err != nil {
		return Filled{Outcome: out}, err
	}
	if out.Dialog != nil || out.TabClosed || len(out.NewTabs) > 0 || out.Navigation != nil && !out.Navigation.SameDocument {
		return Filled{Outcome: out}, api.Errorf(api.ActionNotDelivered, "type %s: the click that selects the cell has opened something else, and nothing was typed", e.target)
	}
	if err := e.field(false).AwaitDeferred(ctx); err != nil {
		return Filled{Outcome: out}, e.apiError(err)
	}
	o := e.observe()
	o.out = Outcome{Element: out.Element, Description: out.Description, Attempts: out.Attempts}
	err = a.input.Type(ctx, e.session, text, delay)
	if err != nil {
		a.input.ForgetKeys()
	}
	out, err = o.finish(ctx, err, false)
	filled := Filled{Outcome: out, Unknown: true}
	if err == nil && text != "" && !e.isLeaving() {
		handled, err := a.worlds.HandlesKeys(ctx, e.frame)
		filled.Unheard = err == nil && !handled
	}
	return filled, err
}

// keysArrive makes sure that keys go to the frame of the field before the first is sent: in a frame of another process
// the browser applies a new focus a moment after the page.
func (e *action) keysArrive(ctx context.Context) error {
	f := e.actor.browser.State().Frame(e.frame)
	if f == nil || f.Session == e.session {
		return nil
	}
	for try := 0; try < 20; try++ {
		var focus struct {
			HasFocus bool `json:"hasFocus"`
		}
		if err := e.actor.worlds.Call(ctx, e.frame, "windowFocus", nil, &focus); err != nil {
			return e.apiError(err)
		}
		if focus.HasFocus {
			return nil
		}
		if err := input.Sleep(ctx, pause); err != nil {
			return e.apiError(err)
		}
	}
	return api.Errorf(api.ActionNotDelivered, "%s %s: the frame did not get the keyboard focus", e.verb, e.target)
}
