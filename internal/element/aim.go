package element

import (
	"context"

	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
)

// aim adds to the arguments of check what the target says of how it is taken.
func (e *action) aim(arg args) {
	if e.target.Padding {
		arg["padding"] = true
	}
	if e.target.Trial {
		arg["trial"] = true
	}
	if e.target.Force {
		arg["needs"] = []string{"middle"}
	}
}

// unobserved is perform without an observer: for a trial, which sends nothing, and for an action that is forced, whose input may go to
// another element.
func (e *action) unobserved(ctx context.Context, more args, send func(at geometry.Point) input.Sent) (Outcome, error) {
	e.input, e.turn.kept = nothingSent, false
	a, err := e.waitHit(ctx, nil, more)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Element: a.element, Description: a.description, At: a.at, Scrolled: a.scrolled, Attempts: 1}
	if e.target.Trial || a.chosen {
		return out, nil
	}
	if _, err := e.approach(ctx, a.at); err != nil {
		return Outcome{}, err
	}
	o := e.observe()
	o.out = out
	e.input = inputSent
	return o.finish(ctx, send(a.at).Wait(ctx), false)
}
