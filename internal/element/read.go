package element

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// Find resolves a target without acting on it and returns the number of matching elements.
func (a *Actor) Find(ctx context.Context, t locate.Target) (el locate.Element, matched int, err error) {
	var res struct {
		reply
		Element locate.Found `json:"element"`
		Matched int          `json:"matched"`
	}
	doc, err := a.read(ctx, "find", t, "find", nil, &res)
	return res.Element.In(doc), res.Matched, err
}

// Count returns the number of matches in the target's frame, 0 included.
func (a *Actor) Count(ctx context.Context, t locate.Target) (int, error) {
	var res struct {
		reply
		Count int `json:"count"`
	}
	t.Timeout, t.Strict = -1, false
	_, err := a.read(ctx, "get count", t, "count", nil, &res)
	return res.Count, noFrame(err)
}

// Text returns the rendered text of an element.
func (a *Actor) Text(ctx context.Context, t locate.Target) (string, error) {
	var res struct {
		reply
		Text string `json:"text"`
	}
	_, err := a.read(ctx, "get text", t, "text", nil, &res)
	return res.Text, err
}

// HTML returns the markup inside an element.
func (a *Actor) HTML(ctx context.Context, t locate.Target) (string, error) {
	var res struct {
		reply
		HTML string `json:"html"`
	}
	_, err := a.read(ctx, "get html", t, "html", nil, &res)
	return res.HTML, err
}

// Value returns the value of a field; nil for an element that is no field.
func (a *Actor) Value(ctx context.Context, t locate.Target) (*string, error) {
	var res struct {
		reply
		Value *string `json:"value"`
	}
	_, err := a.read(ctx, "get value", t, "value", nil, &res)
	return res.Value, err
}

// Attribute returns an attribute as written; nil if the element does not have it.
func (a *Actor) Attribute(ctx context.Context, t locate.Target, name string) (*string, error) {
	var res struct {
		reply
		Value *string `json:"value"`
	}
	_, err := a.read(ctx, "get attr", t, "attribute", args{"name": name}, &res)
	return res.Value, err
}

// Locator returns a locator of an element, and its frame.
func (a *Actor) Locator(ctx context.Context, t locate.Target) (locate.Locator, model.FrameID, error) {
	var res struct {
		reply
		Locator locate.Locator `json:"locator"`
	}
	doc, err := a.read(ctx, "generate-locator", t, "locator", nil, &res)
	return res.Locator, doc.Frame, err
}

// Box returns the bounding box of an element in the tab's viewport.
func (a *Actor) Box(ctx context.Context, t locate.Target) (Box, error) {
	var res struct {
		reply
		Box
	}
	ctx, e, done, err := a.begin(ctx, "get box", t)
	if err != nil {
		return Box{}, err
	}
	defer done()
	if _, err := e.ask(ctx, "box", nil, &res); err != nil {
		return Box{}, err
	}
	b := res.Box
	if e.frame == model.FrameID(a.tab) {
		return b, nil
	}
	// The corners, because the frame may be turned or scaled.
	var minimum, maximum geometry.Point
	for i, corner := range []geometry.Point{{X: b.X, Y: b.Y}, {X: b.X + b.Width, Y: b.Y}, {X: b.X, Y: b.Y + b.Height}, {X: b.X + b.Width, Y: b.Y + b.Height}} {
		p, err := a.points.ToTab(ctx, e.frame, corner)
		if err != nil {
			return Box{}, e.apiError(err)
		}
		if i == 0 {
			minimum, maximum = p, p
		}
		minimum = geometry.Point{X: min(minimum.X, p.X), Y: min(minimum.Y, p.Y)}
		maximum = geometry.Point{X: max(maximum.X, p.X), Y: max(maximum.Y, p.Y)}
	}
	return Box{minimum.X, minimum.Y, maximum.X - minimum.X, maximum.Y - minimum.Y}, nil
}

// Styles returns the computed styles of an element.
func (a *Actor) Styles(ctx context.Context, t locate.Target) (map[string]string, error) {
	var res struct {
		reply
		Styles map[string]string `json:"styles"`
	}
	_, err := a.read(ctx, "get styles", t, "styles", nil, &res)
	return res.Styles, err
}

// Status is the state of an element.
type Status struct {
	Visible  bool `json:"visible"` // has a box and is not hidden by CSS
	Enabled  bool `json:"enabled"` // neither it nor an ancestor is disabled or inert
	Editable bool `json:"editable"`
	Focused  bool `json:"focused"`
	// Checked is "true", "false" or "mixed"; "none" for an element without such a state.
	Checked string `json:"checked"`
}

// Status returns the state of an element. A missing element is an error.
func (a *Actor) Status(ctx context.Context, t locate.Target) (Status, error) {
	var res struct {
		reply
		Status
	}
	_, err := a.read(ctx, "is", t, "status", nil, &res)
	return res.Status, err
}

// State is an element state to wait for.
type State string

// States to wait for.
const (
	Visible  State = "visible"
	Hidden   State = "hidden" // or not in the document
	Attached State = "attached"
	Detached State = "detached"
)

// ParseState parses a state; empty is visible. The error is [api.InvalidArgument].
func ParseState(s string) (State, error) {
	switch st := State(s); st {
	case "":
		return Visible, nil
	case Visible, Hidden, Attached, Detached:
		return st, nil
	}
	return "", api.Errorf(api.InvalidArgument, "wait: there is no state %q", s).
		WithHint("States are visible, hidden, attached and detached.")
}

// Wait returns when the target is in the state. At the end of the target's timeout it returns [api.Timeout] with the
// last state.
func (a *Actor) Wait(ctx context.Context, t locate.Target, state State) error {
	ctx, e, done, err := a.look(ctx, "wait", t)
	if err != nil {
		return err
	}
	defer done()
	gone := state == Hidden || state == Detached
	for {
		var res struct{ reply }
		sub := *e
		sub.once = true
		// One look per turn: a wait survives navigations, which end a single call.
		look := max(0, min(slice, time.Until(e.end)))
		_, err := sub.ask(ctx, "awaitState", args{"state": state, "wait": look.Milliseconds()}, &res)
		code := api.CodeOf(err)
		switch {
		case err == nil:
			return nil
		case gone && (code == api.StaleRef || code == api.FrameDetached || code == api.ElementNotFound && len(e.path) > 0):
			return nil // what it was in is gone; that the element is not in its frame is no error
		case code == api.StaleRef:
			return err
		case code != api.Timeout && code != api.ElementNotFound && code != api.FrameDetached:
			return err
		case e.once || time.Until(e.end) <= 0:
			return api.Errorf(api.Timeout, "%w", err) // it begins with the verb and has the last state
		}
		if err := input.Sleep(ctx, pause); err != nil {
			return e.apiError(err)
		}
	}
}

// read makes one call of the page script. It waits for the element as actions do.
func (a *Actor) read(ctx context.Context, verb string, t locate.Target, fn string, more args, result answer) (world.Document, error) {
	ctx, e, done, err := a.look(ctx, verb, t)
	if err != nil {
		return world.Document{}, err
	}
	defer done()
	return e.ask(ctx, fn, more, result)
}
