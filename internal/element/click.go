package element

import (
	"context"
	"slices"

	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
)

// ClickAt clicks at a point of the tab's viewport, whatever is there. It ignores ClickOptions.At.
func (a *Actor) ClickAt(ctx context.Context, at geometry.Point, o ClickOptions) (Outcome, error) {
	ctx, e, done, err := a.begin(ctx, "click", locate.Target{})
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	if path, ok := a.path(ctx, at); ok {
		if err := a.input.Follow(ctx, e.session, path); err != nil {
			return Outcome{}, e.apiError(err)
		}
	}
	w := e.observe()
	out, err := w.finish(ctx, a.clicks(e.session, at, o).Wait(ctx), false)
	out.At = at
	return out, err
}

// clicks moves to the point and clicks; all events go out together.
func (a *Actor) clicks(session string, at geometry.Point, o ClickOptions) input.Sent {
	var all input.Sent
	for _, k := range o.Held {
		all = append(all, a.input.KeyDown(session, k))
	}
	all = append(all, a.input.MoveTwice(session, at)...)
	for i := 1; i <= max(1, o.Count); i++ {
		all = append(all, a.input.Press(session, o.button(), int64(i)), a.input.Release(session, o.button(), int64(i)))
	}
	for _, k := range slices.Backward(o.Held) {
		all = append(all, a.input.KeyUp(session, k))
	}
	return all
}

func (o *ClickOptions) button() input.Button {
	if o.Button == "" {
		return input.Left
	}
	return o.Button
}
