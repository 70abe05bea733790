package element

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
)

// endInOtherProcess ends an HTML drag for the frame it began in, when the drop was in a frame of another process.
// Chromium sends the end of a synthetic drag to the frame of the drop only; in the other frame the drag continues, and
// it receives no mouse events any more (measured on Chromium 156). Cancelling a drag at a point of that frame ends it:
// the frame gets dragend with the dropEffect none.
func (e *action) endInOtherProcess(ctx context.Context, dest *action, pressed geometry.Point) {
	if !e.inOtherProcess(dest) || !e.dragGoesOn(ctx) {
		return
	}
	e.giveUpDrag(ctx, pressed)
	if !e.dragGoesOn(ctx) {
		return
	}
	// The page was scrolled since.
	if now, err := e.waitHit(ctx, nil, args{"needs": []string{"visible", "middle"}}); err == nil {
		e.giveUpDrag(ctx, now.at)
	}
}

// inOtherProcess reports whether the destination is in a frame of another process; a point of the viewport may be.
func (e *action) inOtherProcess(dest *action) bool {
	s := e.actor.browser.State()
	if tab := s.Tabs[e.actor.tab]; dest.isPoint() && tab != nil {
		return len(processFrames(tab)) > 0
	}
	from, to := s.Frame(e.frame), s.Frame(dest.frame)
	return from != nil && to != nil && from.Session != to.Session
}

// dragGoesOn reports whether an HTML drag has not ended for the frame it began in, even a moment later. It returns
// false for a frame that does not answer: the next call to it returns the reason.
func (e *action) dragGoesOn(ctx context.Context) bool {
	for end := time.Now().Add(dragRest); ; {
		if !e.htmlDrag(ctx) {
			return false
		}
		if time.Now().After(end) || input.Sleep(ctx, pause) != nil {
			return true
		}
	}
}

// htmlDrag reports whether an HTML drag has begun and has not ended for the frame it began in. It returns false for a frame that
// does not answer.
func (e *action) htmlDrag(ctx context.Context) bool {
	var drag struct {
		Going bool `json:"going"`
	}
	return e.actor.worlds.Call(ctx, e.frame, "dragUnderWay", nil, &drag) == nil && drag.Going
}

// giveUpDrag sends a drag cancel to the frame drawn at a point. Its failure shows in dragGoesOn.
func (e *action) giveUpDrag(ctx context.Context, at geometry.Point) {
	_ = e.actor.input.CancelDrag(ctx, e.session, at) //nolint:errcheck // see above
}

// nothingBetween is the error of a drag from one frame to another that did nothing.
func (e *action) nothingBetween(dest *action, html bool) error {
	if html {
		return api.Errorf(api.ActionNotDelivered, "%s %s: %s is in another frame, and nothing there accepted the drop", e.verb, e.target, dest.target).
			WithHint("Find another drop target with `snapshot`; the page may have a button, menu or file field for the same purpose.")
	}
	return api.Errorf(api.ActionNotDelivered,
		"%s %s: nothing changed: %s is in another frame, and this page implements drags with mouse events, which only reach the frame where the button was pressed",
		e.verb, e.target, dest.target).
		WithHint("No mouse can do this. Look for a button, menu or keyboard alternative in the page with `snapshot`.")
}
