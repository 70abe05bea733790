package act

import (
	"context"
	"fmt"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/verb"
)

func swipe(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Swiped], error) {
	distance := float64(element.DefaultScroll)
	if c.Has("pixels") {
		distance = c.Float("pixels")
	}
	dx, dy, err := element.ParseDirection(c.Str("direction"), distance)
	if err != nil {
		return run.Reply[*Swiped]{}, err
	}
	var on *locate.Target
	if c.Has("selector") {
		t, err := e.Target(c, "selector")
		if err != nil {
			return run.Reply[*Swiped]{}, err
		}
		on = &t
	}
	data := &Swiped{Swiped: c.Str("direction")}
	var out element.Swiped
	res, err := run.ActOn(ctx, e, "swipe "+data.Swiped, data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		var err error
		out, err = a.Swipe(ctx, on, dx, dy)
		return out.Outcome, err
	})
	if err != nil || !out.Observed {
		return res, err
	}
	data.Moved = &Distance{out.Moved.X, out.Moved.Y}
	switch {
	case e.Settings.Compatible:
	case out.Moved != geometry.Point{}:
		res.Text += fmt.Sprintf("\n  the content moved by %.0f,%.0f", out.Moved.X, out.Moved.Y)
	case out.Scrolling:
		res.Text += "\n  nothing scrolled: the content is at its end"
	}
	return res, nil
}
