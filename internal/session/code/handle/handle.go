// Package handle keeps the objects of pages that code holds.
package handle

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// List are the objects of pages that the code of a run holds. The zero value has none.
type List struct {
	mu   sync.Mutex
	last int            // guarded by mu
	list map[int]Handle // guarded by mu
}

// Handle is an object of a page, in the page's own context.
type Handle struct {
	Session *cdp.Session
	Frame   model.FrameID
	Object  runtime.RemoteObjectID
}

// Add adds an object and returns its number.
func (h *List) Add(o Handle) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.list == nil {
		h.list = map[int]Handle{}
	}
	h.last++
	h.list[h.last] = o
	return h.last
}

// Get returns an object by its number.
func (h *List) Get(id int) (Handle, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o, ok := h.list[id]
	return o, ok
}

// Drop releases an object in its page.
func (h *List) Drop(id int) {
	h.mu.Lock()
	o, ok := h.list[id]
	delete(h.list, id)
	h.mu.Unlock()
	if ok {
		o.Release()
	}
}

// Release releases all objects in the pages.
func (h *List) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.list {
		o.Release()
	}
	h.list = nil
}

// Release releases the object in its page.
func (o Handle) Release() {
	o.Session.Post(runtime.CommandReleaseObject, map[string]any{"objectId": o.Object}, nil)
}

// OfRef returns the element of a ref as an object of the page's own context, also if it was removed from its document, as long as
// the page keeps it.
func OfRef(ctx context.Context, e *run.Env, ref string) (Handle, error) {
	parsed, err := verb.ParseSelector(ref)
	if err != nil {
		return Handle{}, err
	}
	target, err := e.TargetOf(parsed, ref)
	if err != nil {
		return Handle{}, err
	}
	if e.Browser.State().Frame(target.Frame) == nil {
		e.ReturnedFrame(ctx, target.Frame)
	}
	ctx, stop := e.Guard(ctx)
	defer stop()
	h, err := resolve(ctx, e, target)
	if err != nil {
		return Handle{}, e.Explain(gone(err), "evaluate")
	}
	return h, nil
}

// resolve finds an element of the page script in the page's own context.
func resolve(ctx context.Context, e *run.Env, target locate.Target) (Handle, error) {
	own, err := e.Worlds.Handle(ctx, target.Frame, "node", map[string]any{"target": map[string]any{"by": "id", "id": target.ID}, "removed": true})
	if err != nil {
		return Handle{}, err
	}
	defer own.Release()
	got, err := cdp.Do(ctx, own.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: own.Object.ObjectID})
	if err != nil {
		return Handle{}, err
	}
	in, err := cdp.Do(ctx, own.Session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: got.Node.BackendNodeID})
	if err != nil {
		return Handle{}, err
	}
	return Handle{own.Session, target.Frame, in.Object.ObjectID}, nil
}

// gone is the error for an element that was removed, or whose document was replaced, before it was found or while it was. Other
// errors stay.
func gone(err error) error {
	var script *world.ScriptError
	var refused *cdp.Error
	switch {
	case world.DocumentGone(err):
		return err
	case errors.As(err, &script), errors.As(err, &refused) && strings.HasPrefix(refused.Method, "DOM."):
		return api.Errorf(api.StaleRef, "evaluate: the element is gone from the page: %w", err)
	}
	return err
}

// Ref returns a ref for an element of the page's own context; empty for a node that is no element.
func Ref(ctx context.Context, e *run.Env, frame *model.Frame, session *cdp.Session, id runtime.RemoteObjectID) (string, error) {
	ctx, stop := e.Browser.GuardFrame(ctx, e.Tab, frame.ID)
	defer stop()
	var found struct {
		Element *locate.Element `json:"element"`
	}
	own, in, err := e.Worlds.ScriptContext(ctx, frame.ID)
	if err == nil && own != session {
		err = world.ErrNoFrame
	}
	if err != nil {
		return "", e.Explain(err, "evaluate")
	}
	got, err := cdp.Do(ctx, session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: id})
	if err != nil {
		return "", e.Explain(err, "evaluate")
	}
	node, err := cdp.Do(ctx, session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: got.Node.BackendNodeID, ExecutionContextID: in})
	if err != nil {
		return "", e.Explain(err, "evaluate")
	}
	defer Handle{session, frame.ID, node.Object.ObjectID}.Release()
	res, err := cdp.Do(ctx, session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: pagescript.Located, ObjectID: node.Object.ObjectID, ReturnByValue: new(true),
	})
	if err != nil {
		return "", e.Explain(err, "evaluate")
	}
	if err := json.Unmarshal(res.Result.Value, &found, json.MatchCaseInsensitiveNames(true)); err != nil || found.Element == nil {
		return "", nil //nolint:nilerr // a text, a comment or a document
	}
	found.Element.Frame, found.Element.Loader = frame.ID, frame.Loader
	return "@e" + strconv.Itoa(e.RefOf(*found.Element)), nil
}
