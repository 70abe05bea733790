// Package navigate loads pages.
package navigate

import (
	"context"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Run: map[string]run.Func{
		"open":    open,
		"back":    func(ctx context.Context, e *run.Env, _ *verb.Call) (run.Result, error) { return travel(ctx, e, -1) },
		"forward": func(ctx context.Context, e *run.Env, _ *verb.Call) (run.Result, error) { return travel(ctx, e, 1) },
		"reload":  reload,
	}}
}
