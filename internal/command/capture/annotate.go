package capture

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view"
	"github.com/usher-browser/usher/internal/world"
)

// Annotation is a mark on a picture: a number and its element. Box is in CSS pixels from the top left of the picture.
type Annotation struct {
	Ref    string     `json:"ref"`
	Number int        `json:"number"`
	Role   string     `json:"role"`
	Name   string     `json:"name,omitempty"`
	Box    media.Rect `json:"box"`
}

// String returns the line of the legend: [3] @e3 button "Buy".
func (a Annotation) String() string {
	s := fmt.Sprintf("[%d] @%s %s", a.Number, a.Ref, a.Role)
	if a.Name != "" {
		s += " " + strconv.Quote(a.Name)
	}
	return s
}

// annotated takes a picture and draws on it the refs of the actionable elements in it. The page is not changed: the
// marks are drawn on the finished picture. Boxes are read after the picture, when taking it cannot move them any more.
func annotated(ctx context.Context, e *run.Env, s *cdp.Session, shot media.Shot) (media.Picture, []Annotation, error) {
	snap, err := e.Viewer.Snapshot(ctx, e.Tab, view.Options{Interactive: true})
	if err != nil {
		return media.Picture{}, nil, fmt.Errorf("find the elements to annotate: %w", err)
	}
	plain := shot
	plain.Format, plain.Later = media.PNG, shot.Format
	pic, err := e.Camera.Capture(ctx, s, plain)
	if err != nil {
		return pic, nil, err
	}
	tab, err := e.CurrentTab()
	if err != nil {
		return pic, nil, err
	}
	p, err := media.Measure(ctx, e.Worlds, tab)
	if err != nil {
		return pic, nil, err
	}
	area := p.Window
	if shot.Area != nil {
		area = *shot.Area
		area.Width -= pic.Cut.Width
		area.Height -= pic.Cut.Height
	}
	list, err := marks(ctx, e, snap, p, area, shot.Beyond)
	if err != nil {
		return pic, nil, err
	}
	marks := make([]media.Mark, len(list))
	for i, a := range list {
		marks[i] = media.Mark{Number: a.Number, Box: a.Box}
	}
	format := shot.Format
	if format == media.WebP {
		format = media.PNG // Go cannot write WebP; the browser can
	}
	pic.Format = shot.Format
	pic.Data, err = media.Annotate(pic.Data, marks, p.Scale, format, shot.Quality)
	if err == nil && shot.Format == media.WebP {
		pic.Data, err = reencode(ctx, e, pic.Data, shot.Quality)
	}
	return pic, list, err
}

// reencode has the browser turn a PNG into WebP.
func reencode(ctx context.Context, e *run.Env, picture []byte, quality int) ([]byte, error) {
	if quality == 0 {
		quality = 80 // as Chromium's own screenshots
	}
	arg := map[string]any{"png": base64.StdEncoding.EncodeToString(picture), "type": "image/webp", "quality": float64(quality) / 100}
	var text string
	if err := e.Worlds.Call(ctx, model.FrameID(e.Tab), "encodePicture", arg, &text); err != nil {
		return nil, fmt.Errorf("encode the annotated image: %w", err)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("encode the annotated image: %w", err)
	}
	return data, nil
}

// InView returns the numbers of the refs of a snapshot that can be acted on and are in the window.
func InView(ctx context.Context, e *run.Env, snap *view.Snapshot) (map[int]bool, error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return nil, err
	}
	p, err := media.Measure(ctx, e.Worlds, tab)
	if err != nil {
		return nil, err
	}
	list, err := marks(ctx, e, snap, p, p.Window, false)
	seen := map[int]bool{}
	for _, a := range list {
		if n, err := strconv.Atoi(strings.TrimPrefix(a.Ref, "e")); err == nil {
			seen[n] = true
		}
	}
	return seen, err
}

// marks finds the refs that show in an area of the document.
func marks(ctx context.Context, e *run.Env, snap *view.Snapshot, p media.Page, area media.Rect, beyond bool) ([]Annotation, error) {
	ids := map[world.Document][]uint32{}
	for i := range snap.Refs {
		if r := &snap.Refs[i]; actionable(r) {
			ids[r.Document] = append(ids[r.Document], r.ID)
		}
	}
	tab, err := e.CurrentTab()
	if err != nil {
		return nil, err
	}
	window := p.Window.Move(-p.Window.X, -p.Window.Y)
	if beyond {
		window = media.Rect{X: -p.Window.X, Y: -p.Window.Y, Width: p.Width, Height: p.Height}
	}
	at := map[world.Document]map[uint32]media.Rect{}
	for doc, list := range ids {
		boxes, err := boxes(ctx, e, tab, doc, list, window, beyond)
		switch {
		case err == nil:
			at[doc] = boxes
		case doc.Frame == tab.Main || ctx.Err() != nil:
			return nil, err
			// A frame that went away or does not answer has no marks; the picture is
			// still worth having.
		}
	}
	list := []Annotation{}
	for i := range snap.Refs {
		r := &snap.Refs[i]
		box, ok := at[r.Document][r.ID]
		if !ok {
			continue
		}
		// From the tab's viewport to the document, and from there to the picture.
		box = box.Move(p.Window.X, p.Window.Y).Intersect(area).Move(-area.X, -area.Y)
		if box.Width < 2 || box.Height < 2 {
			continue
		}
		list = append(list, Annotation{Ref: "e" + strconv.Itoa(r.Number), Number: r.Number, Role: r.Role, Name: r.Name, Box: tenths(box)})
	}
	return list, nil
}

