package act

import (
	"context"

	"github.com/usher-browser/usher/internal/command/navigate"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

// simple makes the behaviour of a verb that does one thing to one element and
// tells so under key.
func simple(key string, do func(context.Context, *element.Actor, element.Target) (element.Outcome, error)) run.Func {
	return func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
		t, err := e.Target(c, "selector")
		if err != nil {
			return run.Result{}, err
		}
		return e.ActOn(ctx, c.Verb.Name+" "+c.Str("selector"), run.Object{key: c.Str("selector")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return do(ctx, a, t)
		})
	}
}

func click(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	opts, err := clickOptions(c)
	if err != nil {
		return run.Result{}, err
	}
	if !c.Has("selector") {
		return e.ActOn(ctx, "click --at "+c.Str("at"), run.Object{"clicked": c.Str("at")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return a.ClickAt(ctx, *opts.At, opts)
		})
	}
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Result{}, err
	}
	if !c.Bool("new-tab") {
		return e.ActOn(ctx, "click "+c.Str("selector"), run.Object{"clicked": c.Str("selector")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return a.Click(ctx, t, opts)
		})
	}
	var href string
	err = e.Act(ctx, "click "+c.Str("selector"), func(ctx context.Context, a *element.Actor) (err error) {
		href, err = a.Link(ctx, t)
		return err
	})
	if err != nil {
		return run.Result{}, err
	}
	if _, err := navigate.NewTab(ctx, e, false); err != nil {
		return run.Result{}, err
	}
	opened, err := navigate.Navigate(ctx, e, href)
	if err != nil {
		return run.Result{}, err
	}
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Result{}, err
	}
	return run.Result{
		Data:    run.Object{"clicked": c.Str("selector"), "newTab": true, "url": tab.URL, "tabId": run.TabID(tab)},
		Text:    run.Done + "\n  opened tab [" + run.TabID(tab) + "], now active: " + tab.URL,
		Warning: opened.Warning,
	}, nil
}

// clickOptions reads how to click.
func clickOptions(c *verb.Call) (opts element.ClickOptions, err error) {
	opts.Count = c.Int("count")
	if opts.Button, err = element.ParseButton(c.Str("button")); err != nil {
		return opts, err
	}
	if opts.Held, err = element.ParseModifiers(c.Str("modifiers")); err != nil {
		return opts, err
	}
	if c.Has("at") {
		x, y, err := verb.ParsePoint(c.Str("at"))
		if err != nil {
			return opts, err
		}
		opts.At = &element.Point{X: x, Y: y}
	}
	return opts, nil
}

func toggle(key string, on bool) run.Func {
	return simple(key, func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
		out, err := a.Check(ctx, t, on)
		return out.Outcome, err
	})
}

func fill(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	return enter(ctx, e, c, run.Object{"filled": c.Str("selector")}, func(ctx context.Context, a *element.Actor, t element.Target) (element.Filled, error) {
		return a.Fill(ctx, t, c.Rest("text"))
	})
}

func typeText(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	opts := element.TypeOptions{Clear: c.Bool("clear"), Delay: c.Dur("delay")}
	return enter(ctx, e, c, run.Object{"typed": c.Rest("text")}, func(ctx context.Context, a *element.Actor, t element.Target) (element.Filled, error) {
		return a.Type(ctx, t, c.Rest("text"), opts)
	})
}

// enter runs an action that puts text into a field. It warns when the field
// holds something else afterwards: a mask, a limit, a script.
func enter(ctx context.Context, e *run.Env, c *verb.Call, data run.Object, do func(context.Context, *element.Actor, element.Target) (element.Filled, error)) (run.Result, error) {
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Result{}, err
	}
	var field element.Filled
	res, err := e.ActOn(ctx, c.Verb.Name+" "+c.Str("selector"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		var err error
		field, err = do(ctx, a, t)
		return field.Outcome, err
	})
	if err != nil {
		return run.Result{}, err
	}
	same := element.HoldsText
	if c.Verb.Name == "fill" || c.Bool("clear") {
		same = element.SameText
	}
	if text := c.Rest("text"); res.Data.(run.Object)["navigation"] == nil && res.Data.(run.Object)["dialog"] == nil && !field.Unknown && !same(field.Value, text) {
		data["value"] = field.Value
		res.Warning = "the field now holds " + run.Quote(field.Value) + ", not exactly what was entered"
	}
	return res, nil
}

func selectOptions(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Result{}, err
	}
	data := run.Object{}
	return e.ActOn(ctx, "select "+c.Str("selector"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		out, err := a.Select(ctx, t, c.List("values")...)
		data["selected"] = out.Values
		return out.Outcome, err
	})
}

func drag(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	from, err := e.Target(c, "source")
	if err != nil {
		return run.Result{}, err
	}
	to, err := e.Target(c, "target")
	if err != nil {
		return run.Result{}, err
	}
	opts := element.DragOptions{Hold: c.Dur("hold")}
	data := run.Object{"dragged": true, "source": c.Str("source"), "target": c.Str("target")}
	var out element.Dragged
	res, err := e.ActOn(ctx, "drag "+c.Str("source"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		var err error
		out, err = a.Drag(ctx, from, to, opts)
		return out.Outcome, err
	})
	if err != nil {
		return run.Result{}, err
	}
	if line := dragLine(data, &out); line != "" {
		res.Text += "\n  " + line
	}
	return res, nil
}

// dragLine tells what a drag did to the page, and adds it to data.
func dragLine(data run.Object, out *element.Dragged) string {
	if !out.Told {
		return ""
	}
	data["changed"], data["moved"] = out.Changed, out.Moved
	effect := ""
	if out.Effect != "" {
		data["dropEffect"] = out.Effect
		effect = " (dropEffect " + out.Effect + ")"
	}
	switch {
	case out.Moved:
		return "what was dragged is at another place now" + effect
	case out.Changed:
		return "what was dragged stands where it was, and the page changed elsewhere" + effect
	}
	return "nothing in the page changed" + effect + "; `--hold 1s` is for lists that wait for a long press, `snapshot` shows what else takes a drop"
}

func scroll(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
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
		return run.Result{}, err
	}
	var within *element.Target
	if e.Frame != "" {
		within = &element.Target{Frame: e.Frame, Timeout: e.Limit}
	}
	if c.Has("selector") {
		t, err := e.Target(c, "selector")
		if err != nil {
			return run.Result{}, err
		}
		within = &t
	}
	var out element.Scrolled
	err = e.Act(ctx, "scroll", func(ctx context.Context, a *element.Actor) (err error) {
		out, err = a.Scroll(ctx, within, dx, dy)
		return err
	})
	if err != nil {
		return run.Result{}, err
	}
	data := run.Object{"scrolled": true, "moved": run.Object{"x": out.Moved.X, "y": out.Moved.Y}, "atEnd": out.AtEnd()}
	text := run.Done
	switch {
	case out.Wheel:
	case out.Moved == element.Point{}:
		data["scrolled"] = false
		text = "✓ Nothing moved: " + out.Scroller + " is at its end already"
	case out.AtEnd():
		text += " (" + out.Scroller + " is at its end now)"
	}
	return run.Result{Data: data, Text: text}, nil
}
