package ops

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

func actVerbs() map[string]Func {
	return map[string]Func{
		"click": click,
		"dblclick": simple("clicked", func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
			return a.Click(ctx, t, element.ClickOptions{Count: 2})
		}),
		"hover": simple("hovered", func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
			return a.Hover(ctx, t)
		}),
		"focus": simple("focused", func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
			el, err := a.Focus(ctx, t)
			return element.Outcome{Element: el}, err
		}),
		"scrollintoview": simple("scrolled", func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
			el, err := a.ScrollIntoView(ctx, t)
			return element.Outcome{Element: el}, err
		}),
		"check":   toggle("checked", true),
		"uncheck": toggle("unchecked", false),
		"fill":    fill,
		"type":    typeText,
		"select":  selectOptions,
		"drag":    drag,
		"upload":  upload,
		"scroll":  scroll,
	}
}

// simple makes the behaviour of a verb that does one thing to one element and
// tells so under key.
func simple(key string, do func(context.Context, *element.Actor, element.Target) (element.Outcome, error)) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		t, err := e.target(c, "selector")
		if err != nil {
			return Result{}, err
		}
		return e.actOn(ctx, c.Verb.Name+" "+c.Str("selector"), obj{key: c.Str("selector")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return do(ctx, a, t)
		})
	}
}

// actOn runs an action and describes what came of it.
func (e *Env) actOn(ctx context.Context, doing string, data obj, do func(context.Context, *element.Actor) (element.Outcome, error)) (Result, error) {
	var out element.Outcome
	err := e.act(ctx, doing, func(ctx context.Context, a *element.Actor) (err error) {
		out, err = do(ctx, a)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	e.acted = out.Element
	return e.outcome(ctx, data, &out)
}

func quote(s string) string {
	const most = 200
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return `"` + s + `"`
}

func click(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	opts, err := clickOptions(c)
	if err != nil {
		return Result{}, err
	}
	if !c.Has("selector") {
		return e.actOn(ctx, "click --at "+c.Str("at"), obj{"clicked": c.Str("at")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return a.ClickAt(ctx, *opts.At, opts)
		})
	}
	t, err := e.target(c, "selector")
	if err != nil {
		return Result{}, err
	}
	if !c.Bool("new-tab") {
		return e.actOn(ctx, "click "+c.Str("selector"), obj{"clicked": c.Str("selector")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return a.Click(ctx, t, opts)
		})
	}
	var href string
	err = e.act(ctx, "click "+c.Str("selector"), func(ctx context.Context, a *element.Actor) (err error) {
		href, err = a.Link(ctx, t)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	if _, err := e.newTab(ctx, false); err != nil {
		return Result{}, err
	}
	opened, err := e.Navigate(ctx, href)
	if err != nil {
		return Result{}, err
	}
	tab, err := e.tab()
	if err != nil {
		return Result{}, err
	}
	return Result{
		Data:    obj{"clicked": c.Str("selector"), "newTab": true, "url": tab.URL, "tabId": tabID(tab)},
		Text:    done + "\n  opened tab [" + tabID(tab) + "], now active: " + tab.URL,
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

func toggle(key string, on bool) Func {
	return simple(key, func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
		out, err := a.Check(ctx, t, on)
		return out.Outcome, err
	})
}

func fill(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	return e.enter(ctx, c, obj{"filled": c.Str("selector")}, func(ctx context.Context, a *element.Actor, t element.Target) (element.Filled, error) {
		return a.Fill(ctx, t, c.Rest("text"))
	})
}

func typeText(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	opts := element.TypeOptions{Clear: c.Bool("clear"), Delay: c.Dur("delay")}
	return e.enter(ctx, c, obj{"typed": c.Rest("text")}, func(ctx context.Context, a *element.Actor, t element.Target) (element.Filled, error) {
		return a.Type(ctx, t, c.Rest("text"), opts)
	})
}

// enter runs an action that puts text into a field. It warns when the field
// holds something else afterwards: a mask, a limit, a script.
func (e *Env) enter(ctx context.Context, c *verb.Call, data obj, do func(context.Context, *element.Actor, element.Target) (element.Filled, error)) (Result, error) {
	t, err := e.target(c, "selector")
	if err != nil {
		return Result{}, err
	}
	var field element.Filled
	res, err := e.actOn(ctx, c.Verb.Name+" "+c.Str("selector"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		var err error
		field, err = do(ctx, a, t)
		return field.Outcome, err
	})
	if err != nil {
		return Result{}, err
	}
	same := element.HoldsText
	if c.Verb.Name == "fill" || c.Bool("clear") {
		same = element.SameText
	}
	if text := c.Rest("text"); res.Data.(obj)["navigation"] == nil && res.Data.(obj)["dialog"] == nil && !field.Unknown && !same(field.Value, text) {
		data["value"] = field.Value
		res.Warning = "the field now holds " + quote(field.Value) + ", not exactly what was entered"
	}
	return res, nil
}

func selectOptions(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	t, err := e.target(c, "selector")
	if err != nil {
		return Result{}, err
	}
	data := obj{}
	return e.actOn(ctx, "select "+c.Str("selector"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		out, err := a.Select(ctx, t, c.List("values")...)
		data["selected"] = out.Values
		return out.Outcome, err
	})
}

func drag(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	from, err := e.target(c, "source")
	if err != nil {
		return Result{}, err
	}
	var to element.Target
	opts := element.DragOptions{Hold: c.Dur("hold")}
	data := obj{"dragged": true, "source": c.Str("source")}
	if c.Has("target") {
		if to, err = e.target(c, "target"); err != nil {
			return Result{}, err
		}
		data["target"] = c.Str("target")
	}
	if c.Has("at") {
		x, y, err := verb.ParsePoint(c.Str("at"))
		if err != nil {
			return Result{}, err
		}
		opts.At, data["at"] = &element.Point{X: x, Y: y}, c.Str("at")
	}
	var out element.Dragged
	res, err := e.actOn(ctx, "drag "+c.Str("source"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		var err error
		out, err = a.Drag(ctx, from, to, opts)
		return out.Outcome, err
	})
	if err != nil {
		return Result{}, err
	}
	if line := dragLine(data, &out); line != "" {
		res.Text += "\n  " + line
	}
	if out.Told && !out.Changed {
		res.Text = strings.Replace(res.Text, done, "✓ Dragged, without effect", 1)
	}
	return res, nil
}

// dragLine tells what a drag did to the page, and adds it to data.
func dragLine(data obj, out *element.Dragged) string {
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

// path resolves a path against the caller's directory.
func (e *Env) path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(e.Cwd, p)
}

func scroll(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
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
		return Result{}, err
	}
	var within *element.Target
	if e.frame != "" {
		within = &element.Target{Frame: e.frame, Timeout: e.Limit}
	}
	if c.Has("selector") {
		t, err := e.target(c, "selector")
		if err != nil {
			return Result{}, err
		}
		within = &t
	}
	var out element.Scrolled
	err = e.act(ctx, "scroll", func(ctx context.Context, a *element.Actor) (err error) {
		out, err = a.Scroll(ctx, within, dx, dy)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	data := obj{"scrolled": true, "moved": obj{"x": out.Moved.X, "y": out.Moved.Y}, "atEnd": out.AtEnd()}
	text := done
	switch {
	case out.Wheel:
	case out.Moved == element.Point{}:
		data["scrolled"] = false
		text = "✓ Nothing moved: " + out.Scroller + " is at its end already"
	case out.AtEnd():
		text += " (" + out.Scroller + " is at its end now)"
	}
	return Result{Data: data, Text: text}, nil
}
