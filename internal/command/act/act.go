package act

import (
	"context"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/navigate"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/entry"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/key"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/verb"
)

// onElement makes the handler of a command that does one thing to one element. data makes its data of how the element
// was named.
func onElement[T run.OutcomeData](data func(selector string) T, do func(context.Context, *element.Actor, locate.Target) (element.Outcome, error)) run.Handler {
	return run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[T], error) {
		t, err := e.Target(c, "selector")
		if err != nil {
			return run.Reply[T]{}, err
		}
		return run.ActOn(ctx, e, c.Verb.Name+" "+c.Str("selector"), data(c.Str("selector")), func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return do(ctx, a, t)
		})
	})
}

func click(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Clicked], error) {
	opts, err := clickOptions(c)
	if err != nil {
		return run.Reply[*Clicked]{}, err
	}
	if !c.Has("selector") {
		return run.ActOn(ctx, e, "click --at "+c.Str("at"), &Clicked{Clicked: c.Str("at")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return a.ClickAt(moving(ctx, c), *opts.At, opts)
		})
	}
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Reply[*Clicked]{}, err
	}
	if !c.Bool("new-tab") {
		return run.ActOn(ctx, e, "click "+c.Str("selector"), &Clicked{Clicked: c.Str("selector")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return a.Click(moving(ctx, c), t, opts)
		})
	}
	var href string
	err = e.Act(ctx, "click "+c.Str("selector"), func(ctx context.Context, a *element.Actor) (err error) {
		href, err = a.Link(ctx, t)
		return err
	})
	if err != nil {
		return run.Reply[*Clicked]{}, err
	}
	tab, warning, err := navigate.NewTabAt(ctx, e, href, 0)
	if err != nil {
		return run.Reply[*Clicked]{}, err
	}
	return run.Reply[*Clicked]{
		Data:    &Clicked{Clicked: c.Str("selector"), Outcome: api.Outcome{NewTab: true, URL: tab.URL, TabID: run.TabID(tab)}},
		Text:    run.Done + "\n  opened tab [" + run.TabID(tab) + "], now active: " + tab.URL,
		Warning: warning,
	}, nil
}

func dblclick(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Clicked], error) {
	return atPoint(ctx, e, c, &Clicked{Clicked: c.Str("selector")}, func(ctx context.Context, a *element.Actor, t locate.Target, at *geometry.Point) (element.Outcome, error) {
		return a.Click(ctx, t, element.ClickOptions{Count: 2, At: at})
	})
}

func hover(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Hovered], error) {
	return atPoint(ctx, e, c, &Hovered{Hovered: c.Str("selector")}, func(ctx context.Context, a *element.Actor, t locate.Target, at *geometry.Point) (element.Outcome, error) {
		return a.HoverAt(ctx, t, at)
	})
}

// atPoint runs an action of the mouse on an element, at the point that --at names.
func atPoint[T run.OutcomeData](ctx context.Context, e *run.Env, c *verb.Call, data T, do func(context.Context, *element.Actor, locate.Target, *geometry.Point) (element.Outcome, error)) (run.Reply[T], error) {
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Reply[T]{}, err
	}
	at, err := pointOf(c)
	if err != nil {
		return run.Reply[T]{}, err
	}
	return run.ActOn(ctx, e, c.Verb.Name+" "+c.Str("selector"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		return do(ctx, a, t, at)
	})
}

// pointOf reads --at; nil without it.
func pointOf(c *verb.Call) (*geometry.Point, error) {
	if !c.Has("at") {
		return nil, nil //nolint:nilnil // no point is no failure
	}
	x, y, err := verb.ParsePoint(c.Str("at"))
	if err != nil {
		return nil, err
	}
	return &geometry.Point{X: x, Y: y}, nil
}

// moving returns a context in which the mouse moves as --human says, if it is given.
func moving(ctx context.Context, c *verb.Call) context.Context {
	if c.Bool("human") {
		return element.WithPointer(ctx, element.Human)
	}
	return ctx
}

// clickOptions reads how to click.
func clickOptions(c *verb.Call) (opts element.ClickOptions, err error) {
	opts.Count = c.Int("count")
	if opts.Button, err = input.ParseButton(c.Str("button")); err != nil {
		return opts, err
	}
	if opts.Held, err = key.ParseModifiers(c.Str("modifiers")); err != nil {
		return opts, err
	}
	opts.At, err = pointOf(c)
	return opts, err
}

