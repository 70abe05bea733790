package capture

import (
	"context"
	"fmt"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/overlay"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
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
		e.Highlights.Forget(e.Tab)
		return done, e.Explain(hideHighlights(ctx, e), "highlight --off")
	}
	t, err := e.Target(c, "selector")
	if err != nil {
		return done, err
	}
	if !e.Limited && !e.Patient { // the limit of its category is that of page loads
		t.Timeout = element.DefaultTimeout
	}
	m := mark{e: e}
	var on locate.Element
	err = e.Act(ctx, "highlight "+c.Str("selector"), func(ctx context.Context, a *element.Actor) (err error) {
		on, err = a.Reveal(ctx, t, func(frame model.FrameID) { m.failed = m.begin(ctx, frame, "revealed", nil) })
		return err
	})
	if err != nil {
		return done, err // the earlier mark stays
	}
	return done, e.Explain(m.draw(ctx, on), "highlight "+c.Str("selector"))
}

// mark is a mark that is about to be drawn.
type mark struct {
	e       *run.Env
	root    model.TargetID // whose overlay draws it
	side    *cdp.Session   // of root
	enabled func() error   // waits until the overlay is enabled
	node    *world.PendingHandle
	failed  error
}

// begin sends what the overlay needs, and the call of the page script that returns the element.
func (m *mark) begin(ctx context.Context, frame model.FrameID, fn string, args any) (err error) {
	m.root = overlayTarget(m.e.Browser.State(), m.e.Tab, frame)
	if m.side, err = m.e.Browser.SideSession(ctx, m.root); err != nil {
		return err
	}
	m.enabled = func() error { return nil }
	if at, marked := m.e.Highlights.Of(m.e.Tab); !marked || at != m.root { // to enable it again draws the earlier mark, which takes 5 ms
		m.enabled = enableOverlay(ctx, m.side)
	}
	m.node, err = m.e.Worlds.StartHandle(ctx, m.side, frame, fn, args)
	return err
}

// draw highlights an element in place of what is marked in the tab.
func (m *mark) draw(ctx context.Context, on locate.Element) error {
	ctx, stop := m.e.Guard(ctx)
	defer stop()
	node, err := m.element(ctx, on)
	if err != nil {
		return err
	}
	defer node.Release()
	if before, marked := m.e.Highlights.Of(m.e.Tab); marked && before != m.root {
		if err := hideHighlights(ctx, m.e); err != nil {
			return err
		}
	}
	m.e.Highlights.Forget(m.e.Tab)
	err = m.show(ctx, node)
	if err != nil { // the overlay may have been disabled since
		if err = enableOverlay(ctx, m.side)(); err == nil {
			err = m.show(ctx, node)
		}
	}
	if err != nil {
		return err
	}
	m.e.Highlights.Set(m.e.Tab, m.root)
	if m.root == m.e.Tab {
		return nil
	}
	// A screenshot draws the tab's own process again, and takes of a frame of another process what that drew last.
	return m.e.Worlds.Call(ctx, on.Frame, "drawn", nil, nil)
}

// element returns the element once the overlay can draw it. If the page had to wait for it, it was not there when it was asked for.
func (m *mark) element(ctx context.Context, on locate.Element) (*world.Handle, error) {
	var node *world.Handle
	if m.failed == nil {
		if m.failed = m.enabled(); m.failed == nil {
			node, m.failed = m.node.Wait(ctx)
		}
	}
	if node != nil {
		return node, nil
	}
	if err := m.begin(ctx, on.Frame, "node", map[string]any{"target": map[string]any{"by": "id", "id": on.ID}}); err != nil {
		return nil, err
	}
	if err := m.enabled(); err != nil {
		return nil, err
	}
	node, err := m.node.Wait(ctx)
	if err == nil && node == nil {
		err = fmt.Errorf("the page gave no element for id %d", on.ID)
	}
	return node, err
}

// show draws the mark.
func (m *mark) show(ctx context.Context, node *world.Handle) error {
	_, err := cdp.Do(ctx, m.side, overlay.HighlightNode, overlay.HighlightNodeParams{
		ObjectID: node.Object.ObjectID,
		HighlightConfig: &overlay.HighlightConfig{
			ContentColor: &protocol.RGBA{R: 255, G: 99, B: 71, A: 0.35}, BorderColor: &protocol.RGBA{R: 255, G: 0, B: 0, A: 0.9},
			PaddingColor: &protocol.RGBA{R: 255, G: 99, B: 71, A: 0.35}, ShowInfo: true,
		},
	})
	return err
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
