package act

import (
	"context"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

func hold(key string, do func(*element.Actor, context.Context, string) error) run.Func {
	return func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
		err := e.Act(ctx, key+" "+c.Str("key"), func(ctx context.Context, a *element.Actor) error { return do(a, ctx, c.Str("key")) })
		return run.Result{Data: run.Object{key: c.Str("key")}, Text: run.Done}, err
	}
}

func mouseMove(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	to := element.Point{X: c.Float("x"), Y: c.Float("y")}
	opts := element.MoveOptions{Steps: c.Int("steps"), Duration: c.Dur("duration")}
	err := e.Act(ctx, "mouse move", func(ctx context.Context, a *element.Actor) error { return a.MouseMove(ctx, to, opts) })
	return run.Result{Data: run.Object{"moved": true, "x": to.X, "y": to.Y}, Text: run.Done}, err
}

func mouseButton(key string, do func(*element.Actor, context.Context, element.Button) error) run.Func {
	return func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
		b, err := element.ParseButton(c.Str("button"))
		if err != nil {
			return run.Result{}, err
		}
		err = e.Act(ctx, c.Verb.Name, func(ctx context.Context, a *element.Actor) error { return do(a, ctx, b) })
		return run.Result{Data: run.Object{key: true, "button": string(b)}, Text: run.Done}, err
	}
}

func mouseWheel(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	dy, dx := 100.0, c.Float("dx")
	if c.Has("dy") {
		dy = c.Float("dy")
	}
	err := e.Act(ctx, "mouse wheel", func(ctx context.Context, a *element.Actor) error { return a.MouseWheel(ctx, dx, dy) })
	return run.Result{Data: run.Object{"scrolled": true, "deltaX": dx, "deltaY": dy}, Text: run.Done}, err
}
