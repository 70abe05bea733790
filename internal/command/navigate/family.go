// Package navigate has the commands that load pages.
package navigate

import (
	"context"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"open": run.Handle(open),
		"back": run.Handle(func(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[*Moved], error) {
			return goInHistory(ctx, e, -1)
		}),
		"forward": run.Handle(func(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[*Moved], error) {
			return goInHistory(ctx, e, 1)
		}),
		"reload": run.Handle(reload),
	}}
}
