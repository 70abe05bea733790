package element

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
)

// endAbroad ends an HTML drag for the frame it began in, when the drop was in a frame of another process. Chromium tells the
// end of a drag that its protocol made to the frame of the drop only; for the other the drag goes on, and it hears of no mouse
// any more (measured on Chromium 156). What ends it there is that a drag is given up at a place of that frame: it hears of
// dragend, with the dropEffect none.
func (e *errand) endAbroad(ctx context.Context, dest *errand, pressed Point) {
	if !e.abroad(dest) || !e.dragGoesOn(ctx) {
		return
	}
	e.giveUpDrag(ctx, pressed)
	if !e.dragGoesOn(ctx) {
		return
	}
	// The page was scrolled since.
	if now, err := e.aim(ctx, nil, args{"needs": []string{"visible", "middle"}}); err == nil {
		e.giveUpDrag(ctx, now.at)
	}
}

// abroad says whether the destination is in a frame of another process; a point of the viewport may be.
func (e *errand) abroad(dest *errand) bool {
	s := e.actor.browser.State()
	if tab := s.Tabs[e.actor.tab]; dest.isPoint() && tab != nil {
		return len(processFrames(tab)) > 0
	}
	from, to := s.Frame(e.frame), s.Frame(dest.frame)
	return from != nil && to != nil && from.Session != to.Session
}

// dragGoesOn says whether an HTML drag has not ended for the frame it began in, also a moment later. A frame that cannot be
// asked has gone, or the look at it tells why.
func (e *errand) dragGoesOn(ctx context.Context) bool {
	for end := time.Now().Add(restOfDrag); ; {
		var drag struct {
			Going bool `json:"going"`
		}
		if e.actor.worlds.Call(ctx, e.frame, "dragUnderWay", nil, &drag) != nil || !drag.Going {
			return false
		}
		if time.Now().After(end) || sleep(ctx, pause) != nil {
			return true
		}
	}
}

// giveUpDrag tells the frame drawn at a point that no drag is under way. Where that fails, dragGoesOn tells.
func (e *errand) giveUpDrag(ctx context.Context, at Point) {
	_, _ = cdp.Do(ctx, e.actor.browser.Session(e.session), input.DispatchDragEvent, input.DispatchDragEventParams{ //nolint:errcheck // see above
		Type: input.DispatchDragEventTypeDragCancel, X: at.X, Y: at.Y,
		Data: &input.DragData{Items: []*input.DragDataItem{}, DragOperationsMask: 1},
	})
}

// nothingBetween is the error of a drag from one frame to another that did nothing.
func (e *errand) nothingBetween(dest *errand, html bool) error {
	if html {
		return api.Errorf(api.ActionNotDelivered, "%s %s: %s is in another frame, and nothing there accepted the drop", e.verb, e.target, dest.target).
			WithHint("Find another drop target with `snapshot`; the page may have a button, menu or file field for the same purpose.")
	}
	return api.Errorf(api.ActionNotDelivered,
		"%s %s: nothing changed: %s is in another frame, and this page implements drags with mouse events, which only reach the frame where the button was pressed",
		e.verb, e.target, dest.target).
		WithHint("No mouse can do this. Look for a button, menu or keyboard alternative in the page with `snapshot`.")
}
