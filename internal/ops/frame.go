package ops

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/dom"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

func frameVerbs() map[string]Func {
	return map[string]Func{"frame switch": frame, "frame list": listFrames}
}

// frame chooses what selectors mean: the document inside an iframe, or the whole
// page. Refs are not concerned: they know their frame.
func frame(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	written := c.Str("frame")
	if written == "main" {
		e.SetScope("")
		return Result{Data: obj{"frame": "main"}, Text: done}, nil
	}
	id, err := e.findFrame(ctx, c)
	if err != nil {
		return Result{}, err
	}
	e.SetScope(id)
	f := e.Browser.State().Frame(id)
	data := obj{"frame": written, "frameId": string(id)}
	if f != nil {
		data["url"] = f.URL
		if f.Name != "" {
			data["frame"] = f.Name
		}
	}
	return Result{Data: data, Text: done}, nil
}

func (e *Env) findFrame(ctx context.Context, c *verb.Call) (model.FrameID, error) {
	if written := c.Str("frame"); isFrameID(written) { // no element goes by such a name
		f, err := e.frameFor(ctx, c, written)
		if err != nil {
			return "", err
		}
		return f.ID, nil
	}
	if err := e.checkScope(ctx); err != nil {
		return "", err
	}
	target, err := e.target(c, "frame")
	if err != nil {
		return "", err
	}
	target.Timeout = -1
	var id model.FrameID
	err = e.act(ctx, "frame "+c.Str("frame"), func(ctx context.Context, a *element.Actor) error {
		el, _, err := a.Find(ctx, target)
		if err != nil {
			return err
		}
		id, err = e.contentFrame(ctx, el)
		return err
	})
	if err != nil {
		if code := api.CodeOf(err); code == api.ElementNotFound {
			err := api.Errorf(api.FrameNotFound, "Frame not found: %s; %s", c.Str("frame"), e.frameList())
			if t := e.Browser.State().Tabs[e.Tab]; t != nil && e.Scope(e.Tab) != t.Main {
				err.WithHint("Selectors mean the frame chosen before; `frame main` goes back to the whole page.")
			}
			return "", err
		}
		return "", err
	}
	return id, nil
}

// contentFrame asks the browser which frame an iframe element holds.
func (e *Env) contentFrame(ctx context.Context, el element.Element) (model.FrameID, error) {
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
		return "", api.Errorf(api.FrameNotFound, "<%s> is no frame; %s", strings.ToLower(el.Tag), e.frameList())
	}
	return model.FrameID(node.Node.FrameID), nil
}

// frameList says for an error which frames the tab has.
func (e *Env) frameList() string {
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

// refOf hands out a ref for an element that was found without one.
func (e *Env) refOf(el element.Element) int {
	return e.Refs.Number(e.Tab, world.Document{Frame: el.Frame, Loader: el.Loader}, uint32(el.ID), el.Role, el.Name)
}
