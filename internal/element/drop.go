package element

import (
	"context"
	"fmt"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/element/payload"
	"github.com/usher-browser/usher/internal/element/verify"
)

// Drop drags files from outside of the browser onto an element and drops them there. Paths must be absolute. Errors
// besides those of any action: [api.FileNotFound], [api.InvalidArgument] for a directory, [api.ActionNotDelivered] if
// nothing there accepts files.
func (a *Actor) Drop(ctx context.Context, t locate.Target, paths ...string) (Outcome, error) {
	folders, err := payload.CountFolders(ctx, paths)
	switch {
	case err != nil:
		return Outcome{}, fmt.Errorf("drop on %s: %w", t, err)
	case folders > 0:
		return Outcome{}, api.Errorf(api.InvalidArgument, "drop on %s: files can be dropped, not a directory", t).
			WithHint("Give the files in it instead.")
	}
	if a.Readable != nil {
		if paths, err = a.Readable(ctx, paths); err != nil {
			return Outcome{}, fmt.Errorf("drop on %s: give the files to the browser: %w", t, err)
		}
	}
	ctx, e, done, err := a.begin(ctx, "drop", t)
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	// A file field takes the files by itself: it gets change, and no drop.
	w := verify.Expected{Types: []string{"dragenter", "dragover", "drop", "change"}, Final: "drop", Behind: true}
	refused := false
	out, err := e.perform(ctx, w, args{"needs": []string{"visible", "stable", "hit"}}, func(at geometry.Point) input.Sent {
		over := a.input.DragFiles(e.session, at, paths)
		if over.Wait(ctx) != nil {
			return over // its error is that of the action
		}
		var page struct {
			Accepts bool `json:"accepts"`
		}
		// A page that does not answer has not accepted them.
		_ = a.worlds.Call(ctx, e.frame, "acceptsDrop", nil, &page)
		if refused = !page.Accepts; !refused {
			return append(over, a.input.DropFiles(e.session, at, paths))
		}
		_ = a.input.CancelDrag(ctx, e.session, at) // likewise
		return over
	})
	if err == nil && unexplained(out) && (refused || out.Events != nil && out.Events["drop"]+out.Events["change"] == 0) {
		return out, api.Errorf(api.ActionNotDelivered, "drop on %s: nothing in %s accepted the files", t, out.Description).
			WithHint("Find the drop zone with `snapshot`, or give the files to the file field with `upload`.")
	}
	return out, err
}
