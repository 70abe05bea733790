package element

import (
	"context"
	"slices"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// ClickAt clicks at a point of the tab's viewport, whatever is there. It ignores ClickOptions.At. The error is
// [api.InvalidArgument] if the point is outside, where nothing gets the click.
func (a *Actor) ClickAt(ctx context.Context, at geometry.Point, o ClickOptions) (Outcome, error) {
	ctx, e, done, err := a.begin(ctx, "click", locate.Target{})
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	if err := e.inViewport(ctx, at); err != nil {
		return Outcome{}, err
	}
	if path, ok := a.path(ctx, at); ok {
		if err := a.input.Follow(ctx, e.session, path); err != nil {
			return Outcome{}, e.apiError(err)
		}
	}
	w := e.observe()
	out, err := w.finish(ctx, a.clicks(ctx, e.session, at, o).Wait(ctx), false)
	out.At = at
	return out, err
}

// inViewport refuses a point outside of the tab's viewport.
func (e *action) inViewport(ctx context.Context, p geometry.Point) error {
	tab := e.actor.browser.State().Tabs[e.actor.tab]
	if tab == nil {
		return e.apiError(&model.BlockedError{Tab: e.actor.tab, Gone: true})
	}
	var view struct {
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	}
	if err := e.actor.worlds.Call(ctx, tab.Main, "viewport", nil, &view); err != nil {
		if ctx.Err() != nil {
			return e.apiError(err)
		}
		return nil // a page without scripts, such as a viewer's: its size is not known
	}
	if p.X < 0 || p.Y < 0 || p.X >= view.Width || p.Y >= view.Height {
		return api.Errorf(api.InvalidArgument, "%s: the point %g,%g is outside the viewport, which is %gx%g", e.verb, p.X, p.Y, view.Width, view.Height).
			WithHint("Scroll until the place is in view, or use a ref: an element is scrolled into view. Nothing was done.")
	}
	return nil
}

// clicks moves to the point and clicks; all events go out together, except after text was entered.
func (a *Actor) clicks(ctx context.Context, session string, at geometry.Point, o ClickOptions) input.Sent {
	var all input.Sent
	for _, k := range o.Held {
		all = append(all, a.input.KeyDown(session, k))
	}
	all = append(all, a.input.MoveTwice(session, at)...)
	for i := 1; i <= max(1, o.Count); i++ {
		all = append(all, a.input.PressAfterText(ctx, session, o.button(), int64(i)), a.input.Release(session, o.button(), int64(i)))
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
