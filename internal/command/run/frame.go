package run

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/dom"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run/frames"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// ContentFrame returns the frame of an iframe element, from DOM.describeNode.
func (e *Env) ContentFrame(ctx context.Context, el locate.Element) (model.FrameID, error) {
	h, err := e.Worlds.Handle(ctx, el.Frame, "byId", el.ID)
	if err != nil {
		return "", err
	}
	defer h.Release()
	node, err := cdp.Do(ctx, h.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: h.Object.ObjectID})
	if err != nil {
		return "", err
	}
	if node.Node == nil || node.Node.FrameID == "" {
		return "", api.Errorf(api.FrameNotFound, "<%s> is no frame; %s", strings.ToLower(el.Tag), e.FrameList())
	}
	return model.FrameID(node.Node.FrameID), nil
}

// FrameList returns the frames of the tab as text for an error.
func (e *Env) FrameList() string {
	t := e.Browser.State().Tabs[e.Tab]
	var list []string
	for id, f := range t.Frames {
		if id == t.Main {
			continue
		}
		name := f.URL
		if f.Name != "" {
			name = strconv.Quote(f.Name) + " " + f.URL
		}
		list = append(list, name)
	}
	if len(list) == 0 {
		return "the page has no frames"
	}
	slices.Sort(list)
	return "the frames are " + strings.Join(list, ", ")
}

// RefOf assigns a ref to an element that was found without one.
func (e *Env) RefOf(el locate.Element) int {
	return e.Refs.Number(e.Tab, world.Document{Frame: el.Frame, Loader: el.Loader}, uint32(el.ID), el.Role, el.Name)
}

// The frame of a command. --frame selects one for this command: main, the ref of its element, its id, its name (the
// name or id attribute of its element), its address, or a prefix of its address or a glob that matches one frame only,
// in this order. Without it, the frame chosen with `frame` is used. A frame that is not there (any more) is an error: a
// command in the page around it would act on other elements.

// frameTimeout is how long to wait for a frame that is not there yet, unless --timeout is given; frameIDTimeout is the
// same for an id, which is more likely stale than early: it covers the moment in which a frame moves from one process
// to another.
const (
	frameTimeout   = 2 * time.Second
	frameIDTimeout = 500 * time.Millisecond
)

// Scope returns the frame that selectors refer to: the one of --frame, or the one chosen with `frame`, or the tab's
// main frame.
func (e *Env) Scope(tab model.TargetID) model.FrameID {
	if e.Frame != "" {
		return e.Frame
	}
	if id, _ := e.chosenFrame(tab); id != "" {
		return id // it may be gone: then the call fails, and does not run in another frame
	}
	return e.BrowserContext.Scope(tab)
}

// resolveFrame resolves the frame that a verb works in.
func (e *Env) resolveFrame(ctx context.Context, c *verb.Call) error {
	if c.Has("frame") {
		f, err := e.FrameFor(ctx, c, c.Str("frame"))
		if err != nil {
			return err
		}
		e.Frame = f.ID
		return nil
	}
	return e.CheckScope(ctx)
}

// CheckScope returns an error if the frame chosen with `frame` is gone.
func (e *Env) CheckScope(ctx context.Context) error {
	id, page := e.chosenFrame(e.Tab)
	if id == "" || e.Browser.State().Frame(id) != nil {
		return nil
	}
	if e.returned(ctx, id, page) {
		return nil
	}
	return api.Errorf(api.FrameDetached, "the frame selected with `frame` (%s) is gone", id).With("frameId", string(id)).
		WithHint("Nothing was done. `frame main` returns to the whole page; `frame list` shows the present frames.")
}

// ReturnedFrame returns a frame that is not there, if it only moves from one process to another; nil if it does not come back.
func (e *Env) ReturnedFrame(ctx context.Context, id model.FrameID) *model.Frame {
	f := e.Browser.State().MainFrame(e.Tab)
	if f == nil || !e.returned(ctx, id, f.Loader) {
		return nil
	}
	return e.Browser.State().Frame(id)
}

