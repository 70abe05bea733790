package world

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// MainContext returns the id of the page's own script context in a frame without an event for it, as in a stealth
// browser. A document node of the isolated world is resolved to an object of the page's context, whose object id
// contains the context id ("isolate.context.object", measured on Chromium 156). If the ids of a browser have another
// form or meaning, it returns an error and never another frame's context.
func (w *Worlds) MainContext(ctx context.Context, frame model.FrameID) (runtime.ExecutionContextID, error) {
	f, wd, err := w.enter(ctx, frame)
	if err != nil {
		return 0, err
	}
	s := w.browser.Session(f.Session)
	node, err := documentOf(ctx, s, wd.context)
	if err != nil {
		if documentGone(err) {
			w.leave(frame, wd)
		}
		return 0, fmt.Errorf("find the document of frame %s: %w", frame, err)
	}
	resolved, err := cdp.Do(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.BackendNodeID})
	if err != nil {
		return 0, fmt.Errorf("find the script context of frame %s: %w", frame, err)
	}
	if resolved.Object == nil {
		return 0, fmt.Errorf("find the script context of frame %s: the browser sent no object", frame)
	}
	defer s.Post("Runtime.releaseObject", map[string]any{"objectId": resolved.Object.ObjectID}, nil)
	id := string(resolved.Object.ObjectID)
	parts := strings.Split(id, ".")
	if len(parts) != 3 {
		return 0, fmt.Errorf("find the script context of frame %s: the browser's object id %q does not tell it", frame, id)
	}
	number, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("find the script context of frame %s: the browser's object id %q does not tell it", frame, id)
	}
	there, err := documentOf(ctx, s, runtime.ExecutionContextID(number))
	if err != nil {
		return 0, fmt.Errorf("find the script context of frame %s: %w", frame, err)
	}
	if there.BackendNodeID != node.BackendNodeID {
		return 0, fmt.Errorf("find the script context of frame %s: context %d has another document", frame, number)
	}
	return runtime.ExecutionContextID(number), nil
}

// documentOf describes the document of a script context. The name document cannot
// be replaced by a page.
func documentOf(ctx context.Context, s *cdp.Session, in runtime.ExecutionContextID) (*protocol.Node, error) {
	res, err := cdp.Do(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "document", ContextID: in, Silent: new(true)})
	if err != nil {
		return nil, err
	}
	if res.Result == nil || res.Result.ObjectID == "" {
		return nil, fmt.Errorf("context %d has no document", in)
	}
	defer s.Post("Runtime.releaseObject", map[string]any{"objectId": res.Result.ObjectID}, nil)
	got, err := cdp.Do(ctx, s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: res.Result.ObjectID})
	if err != nil {
		return nil, err
	}
	if got.Node == nil {
		return nil, fmt.Errorf("context %d has no document", in)
	}
	return got.Node, nil
}
