package act

import (
	"context"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/verb"
)

// hold returns the handler of a command with one key.
func hold[T any](data func(key string) T, do func(*element.Actor, context.Context, string) error) run.Handler {
	return run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[T], error) {
		err := e.Act(ctx, c.Verb.Name+" "+c.Str("key"), func(ctx context.Context, a *element.Actor) error { return do(a, ctx, c.Str("key")) })
		return run.Reply[T]{Data: data(c.Str("key")), Text: run.Done}, err
	})
}

func mouseMove(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*MouseMoved], error) {
	to := geometry.Point{X: c.Float("x"), Y: c.Float("y")}
	opts := element.MoveOptions{Steps: c.Int("steps"), Duration: c.Dur("duration"), Human: c.Bool("human"), Seed: uint64(c.Int("seed"))}
	err := e.Act(ctx, "mouse move", func(ctx context.Context, a *element.Actor) error { return a.MouseMove(ctx, to, opts) })
	return run.Reply[*MouseMoved]{Data: &MouseMoved{Moved: true, X: to.X, Y: to.Y}, Text: run.Done}, err
}

// mouseButton makes the handler of a command that does something with a button of the mouse.
func mouseButton[T any](data func(button string) T, do func(*element.Actor, context.Context, input.Button) error) run.Handler {
	return run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[T], error) {
		b, err := input.ParseButton(c.Str("button"))
		if err != nil {
			return run.Reply[T]{}, err
		}
		err = e.Act(ctx, c.Verb.Name, func(ctx context.Context, a *element.Actor) error { return do(a, ctx, b) })
		return run.Reply[T]{Data: data(string(b)), Text: run.Done}, err
	})
}

func mouseWheel(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Wheeled], error) {
	dy, dx := 100.0, c.Float("dx")
	if c.Has("dy") {
		dy = c.Float("dy")
	}
	err := e.Act(ctx, "mouse wheel", func(ctx context.Context, a *element.Actor) error { return a.MouseWheel(ctx, dx, dy) })
	return run.Reply[*Wheeled]{Data: &Wheeled{Scrolled: true, DeltaX: dx, DeltaY: dy}, Text: run.Done}, err
}
