// Package dialogs has the commands that answer dialogs and other interruptions.
package dialogs

import (
	"context"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"dialog accept": run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Answered], error) {
			return answer(ctx, e, true, c.Str("text"))
		}),
		"dialog dismiss": run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Answered], error) {
			return answer(ctx, e, false, "")
		}),
		"dialog status":    run.Handle(dialogStatus),
		"dialog policy":    run.Handle(dialogPolicy),
		"dialog rule":      run.Handle(dialogRule),
		"status":           run.Handle(status),
		"interrupt list":   run.Handle(interruptList),
		"interrupt answer": run.Handle(interruptAnswer),
	}}
}
