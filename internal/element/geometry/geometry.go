// Package geometry maps points of frames to the viewport of their tab, which input events take coordinates of.
package geometry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// Point is a position in CSS pixels from the top left of a viewport.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Mapper maps points of the frames of a tab, by the boxes of their owner elements. One goroutine at a time may use it.
type Mapper struct {
	worlds  *world.Worlds
	browser *supervisor.Browser
	owners  map[model.FrameID]protocol.BackendNodeID // the owner element of each frame
}

// NewMapper returns a Mapper.
func NewMapper(w *world.Worlds) *Mapper {
	return &Mapper{worlds: w, browser: w.Browser(), owners: map[model.FrameID]protocol.BackendNodeID{}}
}

// A point of a frame is mapped to its tab in steps, one per process on the way up:
//
//	tab viewport
//	  └ in-process frames ──┐  one DOM.getBoxModel of the innermost owner element:
//	      └ frame           │  the browser includes the frames in between
//	          ══ process border ══
//	          └ frame          one more for each process
//
// The content quad of an owner (an iframe element) includes its borders, padding and CSS transforms. A point is mapped
// by the axes of the quad, which may be rotated.
type step struct {
	session *cdp.Session // of the holder
	root    model.FrameID
	frame   model.FrameID // what is held
	holder  protocol.BackendNodeID
}

// steps lists the way from a frame up to the main frame; none for the main frame.
func (m *Mapper) steps(ctx context.Context, id model.FrameID) ([]step, error) {
	var list []step
	s := m.browser.State()
	for {
		f := s.Frame(id)
		if f == nil {
			return nil, fmt.Errorf("place frame %s: %w", id, world.ErrNoFrame)
		}
		if f.Parent == "" {
			return list, nil
		}
		parent := s.Frame(f.Parent)
		if parent == nil || parent.Session == "" {
			return nil, fmt.Errorf("place frame %s: its parent: %w", id, world.ErrNoFrame)
		}
		session := m.browser.Session(parent.Session)
		holder, err := m.ownerElement(ctx, session, id)
		if err != nil {
			return nil, err
		}
		root := parent
		for root.Parent != "" && !root.OOPIF {
			up := s.Frame(root.Parent)
			if up == nil || up.Session != root.Session {
				break
			}
			root = up
		}
		list = append(list, step{session: session, root: root.ID, frame: id, holder: holder})
		id = root.ID
	}
}

// ownerElement returns the owner element of a frame; it stays the same for the frame's life.
func (m *Mapper) ownerElement(ctx context.Context, session *cdp.Session, id model.FrameID) (protocol.BackendNodeID, error) {
	if node, ok := m.owners[id]; ok {
		return node, nil
	}
	owner, err := cdp.Do(ctx, session, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: protocol.FrameID(id)})
	if err != nil {
		return 0, fmt.Errorf("place frame %s: %w", id, noBoxError(err))
	}
	state := m.browser.State()
	maps.DeleteFunc(m.owners, func(frame model.FrameID, _ protocol.BackendNodeID) bool { return state.Frame(frame) == nil })
	m.owners[id] = owner.BackendNodeID
	return owner.BackendNodeID, nil
}

// ErrNoBox is returned for a frame without a box in the page: its owner element is not rendered, or was removed and the
// event for that has not arrived.
var ErrNoBox = errors.New("the element that holds it is not rendered")

// noBoxError reports whether an error is one of those that Chromium returns for the owner element of a frame that has
// no box, or that was removed.
func noBoxError(err error) error {
	var e *cdp.Error
	if !errors.As(err, &e) {
		return err
	}
	switch message := e.Message; {
	case strings.HasPrefix(message, "Could not compute box model"), strings.HasPrefix(message, "Node does not have a layout object"),
		strings.HasPrefix(message, "Node is detached from document"):
		return fmt.Errorf("%w (%w)", ErrNoBox, err)
	case strings.HasPrefix(message, "Frame with the given id"), strings.HasPrefix(message, "No node found for given backend id"),
		strings.HasPrefix(message, "Could not find node with given id"):
		return fmt.Errorf("%w (%w)", world.ErrNoFrame, err)
	}
	return err
}

// toRoot maps a point of the held frame's viewport to the viewport of the
// step's root frame.
func (st step) toRoot(ctx context.Context, p Point) (Point, error) {
	reply, err := cdp.Do(ctx, st.session, dom.GetBoxModel, dom.GetBoxModelParams{BackendNodeID: st.holder})
	if err != nil {
		return p, fmt.Errorf("place frame %s: %w", st.frame, noBoxError(err))
	}
	box := reply.Model
	if box == nil || len(box.Content) != 8 || len(box.Border) != 8 {
		return p, fmt.Errorf("place frame %s: %w", st.frame, ErrNoBox)
	}
	// The untransformed size of the content, from that of the border box: along
	// one axis a transform changes both by the same factor.
	width := float64(box.Width) * ratio(side(box.Content, 1), side(box.Border, 1))
	height := float64(box.Height) * ratio(side(box.Content, 3), side(box.Border, 3))
	if width <= 0 || height <= 0 {
		return p, fmt.Errorf("place frame %s: its box is empty: %w", st.frame, ErrNoBox)
	}
	fx, fy := p.X/width, p.Y/height
	c := box.Content
	return Point{
		X: c[0] + (c[2]-c[0])*fx + (c[6]-c[0])*fy,
		Y: c[1] + (c[3]-c[1])*fx + (c[7]-c[1])*fy,
	}, nil
}