// actionable reports whether an element can be acted on; an outline also has refs for landmarks.
func actionable(r *view.Shown) bool {
	switch r.Role {
	case "heading", "cell", "gridcell", "columnheader", "rowheader", "listitem", "article", "region", "main", "navigation", "Iframe":
		return r.Clickable
	}
	return true
}

// tenths rounds to tenths of a pixel.
func tenths(r media.Rect) media.Rect {
	round := func(f float64) float64 { return math.Round(f*10) / 10 }
	return media.Rect{X: round(r.X), Y: round(r.Y), Width: round(r.Width), Height: round(r.Height)}
}

// boxes returns the positions of elements of one document in the tab's viewport, of those that are visible within clip.
func boxes(ctx context.Context, e *run.Env, tab *model.Tab, doc world.Document, ids []uint32, clip media.Rect, beyond bool) (map[uint32]media.Rect, error) {
	var res struct {
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
		Shown  []struct {
			ID uint32 `json:"id"`
			media.Rect
		} `json:"shown"`
	}
	main := doc.Frame == tab.Main
	now, err := e.Worlds.CallIn(ctx, doc.Frame, "boxes", map[string]any{"ids": ids, "beyond": beyond && main}, &res)
	if err != nil {
		return nil, fmt.Errorf("find boxes: %w", err)
	}
	if now != doc {
		return nil, fmt.Errorf("find boxes: %w", errReplaced)
	}
	out := map[uint32]media.Rect{}
	if main {
		for _, el := range res.Shown {
			out[el.ID] = el.Rect
		}
		return out, nil
	}
	if len(res.Shown) == 0 {
		return out, nil
	}
	to, err := axesOf(ctx, e, doc.Frame, media.Rect{Width: res.Width, Height: res.Height})
	if err != nil {
		return nil, err
	}
	// A frame inside a frame is clipped by that one too.
	for id := doc.Frame; id != tab.Main; {
		f := tab.Frames[id]
		if f == nil || tab.Frames[f.Parent] == nil {
			return nil, fmt.Errorf("find boxes: %w", errReplaced)
		}
		if id == doc.Frame {
			clip = clip.Intersect(to.around(media.Rect{Width: res.Width, Height: res.Height}))
		} else {
			visible, err := frameRect(ctx, e, id)
			if err != nil {
				return nil, err
			}
			clip = clip.Intersect(visible)
		}
		id = f.Parent
	}
	for _, el := range res.Shown {
		if box := to.around(el.Rect).Intersect(clip); !box.Empty() {
			out[el.ID] = box
		}
	}
	return out, nil
}

var errReplaced = errors.New("the document was replaced during the call")

// frameRect returns where the window of a frame is in the tab's viewport.
func frameRect(ctx context.Context, e *run.Env, frame model.FrameID) (media.Rect, error) {
	var size struct {
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	}
	if err := e.Worlds.Call(ctx, frame, "viewport", nil, &size); err != nil {
		return media.Rect{}, fmt.Errorf("find frame: %w", err)
	}
	all := media.Rect{Width: size.Width, Height: size.Height}
	to, err := axesOf(ctx, e, frame, all)
	return to.around(all), err
}

// axes says where a frame lies in its tab: where its origin goes, and where a
// step along each of its axes leads. It covers frames that are scaled or turned.
type axes struct{ origin, right, down geometry.Point }

func axesOf(ctx context.Context, e *run.Env, frame model.FrameID, size media.Rect) (axes, error) {
	a := e.Actor(e.Tab)
	var corner [3]geometry.Point
	for i, p := range []geometry.Point{{}, {X: max(size.Width, 1)}, {Y: max(size.Height, 1)}} {
		at, err := a.ToTabViewport(ctx, frame, p)
		if err != nil {
			return axes{}, fmt.Errorf("place frame: %w", err)
		}
		corner[i] = at
	}
	per := func(to geometry.Point, length float64) geometry.Point {
		return geometry.Point{X: (to.X - corner[0].X) / length, Y: (to.Y - corner[0].Y) / length}
	}
	return axes{corner[0], per(corner[1], max(size.Width, 1)), per(corner[2], max(size.Height, 1))}, nil
}

// around returns the upright rectangle around the image of r.
func (a axes) around(r media.Rect) media.Rect {
	left, top := math.Inf(1), math.Inf(1)
	right, bottom := math.Inf(-1), math.Inf(-1)
	for _, p := range [4]geometry.Point{{X: r.X, Y: r.Y}, {X: r.X + r.Width, Y: r.Y}, {X: r.X, Y: r.Y + r.Height}, {X: r.X + r.Width, Y: r.Y + r.Height}} {
		x := a.origin.X + a.right.X*p.X + a.down.X*p.Y
		y := a.origin.Y + a.right.Y*p.X + a.down.Y*p.Y
		left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
	}
	return media.Rect{X: left, Y: top, Width: right - left, Height: bottom - top}
}
