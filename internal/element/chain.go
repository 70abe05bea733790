package element

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/chromedp/cdproto/dom"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb/chain"
	"github.com/usher-browser/usher/internal/world"
)

// A chain of locators is resolved in the page, in one call. One that goes through frames is resolved frame by frame, for
// each attempt again: a frame may be replaced while the action waits.

// sought is the target of an action.
type sought struct {
	locate.Target
	// keep identifies the action of a chain; kept is set when the chain was found in it. The action then goes on with that
	// element while it is in its document: what the action does may change what the chain matches.
	keep int64
	kept bool
}

// inPage is InPage, with what the script keeps of a chain.
func (s sought) inPage() args {
	a := s.InPage()
	if s.By == locate.ByChain {
		a["keep"], a["kept"] = s.keep, s.kept
	}
	return a
}

// lastKept is the number of the last action with a chain, see [sought].
var lastKept atomic.Int64

// setChain prepares an action for its chain.
func (e *action) setChain() {
	e.target.keep, e.target.kept = lastKept.Add(1), false
	e.top, e.path = e.frame, nil
	rest := e.target.Parts
	for i := 0; i < len(rest); i++ {
		if rest[i].Kind == chain.Enter {
			e.path = append(e.path, rest[:i])
			rest, i = rest[i+1:], -1
		}
	}
	e.target.Parts = rest
	if len(e.path) > 0 {
		e.loader, e.target.Loader = e.target.Loader, ""
	}
}

// enterPath goes through the frames of a chain to the one that its last parts are searched in.
func (e *action) enterPath(ctx context.Context) (*failure.Refusal, error) {
	if len(e.path) == 0 || e.target.kept && e.actor.browser.State().Frame(e.frame) != nil {
		return nil, nil
	}
	frame := e.top
	for i, parts := range e.path {
		step := *e
		step.path, step.frame = nil, frame
		step.target = sought{Target: locate.Target{By: locate.ByChain, Value: e.target.Value, Parts: parts, Strict: e.target.Strict}, keep: lastKept.Add(1)}
		if i == 0 {
			step.target.Loader = e.loader
		}
		var res struct {
			reply
			Element locate.Found `json:"element"`
		}
		doc, err := step.askOnce(ctx, "find", nil, 0, &res)
		if err != nil || !res.OK {
			e.frame = frame
			return res.Refusal, err
		}
		id, err := e.contentFrame(ctx, frame, res.Element.In(doc).Target().InPage())
		if err != nil {
			return nil, err
		}
		if id == "" {
			return &failure.Refusal{Code: string(api.ElementUnsuitable), Detail: "<" + res.Element.Tag + "> is no frame, which " + parts[len(parts)-1].Source + " has to be"}, nil
		}
		if e.actor.browser.State().Frame(id) == nil {
			return &failure.Refusal{Code: string(api.FrameDetached), Detail: "the frame has no document yet", Retry: true}, nil
		}
		frame = id
	}
	if e.frame != frame {
		e.frame = frame
		return nil, e.arrived(ctx)
	}
	return nil, nil
}

// contentFrame returns the frame of the frame element that is the target, which is in the form of locate.ts; empty if that
// is no frame element. It is [world.ErrNoFrame] for one that has been removed from the page since it was found: a page that replaces
// its frames, as rich text editors do, has another one soon.
func (e *action) contentFrame(ctx context.Context, in model.FrameID, target args) (model.FrameID, error) {
	handle, err := e.actor.worlds.Handle(ctx, in, "node", args{"target": target})
	var removed *world.ScriptError
	if errors.As(err, &removed) {
		return "", fmt.Errorf("%w: %s", world.ErrNoFrame, removed.Message)
	}
	if err != nil {
		return "", err
	}
	defer handle.Release()
	node, err := cdp.Do(ctx, handle.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: handle.Object.ObjectID})
	if err != nil {
		return "", err
	}
	if node.Node.FrameID == "" && isFrameTag(node.Node.LocalName) {
		return "", fmt.Errorf("%w: it was removed from the page", world.ErrNoFrame)
	}
	return model.FrameID(node.Node.FrameID), nil
}

func isFrameTag(tag string) bool { return tag == "iframe" || tag == "frame" }

// noFrame takes no error for the one of a chain whose frame is not there.
func noFrame(err error) error {
	if code := api.CodeOf(err); code == api.ElementNotFound || code == api.FrameDetached {
		return nil
	}
	return err
}

// Refs returns all matches of a target, none if there are none, without waiting. It is one call in the page, and one more
// for each frame that a chain goes through. Roles and names are those of snapshots.
func (a *Actor) Refs(ctx context.Context, t locate.Target) ([]locate.Element, error) {
	var res struct {
		reply
		Elements []locate.Found `json:"elements"`
	}
	t.Timeout, t.Strict = -1, false
	doc, err := a.read(ctx, "find", t, "matches", nil, &res)
	if err := noFrame(err); err != nil {
		return nil, err
	}
	out := make([]locate.Element, len(res.Elements))
	for i, el := range res.Elements {
		out[i] = el.In(doc)
	}
	return out, nil
}

// Texts returns the text of each match of a target, without waiting: with rendered as it is rendered (innerText), else that
// of its text nodes (textContent).
func (a *Actor) Texts(ctx context.Context, t locate.Target, rendered bool) ([]string, error) {
	var res struct {
		reply
		Texts []string `json:"texts"`
	}
	t.Timeout, t.Strict = -1, false
	_, err := a.read(ctx, "get text", t, "texts", args{"rendered": rendered}, &res)
	return res.Texts, noFrame(err)
}

// States is the state of the element that a target matches.
type States struct {
	Attached bool // there is one; else the rest is false, and Checked is "none"
	Status
}

// States returns the state of the element that a target matches now; none is no error. A strict target that matches several
// is refused.
func (a *Actor) States(ctx context.Context, t locate.Target) (States, error) {
	t.Timeout = -1
	status, err := a.Status(ctx, t)
	if err != nil {
		return States{Status: Status{Checked: "none"}}, noFrame(err)
	}
	return States{Attached: true, Status: status}, nil
}