// side returns the length from the first corner of a quad to its corner j.
func side(q dom.Quad, j int) float64 {
	return math.Hypot(q[2*j]-q[0], q[2*j+1]-q[1])
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// ToTab maps a point of a frame's viewport to the tab's viewport.
func (m *Mapper) ToTab(ctx context.Context, id model.FrameID, p Point) (Point, error) {
	steps, err := m.steps(ctx, id)
	if err != nil {
		return p, err
	}
	for _, st := range steps {
		if p, err = st.toRoot(ctx, p); err != nil {
			return p, err
		}
	}
	return p, nil
}

// HitTest maps a point as ToTab does and checks that the frame is visible there on every level, scrolling its
// owner elements into view if needed. Otherwise it returns a description of what covers it.
func (m *Mapper) HitTest(ctx context.Context, id model.FrameID, p Point) (at Point, blocker string, scrolled bool, err error) {
	steps, err := m.steps(ctx, id)
	if err != nil || len(steps) == 0 {
		return p, "", false, err
	}
	for ; ; scrolled = true {
		at, blocker, err = m.mapUp(ctx, steps, p)
		if err != nil || blocker == "" || scrolled {
			return at, blocker, scrolled, err
		}
		// From the outside in: each holder with the point in it.
		for i := len(steps) - 1; i >= 0; i-- {
			st := steps[i]
			inside := p
			for _, below := range steps[:i] {
				if inside, err = below.toRoot(ctx, inside); err != nil {
					return at, blocker, scrolled, err
				}
			}
			if err := st.show(ctx, inside); err != nil {
				return at, blocker, scrolled, err
			}
		}
	}
}

// mapUp maps p up and hit-tests it on each level.
func (m *Mapper) mapUp(ctx context.Context, steps []step, p Point) (at Point, blocker string, err error) {
	for _, st := range steps {
		if p, err = st.toRoot(ctx, p); err != nil {
			return p, "", err
		}
		if blocker, err = m.covers(ctx, st, p); err != nil || blocker != "" {
			return p, blocker, err
		}
	}
	return p, "", nil
}

// viewport is what read.ts returns for a frame's window.
type viewport struct {
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
	ScrollX float64 `json:"scrollX"`
	ScrollY float64 `json:"scrollY"`
}

// covers names what is hit at p of the step's root instead of the held frame,
// empty if nothing is.
func (m *Mapper) covers(ctx context.Context, st step, p Point) (string, error) {
	var view viewport
	if err := m.worlds.Call(ctx, st.root, "viewport", nil, &view); err != nil {
		return "", err
	}
	if p.X < 0 || p.Y < 0 || p.X >= view.Width || p.Y >= view.Height {
		return "nothing: it is outside the viewport", nil
	}
	hit, err := cdp.Do(ctx, st.session, dom.GetNodeForLocation, dom.GetNodeForLocationParams{
		// This call counts from the top of the document, not of the window.
		X: int64(p.X + view.ScrollX), Y: int64(p.Y + view.ScrollY), IncludeUserAgentShadowDOM: new(false),
	})
	if err != nil {
		return "", fmt.Errorf("hit-test frame %s: %w", st.frame, err)
	}
	s := m.browser.State()
	for f := s.Frame(model.FrameID(hit.FrameID)); f != nil; f = s.Frame(f.Parent) {
		if f.ID == st.frame {
			return "", nil
		}
	}
	if hit.BackendNodeID == st.holder {
		return "", nil // a frame of another process: its own document is not seen from here
	}
	node, err := cdp.Do(ctx, st.session, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: hit.BackendNodeID})
	if err != nil || node.Node == nil {
		return "another element", nil //nolint:nilerr // it vanished meanwhile; that something covers the frame is certain
	}
	return describeNode(node.Node), nil
}

// show scrolls the holder so that the point p of its frame is in view.
func (st step) show(ctx context.Context, p Point) error {
	_, err := cdp.Do(ctx, st.session, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{
		BackendNodeID: st.holder, Rect: &dom.Rect{X: p.X - 10, Y: p.Y - 10, Width: 20, Height: 20},
	})
	if err != nil {
		return fmt.Errorf("scroll frame %s into view: %w", st.frame, noBoxError(err))
	}
	return nil
}

// describeNode is describe of describe.ts for a DOM.Node.
func describeNode(n *protocol.Node) string {
	name := n.LocalName
	if name == "" {
		name = n.NodeName
	}
	for i := 0; i+1 < len(n.Attributes); i += 2 {
		if n.Attributes[i] == "id" && n.Attributes[i+1] != "" {
			name += "#" + n.Attributes[i+1]
		}
	}
	return "<" + name + ">"
}
