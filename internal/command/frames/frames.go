package frames

import (
	"context"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Switched is the result of `frame switch`: the frame that selectors refer to from now on.
type Switched struct {
	// Frame is main for the whole page, else the name of the frame, or the argument if it has none.
	Frame   string `json:"frame"`
	FrameID string `json:"frameId,omitzero"`
	URL     string `json:"url,omitzero"`
}

// switchFrame sets the frame that selectors refer to: the document inside an iframe, or the whole page. Refs are not
// affected: they belong to their frame.
func switchFrame(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Switched], error) {
	written := c.Str("frame")
	if written == "main" {
		e.SetScope("")
		return run.Reply[Switched]{Data: Switched{Frame: "main"}, Text: run.Done}, nil
	}
	id, err := findFrame(ctx, e, c)
	if err != nil {
		return run.Reply[Switched]{}, err
	}
	e.SetScope(id)
	data := Switched{Frame: written, FrameID: string(id)}
	if f := e.Browser.State().Frame(id); f != nil {
		data.URL = f.URL
		if f.Name != "" {
			data.Frame = f.Name
		}
	}
	return run.Reply[Switched]{Data: data, Text: run.Done}, nil
}

// notFound reports whether no element has a selector, or it is none.
func notFound(err error) bool {
	code := api.CodeOf(err)
	return code == api.ElementNotFound || code == api.InvalidSelector
}

// frameOf returns the frame of the iframe element that the argument selects.
func frameOf(ctx context.Context, e *run.Env, c *verb.Call) (id model.FrameID, err error) {
	target, err := e.Target(c, "frame")
	if err != nil {
		return "", err
	}
	target.Timeout = -1
	err = e.Act(ctx, "frame "+c.Str("frame"), func(ctx context.Context, a *element.Actor) error {
		el, _, err := a.Find(ctx, target)
		if err != nil {
			return err
		}
		id, err = e.ContentFrame(ctx, el)
		return err
	})
	return id, err
}

// findFrame returns the frame that the argument names: by its id; as an iframe element of the chosen frame, or else of the page; or
// by its name or address.
func findFrame(ctx context.Context, e *run.Env, c *verb.Call) (model.FrameID, error) {
	if written := c.Str("frame"); run.IsFrameID(written) { // no element has such a name
		f, err := e.FrameFor(ctx, c, written)
		if err != nil {
			return "", err
		}
		return f.ID, nil
	}
	if err := e.CheckScope(ctx); err != nil {
		return "", err
	}
	id, err := frameOf(ctx, e, c)
	if t := e.Browser.State().Tabs[e.Tab]; t != nil && e.Scope(e.Tab) != t.Main && notFound(err) {
		// Scripts go from one frame of the page to the next: agent-browser always searches the whole page.
		e.Frame = t.Main
		id, err = frameOf(ctx, e, c)
		e.Frame = ""
	}
	if !notFound(err) {
		return id, err
	}
	// No element has such a selector: it may be the name or the address of a frame, as for --frame.
	written := c.Str("frame")
	switch f, ambiguous := e.FrameNow(ctx, written); {
	case ambiguous != nil:
		return "", ambiguous
	case f != nil:
		return f.ID, nil
	}
	missing := api.Errorf(api.FrameNotFound, "Frame not found: %s; %s", written, e.FrameList())
	if t := e.Browser.State().Tabs[e.Tab]; t != nil && e.Scope(e.Tab) != t.Main {
		missing.WithHint("Selectors still refer to the frame chosen before; `frame main` returns to the whole page.")
	}
	return "", missing
}