// returned waits for a moment until a frame that is not there is back, or the document of the page, whose loader is page, is another.
func (e *Env) returned(ctx context.Context, id model.FrameID, page string) (back bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, min(frameIDTimeout, e.Limit), ErrLimit)
	defer cancel()
	// A timeout here is no failure of its own: it means that the frame is gone.
	_ = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		f := s.MainFrame(e.Tab)
		back = s.Frame(id) != nil || f != nil && f.Loader != page
		return back, s.TabLost(e.Tab)
	})
	return back
}

// FrameFor returns the frame that --frame of one command refers to.
func (e *Env) FrameFor(ctx context.Context, c *verb.Call, spec string) (*model.Frame, error) {
	spec = strings.TrimSpace(spec)
	if spec == "" {
		return nil, api.Errorf(api.InvalidArgument, "--frame names no frame").WithHint("`frame list` shows the present frames.")
	}
	timeout := min(frameTimeout, e.Limit)
	switch {
	case IsFrameID(spec):
		timeout = min(frameIDTimeout, e.Limit)
	case e.Limited, c.Verb.Category == verb.CatWait:
		timeout = e.Limit
	}
	ctx, stop := e.guardFor(ctx, timeout)
	defer stop()
	if t, err := verb.ParseSelector(spec); err == nil && t.Kind == verb.Ref {
		return e.frameOfRef(ctx, t.Ref, spec)
	}
	return e.frameNamed(ctx, spec)
}

// IsFrameID reports whether a text has the form of Chromium's frame ids, 32 hexadecimal digits.
func IsFrameID(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789ABCDEF") == ""
}

// frameOfRef returns the frame inside the iframe element that a ref names.
func (e *Env) frameOfRef(ctx context.Context, n int, written string) (*model.Frame, error) {
	target, err := e.refTarget(n, written)
	if err != nil {
		return nil, err
	}
	target.Timeout = -1
	el, _, err := e.Actor(e.Tab).Find(ctx, target)
	if err != nil {
		return nil, e.failed(err, "--frame "+written)
	}
	id, err := e.ContentFrame(ctx, el)
	if err != nil {
		return nil, e.failed(err, "--frame "+written)
	}
	return e.frameNamed(ctx, string(id))
}

// frameNamed waits for the one frame that a text names.
func (e *Env) frameNamed(ctx context.Context, spec string) (*model.Frame, error) {
	asked := ""
	for {
		s := e.Browser.State()
		t := s.Tabs[e.Tab]
		if t == nil {
			return nil, e.Explain(s.TabLost(e.Tab), "--frame "+spec)
		}
		found := frames.Match(t, spec)
		if now := frames.Documents(t); len(found) == 0 && now != asked && !IsFrameID(spec) {
			found, asked = frames.ByOwner(ctx, e.Browser, t, spec), now
		}
		switch {
		case len(found) > 1:
			return nil, e.frameAmbiguous(spec, found)
		case len(found) == 1 && found[0].Crash != nil:
			return nil, api.Errorf(api.RendererCrashed, "the process of frame %s (%s) crashed (%s)", spec, found[0].URL, found[0].Crash.Status).
				WithHint("`reload` loads the page and its frames again.")
		case len(found) == 1 && found[0].Session != "":
			return found[0], nil
		}
		select {
		case <-s.Changed():
		case <-ctx.Done():
			err := context.Cause(ctx)
			if !errors.Is(err, ErrLimit) {
				return nil, e.Explain(err, "--frame "+spec)
			}
			if len(found) == 1 {
				return nil, api.Errorf(api.FrameNotFound, "frame %s (%s) cannot be reached: the browser reported no CDP session for it", spec, found[0].URL).
					WithHint("Wait until it has loaded, or work in its parent frame: `frame list` shows the present frames.")
			}
			return nil, e.frameMissing(spec)
		}
	}
}

