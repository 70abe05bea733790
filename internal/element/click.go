package element

import (
	"context"
	"slices"
	"time"

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
	out, err := w.finish(ctx, e.clicks(ctx, at, o).Wait(ctx), false)
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
func (e *action) clicks(ctx context.Context, at geometry.Point, o ClickOptions) input.Sent {
	var all input.Sent
	devices := e.actor.input
	for _, k := range o.Held {
		all = append(all, devices.KeyDown(e.session, k))
	}
	all = append(all, devices.MoveTwice(e.session, at)...)
	for i := 1; i <= max(1, o.Count); i++ {
		entered := devices.Entered()
		press := devices.Press(e.session, o.button(), int64(i))
		if entered {
			e.leaveField(ctx, press)
		}
		all = append(all, press, devices.Release(e.session, o.button(), int64(i)))
	}
	for _, k := range slices.Backward(o.Held) {
		all = append(all, devices.KeyUp(e.session, k))
	}
	return all
}

const (
	// fieldTimers is for how long the timers are set, in milliseconds, that a page has to take over the text of a field which lost the
	// focus. Released at once, Actual's "Add" added an amount of 0; 3 ms were enough. A hand holds a button for about 80 ms.
	fieldTimers = 8
	// fieldLimit is how long those timers are waited for: they fire once a second in a page that is hidden.
	fieldLimit = 100 * time.Millisecond
)

// leaveField waits, while a button is down, until the page has handled the press and its timers of the next milliseconds.
func (e *action) leaveField(ctx context.Context, press *input.Event) {
	select { // the caller waits for the reply
	case <-press.Done():
	case <-ctx.Done():
		return
	}
	ctx, cancel := context.WithTimeout(ctx, fieldLimit)
	defer cancel()
	// A page that does not answer in time gets the release nevertheless, as from a hand.
	_ = e.actor.worlds.Call(ctx, e.frame, "afterTimers", fieldTimers, nil)
}

func (o *ClickOptions) button() input.Button {
	if o.Button == "" {
		return input.Left
	}
	return o.Button
}
