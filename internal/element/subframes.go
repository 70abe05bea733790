package element

import (
	"context"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// A selector that matches nothing in its frame is looked for in the frames below.

// searchesSubframes reports whether a target that is not in its frame may be searched in the frames below: a ref
// belongs to one frame, an index counts in one frame, and what is strict is not to be found by chance.
func (e *action) searchesSubframes() bool {
	if e.target.By == locate.ByRef || e.target.By == locate.ByFocus || e.target.Nth != nil || e.target.Strict || len(e.path) > 0 || e.target.OneDocument() {
		return false
	}
	tab := e.actor.browser.State().Tabs[e.actor.tab]
	return tab != nil && len(tab.Frames) > 1 && len(tab.Children(e.frame)) > 0
}

// searchSubframes searches the frames below for the target. If one frame has a match, the action continues there;
// matches in several frames are an error, because a choice would be a guess.
func (e *action) searchSubframes(ctx context.Context) (bool, error) {
	a := e.actor
	tab := a.browser.State().Tabs[a.tab]
	if tab == nil {
		return false, nil
	}
	frames := below(tab, e.frame)
	hits := make([]int, len(frames))
	done := make(chan struct{})
	for i, f := range frames {
		fault.Go(ctx, func() {
			defer func() { done <- struct{}{} }()
			var count struct {
				reply
				Count int `json:"count"`
			}
			ctx, cancel := context.WithTimeoutCause(ctx, slice, errSlow)
			defer cancel()
			// A frame that does not answer has no match now.
			if a.worlds.Call(ctx, f.ID, "count", args{"target": e.target.inPage()}, &count) == nil && count.OK {
				hits[i] = count.Count
			}
		})
	}
	for range frames {
		<-done
	}
	var with []*model.Frame
	for i, n := range hits {
		if n > 0 {
			with = append(with, frames[i])
		}
	}
	switch len(with) {
	case 0:
		return false, context.Cause(ctx)
	case 1:
		e.frame = with[0].ID
		return true, nil
	}
	urls := make([]string, 0, len(with))
	for _, f := range with {
		urls = append(urls, f.URL)
	}
	return false, api.Errorf(api.ElementNotFound, "%s %s: not in this frame, but in %d child frames: %s",
		e.verb, e.target, len(with), strings.Join(urls, ", ")).With("selector", e.target.String()).With("frames", urls).
		WithHint("Use a ref from `snapshot -i`, or choose the frame with `frame` first.")
}

// below lists the frames under a frame, parents before children.
func below(tab *model.Tab, id model.FrameID) []*model.Frame {
	var list []*model.Frame
	for _, f := range tab.Children(id) {
		if f.Session != "" && f.Crash == nil {
			list = append(list, f)
		}
		list = append(list, below(tab, f.ID)...)
	}
	return list
}

// inFrame is the refusal code for a target that is a frame: the action is for the document in it.
const inFrame = "in_frame"

// askInternals is the refusal code for a target whose state has to be read from the accessibility tree.
const askInternals = "ask_internals"

// enterFrame makes the action mean the document in the frame element that is its target.
func (e *action) enterFrame(ctx context.Context, fn string) error {
	id, err := e.contentFrame(ctx, e.frame, e.target.inPage())
	if err != nil {
		return e.apiError(err)
	}
	if id == "" || e.actor.browser.State().Frame(id) == nil {
		return api.Errorf(api.FrameDetached, "%s: the frame has no document yet", e.what())
	}
	e.frame = id
	inner := "body"
	if fn == "check" {
		// All of the document can be clicked; where the body is the editor, only what is in it gives it the caret.
		inner = "body:read-write, :root:not(:has(> body:read-write))"
	}
	e.target = sought{Target: locate.Target{By: locate.ByCSS, Value: inner, Frame: id, Timeout: e.target.Timeout, FailEarly: e.target.FailEarly, Aim: e.target.Aim}}
	return nil
}
