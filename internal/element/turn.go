package element

import (
	"context"
	"errors"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/input"
)

// Turn is the turn of an action among the commands of its tab.
type Turn interface {
	// Leave lets the commands that wait for theirs go on.
	Leave()
	// Take waits until it is the action's turn again. The error is the cause of ctx.
	Take(ctx context.Context) error
}

type turnKey struct{}

// WithTurn returns a context for actions that leave their turn between two looks at a target that is not ready: what
// makes it so may be another command of the same caller. With nil, which is the default, they keep it.
func WithTurn(ctx context.Context, t Turn) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, turnKey{}, t)
}

// turn is what a running action holds: the actor, and the turn of its command. It is used by one goroutine.
type turn struct {
	actor *Actor
	of    Turn // nil: nothing is left before the action ends
	acts  bool // the action uses the actor's mouse and keyboard
	held  bool // what it uses is held now
	// kept is set once the target was found or something was sent: from then on no other action may come in between.
	kept bool
}

func newTurn(ctx context.Context, a *Actor, acts bool) *turn {
	of, _ := ctx.Value(turnKey{}).(Turn)
	return &turn{actor: a, of: of, acts: acts}
}

// take waits for the actor. The error is the cause of ctx.
func (t *turn) take(ctx context.Context) error {
	if t.acts {
		select {
		case t.actor.token <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	t.held = true
	return nil
}

// release gives the actor to the next action.
func (t *turn) release() {
	if t.held && t.acts {
		<-t.actor.token
	}
	t.held = false
}

// leaves reports whether the action leaves its turn when it waits.
func (t *turn) leaves() bool { return t.of != nil && !t.kept }

// wait waits between two looks at the target, and leaves the turn meanwhile if it may. again is false if the turn did not come back
// before the action's time was over.
func (e *action) wait(ctx context.Context, d time.Duration) (again bool, err error) {
	t := e.turn
	if !t.leaves() {
		return true, e.apiErrorOrNil(input.Sleep(ctx, d))
	}
	t.release()
	t.of.Leave()
	if err := input.Sleep(ctx, d); err != nil {
		return false, e.apiError(err)
	}
	tctx, cancel := context.WithDeadlineCause(ctx, e.end, errTurn)
	defer cancel()
	if err = t.of.Take(tctx); err == nil {
		err = t.take(tctx)
	}
	if errors.Is(err, errTurn) {
		return false, nil
	}
	return err == nil, e.apiErrorOrNil(err)
}

// errTurn is the cause when an action's time is over before its turn comes.
var errTurn = errors.New("another action has been using the tab")

// begins waits for the actor, for the first time.
func (e *action) begins(ctx context.Context) error {
	err := e.turn.take(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return api.Errorf(api.Timeout, "%s: %w all the time", e.what(), errTurn)
	}
	return e.apiError(err)
}