func toggle(on bool) func(context.Context, *element.Actor, locate.Target) (element.Outcome, error) {
	return func(ctx context.Context, a *element.Actor, t locate.Target) (element.Outcome, error) {
		out, err := a.Check(ctx, t, on)
		return out.Outcome, err
	}
}

func fill(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Filled], error) {
	return enter(ctx, e, c, &Filled{Filled: c.Str("selector")}, func(ctx context.Context, a *element.Actor, t locate.Target) (element.Filled, error) {
		return a.Fill(ctx, t, c.Rest("text"))
	})
}

func typeText(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Typed], error) {
	opts := element.TypeOptions{Clear: c.Bool("clear"), Delay: c.Dur("delay")}
	return enter(ctx, e, c, &Typed{Typed: c.Rest("text")}, func(ctx context.Context, a *element.Actor, t locate.Target) (element.Filled, error) {
		return a.Type(ctx, t, c.Rest("text"), opts)
	})
}

// enter runs an action that enters text into a field. It returns a warning when the field has another value afterwards:
// a mask, a limit, a script.
func enter[T run.OutcomeData](ctx context.Context, e *run.Env, c *verb.Call, data T, do func(context.Context, *element.Actor, locate.Target) (element.Filled, error)) (run.Reply[T], error) {
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Reply[T]{}, err
	}
	var field element.Filled
	res, err := run.ActOn(ctx, e, c.Verb.Name+" "+c.Str("selector"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		var err error
		field, err = do(ctx, a, t)
		return field.Outcome, err
	})
	if err != nil {
		return run.Reply[T]{}, err
	}
	warnOfField(&res, &field, c.Rest("text"), c.Verb.Name == "fill" || c.Bool("clear"))
	return res, nil
}

// warnOfField adds a warning to the result of entering text if the field does not hold that now, or was no field. whole is whether the
// text is all that it should hold.
func warnOfField[T run.OutcomeData](res *run.Reply[T], field *element.Filled, text string, whole bool) {
	same := entry.HoldsText
	if whole {
		same = entry.SameText
	}
	note := ""
	if field.Unheard {
		note = "the keys had no effect: the element holds no text, and nothing in the page listens for keys there"
	}
	if seen := res.Data.Base(); seen.Navigation == nil && seen.Dialog == nil && !field.Unknown && !same(field.Value, text) {
		seen.Value = &field.Value
		note = "the field now holds " + run.Quote(field.Value) + ", not exactly what was entered"
	}
	res.Warning = api.JoinWarnings(res.Warning, note)
}

func selectOptions(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Selected], error) {
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Reply[*Selected]{}, err
	}
	data, out := &Selected{}, element.Selected{}
	res, err := run.ActOn(ctx, e, "select "+c.Str("selector"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		var err error
		out, err = a.Select(ctx, t, c.List("values")...)
		data.Selected = out.Values
		return out.Outcome, err
	})
	if err == nil {
		res.Warning = api.JoinWarnings(res.Warning, missedChoice(&out))
	}
	return res, err
}

// missedChoice says what to do where a list, or what the page draws for it, has another choice than was made; empty if
// it has not.
func missedChoice(out *element.Selected) string {
	switch {
	case out.Undone && out.Hidden:
		return "the page changed the list to " + run.Quote(strings.Join(out.Values, ", ")) + "; it is hidden: click what the page draws for it, then the option"
	case out.Undone:
		return "the page changed the list to " + run.Quote(strings.Join(out.Values, ", ")) + ", not exactly what was selected"
	case out.Unshown:
		return "the list is hidden, and what the page draws for it does not show the choice: click that, then the option"
	}
	return ""
}

