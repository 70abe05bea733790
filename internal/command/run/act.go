package run

import (
	"context"

	"github.com/usher-browser/usher/internal/element"
)

// ActOn runs an action and adds its outcome to the data.
func ActOn[T OutcomeData](ctx context.Context, e *Env, doing string, data T, do func(context.Context, *element.Actor) (element.Outcome, error)) (Reply[T], error) {
	var out element.Outcome
	err := e.Act(ctx, doing, func(ctx context.Context, a *element.Actor) (err error) {
		out, err = do(ctx, a)
		return err
	})
	if err != nil {
		return Reply[T]{}, err
	}
	e.acted = out.Element
	return OutcomeOf(ctx, e, data, &out), nil
}
