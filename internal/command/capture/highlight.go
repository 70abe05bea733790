package capture

import (
	"context"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/overlay"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Highlighted is the result of `highlight`.
type Highlighted struct {
	Highlighted string `json:"highlighted"` // the element, as given; empty for none
}

// highlightRules checks that there is an element, or --off.
func highlightRules(c *verb.Call) *verb.Error {
	switch {
	case c.Has("selector") == c.Bool("off"):
		return &verb.Error{Code: verb.MissingArgument, Message: "highlight needs <selector>: the element, or --off"}
	}
	return nil
}

// highlight draws a box over an element with the browser's overlay, which does not change the document. The CDP sessions
// are those of raw calls: the overlay needs domains that the supervisor does not enable.
func highlight(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Highlighted], error) {
	done := run.Reply[Highlighted]{Data: Highlighted{c.Str("selector")}, Text: run.Done}
	if c.Bool("off") {
		e.Highlights.Take(e.Tab)
		return done, e.Explain(hideHighlights(ctx, e), "highlight --off")
	}
	t, err := e.Target(c, "selector")
	if err != nil {
		return done, err
	}
	if !e.Limited && !e.Patient { // the limit of its category is that of page loads
		t.Timeout = element.DefaultTimeout
	}
	// To look for the element takes a frame, which takes four times as long with an earlier highlight in it.
	if err := hideHighlights(ctx, e); err != nil {
		return done, e.Explain(err, "highlight "+c.Str("selector"))
	}
	before, marked := e.Highlights.Take(e.Tab)
	var on locate.Element
	err = e.Act(ctx, "highlight "+c.Str("selector"), func(ctx context.Context, a *element.Actor) (err error) {
		on, err = a.ScrollIntoView(ctx, t)
		return err
	})
	if err == nil {
		err = e.Explain(draw(ctx, e, on), "highlight "+c.Str("selector"))
	}
	if err == nil {
		e.Highlights.Set(e.Tab, on)
	} else if marked && draw(ctx, e, before) == nil { // else its element is gone, and with it the mark
		e.Highlights.Set(e.Tab, before)
	}
	return done, err
}

// draw highlights an element.
func draw(ctx context.Context, e *run.Env, on locate.Element) error {
	ctx, stop := e.Guard(ctx)
	defer stop()
	root := overlayTarget(e.Browser.State(), e.Tab, on.Frame)
	side, err := e.Browser.SideSession(ctx, root)
	if err != nil {
		return err
	}
	enabled := enableOverlay(ctx, side) // while the element is described
	handle, err := e.Worlds.Handle(ctx, on.Frame, "node", map[string]any{"target": map[string]any{"by": "id", "id": on.ID}})
	if err != nil {
		return err
	}
	defer handle.Release()
	got, err := cdp.Do(ctx, handle.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: handle.Object.ObjectID})
	if err != nil {
		return err
	}
	if err := enabled(); err != nil {
		return err
	}
	_, err = cdp.Do(ctx, side, overlay.HighlightNode, overlay.HighlightNodeParams{
		BackendNodeID: got.Node.BackendNodeID,
		HighlightConfig: &overlay.HighlightConfig{
			ContentColor: &protocol.RGBA{R: 255, G: 99, B: 71, A: 0.35}, BorderColor: &protocol.RGBA{R: 255, G: 0, B: 0, A: 0.9},
			PaddingColor: &protocol.RGBA{R: 255, G: 99, B: 71, A: 0.35}, ShowInfo: true,
		},
	})
	if err != nil || root == e.Tab {
		return err
	}
	// A screenshot draws the tab's own process again, and takes of a frame of another process what that drew last.
	return e.Worlds.Call(ctx, on.Frame, "drawn", nil, nil)
}

// overlayTarget returns the target that draws the overlay of a frame: that of its process in the tab.
func overlayTarget(s *model.State, tab model.TargetID, frame model.FrameID) model.TargetID {
	for f := s.Frame(frame); f != nil && f.Parent != ""; f = s.Frame(f.Parent) {
		if f.OOPIF {
			return model.TargetID(f.ID)
		}
	}
	return tab
}

// enableOverlay sends what the overlay needs, together. The result waits for the answers.
func enableOverlay(ctx context.Context, side *cdp.Session) (wait func() error) {
	document := cdp.Start(side, dom.Enable, dom.EnableParams{})
	drawing := cdp.Start(side, overlay.Enable, protocol.Empty{}) // refused without the former, which comes first
	return func() error {
		if _, err := document.Wait(ctx); err != nil {
			return err
		}
		_, err := drawing.Wait(ctx)
		return err
	}
}

// hideHighlights hides the overlays of the tab.
func hideHighlights(ctx context.Context, e *run.Env) error {
	ctx, stop := e.Guard(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return err
	}
	targets := []model.TargetID{tab.ID}
	for id, f := range tab.Frames {
		if f.OOPIF && id != tab.Main && f.Crash == nil {
			targets = append(targets, model.TargetID(id))
		}
	}
	for _, target := range targets {
		side, err := e.Browser.SideSession(ctx, target)
		if err != nil {
			return err
		}
		if err := enableOverlay(ctx, side)(); err != nil {
			return err
		}
		if _, err := cdp.Do(ctx, side, overlay.HideHighlight, protocol.Empty{}); err != nil {
			return err
		}
	}
	return nil
}