// FrameNow returns the frame that a text names at present, without waiting for it; nil if there is none. The error is
// [api.FrameAmbiguous].
func (e *Env) FrameNow(ctx context.Context, spec string) (*model.Frame, error) {
	t := e.Browser.State().Tabs[e.Tab]
	if t == nil {
		return nil, nil
	}
	found := frames.Match(t, spec)
	if len(found) == 0 {
		found = frames.ByOwner(ctx, e.Browser, t, spec)
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, e.frameAmbiguous(spec, found)
}

func (e *Env) frameAmbiguous(spec string, found []*model.Frame) error {
	var list []string
	for _, f := range found {
		list = append(list, string(f.ID)+" "+f.URL)
	}
	slices.Sort(list)
	return api.Errorf(api.FrameAmbiguous, "%q matches %d frames: %s", spec, len(found), strings.Join(list, ", ")).
		With("frames", e.FrameRows(found)).WithHint("Use the id of one of them.")
}

// frameMissing explains a frame that is not in the tab.
func (e *Env) frameMissing(spec string) error {
	for _, t := range e.Tabs() {
		if t.ID == e.Tab {
			continue
		}
		if found := frames.Match(t, spec); len(found) > 0 && spec != "main" {
			return api.Errorf(api.FrameNotFound, "%s is a frame of tab %s, not of the active one", spec, TabID(t)).
				With("tabId", TabID(t)).WithHint("Switch to it with `tab %s`.", TabID(t))
		}
	}
	message := "no frame matches %q; %s"
	if IsFrameID(spec) {
		message = "there is no frame %s, or it is gone; %s"
	}
	err := api.Errorf(api.FrameNotFound, message, spec, e.FrameList()).WithHint("`frame list` shows ids, names and addresses.")
	if t := e.Browser.State().Tabs[e.Tab]; t != nil {
		var all []*model.Frame
		for f := range t.InOrder() {
			all = append(all, f)
		}
		err.With("frames", e.FrameRows(all))
	}
	return err
}

// checkRefFrame refuses a ref that is not in the frame the caller named.
func (e *Env) checkRefFrame(written string, el locate.Target) error {
	if e.Frame == "" {
		return nil
	}
	t := e.Browser.State().Tabs[e.Tab]
	for id := el.Frame; t != nil && t.Frames[id] != nil; id = t.Frames[id].Parent {
		if id == e.Frame {
			return nil
		}
	}
	return api.Errorf(api.InvalidArgument, "%s is not in the frame of --frame: a ref determines its own frame", written).
		WithHint("Leave out --frame.")
}

// Frame is a frame in results.
type Frame struct {
	FrameID       string  `json:"frameId"`
	ParentFrameID *string `json:"parentFrameId"` // null for the main frame
	Name          *string `json:"name"`          // of the frame element; null without one
	URL           string  `json:"url"`
	Origin        string  `json:"origin"`
	// OutOfProcess reports whether its document has a renderer process of its own.
	OutOfProcess bool `json:"outOfProcess"`
	// Current reports whether selectors refer to it.
	Current bool   `json:"current"`
	Crashed string `json:"crashed,omitzero"` // how its renderer ended
}

// FrameRows returns frames for results and errors.
func (e *Env) FrameRows(frames []*model.Frame) []Frame {
	rows := []Frame{}
	for _, f := range frames {
		row := Frame{FrameID: string(f.ID), ParentFrameID: OrNull(string(f.Parent)), Name: OrNull(f.Name), URL: f.URL,
			Origin: f.Origin, OutOfProcess: f.OOPIF, Current: f.ID == e.Scope(f.Tab)}
		if f.Crash != nil {
			row.Crashed = f.Crash.Status
		}
		rows = append(rows, row)
	}
	return rows
}

// Origin returns the address of the page, or of the frame of --frame, which agent-browser calls origin.
func (e *Env) Origin() string {
	if t := e.Browser.State().Tabs[e.Tab]; t != nil {
		if f := t.Frames[e.Frame]; f != nil {
			return f.URL
		}
		return t.URL
	}
	return ""
}
