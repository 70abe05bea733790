package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// The listeners of a document as CDP's domain DOMDebugger reports them: for a browser behind an extension, which has no
// command line API. Shadow roots are not searched.
const (
	// maxListening bounds the elements that are looked up.
	maxListening   = 2000
	listenersGroup = "usher-listeners"
	indexesOf      = `function(selector, ...nodes) { const all = document.querySelectorAll(selector), at = new Map();
	for (let i = 0; i < all.length; i++) at.set(all[i], i);
	return {count: all.length, at: nodes.map((n) => at.has(n) ? at.get(n) : -1)}; }`
)

// letterOf has the kinds of events that are reported, as in the constant letters and in its order.
var letterOf = []struct{ event, letter string }{
	{"click", "c"}, {"mousedown", "m"}, {"pointerdown", "p"}, {"touchstart", "t"}, {"mouseup", "u"}, {"pointerup", "v"}, {"dblclick", "d"}, {"contextmenu", "x"},
}

// delegates is from how many kinds of events on an element listens for its descendants.
const delegates = 30

// domListeners returns the listeners of a frame's document in the form of [Listeners.Wait].
func (w *Worlds) domListeners(ctx context.Context, frame model.FrameID) (string, error) {
	f, wd, err := w.enter(ctx, frame)
	if err != nil {
		return "", err
	}
	if f.MainContext == "" {
		return "", nil // the page runs no scripts there
	}
	s := w.browser.Session(f.Session)
	defer s.Post(runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: listenersGroup}, nil)
	document, err := cdp.Do(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "document", UniqueContextID: f.MainContext, ObjectGroup: listenersGroup, Silent: new(true)})
	if err != nil {
		return "", err
	}
	if document.Result == nil || document.Result.ObjectID == "" {
		return "", errors.New("the frame has no document")
	}
	found, err := cdp.Do(ctx, s, domdebugger.GetEventListeners, domdebugger.GetEventListenersParams{ObjectID: document.Result.ObjectID, Depth: new(int64(-1))})
	if err != nil {
		return "", err
	}
	nodes, kinds := byNode(found.Listeners)
	if len(nodes) > maxListening {
		return "", fmt.Errorf("%d elements have listeners, more than the %d that are looked up", len(nodes), maxListening)
	}
	pending := make([]*cdp.Pending[dom.ResolveNodeResult], len(nodes))
	for i, n := range nodes {
		pending[i] = cdp.Start(s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: n, ExecutionContextID: wd.context, ObjectGroup: listenersGroup})
	}
	call := runtime.CallFunctionOnParams{FunctionDeclaration: indexesOf, ExecutionContextID: wd.context, ReturnByValue: new(true), Silent: new(true),
		Arguments: []*runtime.CallArgument{{Value: jsontext.Value(elements)}}}
	var said []string
	for i, p := range pending {
		node, err := p.Wait(ctx)
		if err != nil || node.Object == nil {
			continue // it has left the document
		}
		call.Arguments = append(call.Arguments, &runtime.CallArgument{ObjectID: node.Object.ObjectID})
		said = append(said, kinds[nodes[i]])
	}
	res, err := cdp.Do(ctx, s, runtime.CallFunctionOn, call)
	switch {
	case err != nil:
		return "", err
	case res.ExceptionDetails != nil:
		return "", &ScriptError{Func: "querySelectorAll", Message: exceptionText(res.ExceptionDetails)}
	}
	var at struct {
		Count int   `json:"count"`
		At    []int `json:"at"`
	}
	if err := jsonv2.Unmarshal(res.Result.Value, &at); err != nil || len(at.At) != len(said) {
		return "", fmt.Errorf("the browser sent %.80s: %w", res.Result.Value, cmp.Or(err, errors.New("a wrong number of elements")))
	}
	return encodeListeners(at.Count, at.At, said), nil
}

// byNode returns the elements with listeners that count, and their letters.
func byNode(listeners []*domdebugger.EventListener) (nodes []protocol.BackendNodeID, letters map[protocol.BackendNodeID]string) {
	types := map[protocol.BackendNodeID]map[string]bool{}
	for _, l := range listeners {
		if types[l.BackendNodeID] == nil {
			types[l.BackendNodeID] = map[string]bool{}
		}
		types[l.BackendNodeID][l.Type] = true
	}
	letters = map[protocol.BackendNodeID]string{}
	for node, has := range types {
		said := ""
		for _, k := range letterOf {
			if has[k.event] {
				said += k.letter
			}
		}
		if said != "" && len(has) < delegates {
			nodes, letters[node] = append(nodes, node), said
		}
	}
	slices.Sort(nodes)
	return nodes, letters
}

func encodeListeners(count int, at []int, said []string) string {
	order := make([]int, 0, len(at))
	for i, place := range at {
		if place >= 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return at[a] - at[b] })
	var b strings.Builder
	fmt.Fprintf(&b, "%dd:", count)
	for _, i := range order {
		fmt.Fprintf(&b, "%d%s;", at[i], said[i])
	}
	return b.String()
}