func drag(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Dragged], error) {
	from, err := e.Target(c, "source")
	if err != nil {
		return run.Reply[*Dragged]{}, err
	}
	var to locate.Target
	opts := element.DragOptions{Hold: c.Dur("hold"), HoldsPointer: !c.Has("hold")}
	data := &Dragged{Dragged: true, Source: c.Str("source")}
	if c.Has("target") {
		if x, y, err := verb.ParsePoint(c.Str("target")); err == nil {
			return run.Reply[*Dragged]{}, api.Errorf(api.InvalidArgument, "drag: %v,%v is a point, not an element", x, y).
				WithHint("Leave the target out, and name the point of the viewport with --at %v,%v.", x, y)
		}
		if to, err = e.Target(c, "target"); err != nil {
			return run.Reply[*Dragged]{}, err
		}
		data.Target = c.Str("target")
	}
	if opts.At, err = pointOf(c); err != nil {
		return run.Reply[*Dragged]{}, err
	}
	data.At, data.By = c.Str("at"), c.Str("by")
	if data.By != "" {
		dx, dy, err := verb.ParsePoint(data.By)
		if err != nil {
			return run.Reply[*Dragged]{}, err
		}
		opts.By = &geometry.Point{X: dx, Y: dy}
	}
	var out element.Dragged
	res, err := run.ActOn(ctx, e, "drag "+c.Str("source"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		var err error
		out, err = a.Drag(moving(ctx, c), from, to, opts)
		return out.Outcome, err
	})
	if err != nil {
		return run.Reply[*Dragged]{}, err
	}
	if out.Observed && !out.Changed {
		res.Text = strings.Replace(res.Text, run.Done, "✓ Dragged, without effect", 1)
	}
	if line := dragLine(data, &out); line != "" {
		res.Text += "\n  " + line
	}
	return res, nil
}

// dragLine returns the effect of a drag on the page as text, and adds it to data.
func dragLine(data *Dragged, out *element.Dragged) string {
	if !out.Observed {
		return ""
	}
	data.Changed = &out.Changed
	if !out.Gone {
		data.Moved = &out.Moved
	}
	effect := ""
	if out.Effect != "" {
		data.DropEffect = out.Effect
		effect = " (dropEffect " + out.Effect + ")"
	}
	data.Value = out.Value
	switch {
	case out.Value != "":
		return "its value is " + out.Value + " now" + effect
	case out.Moved:
		return "the dragged element moved" + effect
	case out.Gone && out.Changed:
		return "the page changed, and the dragged element was removed or drawn anew" + effect
	case out.Changed:
		return "the dragged element did not move, and the page changed elsewhere" + effect
	}
	return "nothing in the page changed" + effect + "; try `--hold 1s` for lists that need a long press, or find another drop target with `snapshot`"
}

func scroll(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Scrolled], error) {
	distance := float64(element.DefaultScroll)
	if c.Has("pixels") {
		distance = c.Float("pixels")
	}
	direction := c.Str("direction")
	if direction == "" {
		direction = "down"
	}
	dx, dy, err := element.ParseDirection(direction, distance)
	if err != nil {
		return run.Reply[*Scrolled]{}, err
	}
	var within *locate.Target
	if e.Frame != "" {
		within = &locate.Target{Frame: e.Frame, Timeout: e.Limit}
	}
	if c.Has("selector") {
		t, err := e.Target(c, "selector")
		if err != nil {
			return run.Reply[*Scrolled]{}, err
		}
		within = &t
	}
	var out element.Scrolled
	err = e.Act(ctx, "scroll", func(ctx context.Context, a *element.Actor) (err error) {
		out, err = a.Scroll(ctx, within, dx, dy)
		return err
	})
	if err != nil {
		return run.Reply[*Scrolled]{}, err
	}
	data := &Scrolled{Scrolled: true, Moved: Distance{out.Moved.X, out.Moved.Y}, AtEnd: out.AtEnd()}
	text := run.Done
	switch {
	case out.Wheel:
	case out.Fixed:
		data.Scrolled = false
		text = "✓ Nothing moved: " + out.Scroller + " has nothing to scroll that way, and nothing in the page listens to the mouse wheel"
	case out.Moved == geometry.Point{}:
		data.Scrolled = false
		text = "✓ Nothing moved: " + out.Scroller + " is already at its end"
	case out.AtEnd():
		text += " (" + out.Scroller + " is at its end now)"
	case out.Outside:
		text += " (scrolled " + out.Scroller + ": the element itself has nothing to scroll that way)"
	}
	return run.Reply[*Scrolled]{Data: data, Text: text}, nil
}
