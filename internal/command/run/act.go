package run

import (
	"context"

	"github.com/usher-browser/usher/internal/element"
)

// ActOn runs an action and describes what came of it.
func (e *Env) ActOn(ctx context.Context, doing string, data Object, do func(context.Context, *element.Actor) (element.Outcome, error)) (Result, error) {
	var out element.Outcome
	err := e.Act(ctx, doing, func(ctx context.Context, a *element.Actor) (err error) {
		out, err = do(ctx, a)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	e.acted = out.Element
	return e.OutcomeOf(ctx, data, &out)
}
