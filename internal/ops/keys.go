package ops

import (
	"context"

	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

func keyVerbs() map[string]Func {
	return map[string]Func{
		"press": func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
			return e.actOn(ctx, "press "+c.Str("key"), obj{"pressed": c.Str("key")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
				return a.Press(ctx, c.Str("key"))
			})
		},
		"keydown": hold("keydown", (*element.Actor).KeyDown),
		"keyup":   hold("keyup", (*element.Actor).KeyUp),
		"keyboard type": func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
			return e.actOn(ctx, "type", obj{"typed": c.Rest("text")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
				return a.Keyboard(ctx, c.Rest("text"), 0)
			})
		},
		"keyboard inserttext": func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
			err := e.act(ctx, "insert text", func(ctx context.Context, a *element.Actor) error { return a.InsertText(ctx, c.Rest("text")) })
			return Result{Data: obj{"inserted": true}, Text: done}, err
		},
		"mouse move":  mouseMove,
		"mouse down":  mouseButton("pressed", (*element.Actor).MouseDown),
		"mouse up":    mouseButton("released", (*element.Actor).MouseUp),
		"mouse wheel": mouseWheel,
	}
}

func hold(key string, do func(*element.Actor, context.Context, string) error) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		err := e.act(ctx, key+" "+c.Str("key"), func(ctx context.Context, a *element.Actor) error { return do(a, ctx, c.Str("key")) })
		return Result{Data: obj{key: c.Str("key")}, Text: done}, err
	}
}

func mouseMove(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	to := element.Point{X: c.Float("x"), Y: c.Float("y")}
	opts := element.MoveOptions{Steps: c.Int("steps"), Duration: c.Dur("duration")}
	err := e.act(ctx, "mouse move", func(ctx context.Context, a *element.Actor) error { return a.MouseMove(ctx, to, opts) })
	return Result{Data: obj{"moved": true, "x": to.X, "y": to.Y}, Text: done}, err
}

func mouseButton(key string, do func(*element.Actor, context.Context, element.Button) error) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		b, err := element.ParseButton(c.Str("button"))
		if err != nil {
			return Result{}, err
		}
		err = e.act(ctx, c.Verb.Name, func(ctx context.Context, a *element.Actor) error { return do(a, ctx, b) })
		return Result{Data: obj{key: true, "button": string(b)}, Text: done}, err
	}
}

func mouseWheel(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	dy, dx := 100.0, c.Float("dx")
	if c.Has("dy") {
		dy = c.Float("dy")
	}
	err := e.act(ctx, "mouse wheel", func(ctx context.Context, a *element.Actor) error { return a.MouseWheel(ctx, dx, dy) })
	return Result{Data: obj{"scrolled": true, "deltaX": dx, "deltaY": dy}, Text: done}, err
}
