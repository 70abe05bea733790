// Package dialogs answers dialogs and whatever else the browser waits for.
package dialogs

import (
	"context"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Run: map[string]run.Func{
		"dialog accept": func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
			return answer(ctx, e, true, c.Str("text"))
		},
		"dialog dismiss": func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
			return answer(ctx, e, false, "")
		},
		"dialog status":  dialogStatus,
		"dialog policy":  dialogPolicy,
		"dialog rule":    dialogRule,
		"status":         status,
		"interrupt list": interruptList, "interrupt answer": interruptAnswer,
	}}
}
