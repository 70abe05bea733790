package code

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	protocol "github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
)

// accessibilityTree is the browser's accessibility tree of a frame, as CDP has it.
type accessibilityTree struct {
	Nodes []jsontext.Value `json:"nodes"`
	// Root is the DOM node of the element that the code named; 0 for none.
	Root cdp.BackendNodeID `json:"root,omitzero"`
}

// accessibility returns the accessibility tree of the frame of an element, or of the main frame.
func (o operation) accessibility(ctx context.Context, params jsontext.Value) (any, error) {
	var p evaluateParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "accessibility.snapshot: %w", err)
	}
	var out accessibilityTree
	err := o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		objects, err := o.objects(ctx, e, p.Handles)
		if err != nil {
			return err
		}
		frame, err := frameOf(ctx, e, p, objects)
		if err != nil {
			return err
		}
		if err := e.MayEnter(ctx, frame.ID); err != nil {
			return err
		}
		ctx, stop := e.Guard(ctx)
		defer stop()
		session := e.Browser.Session(frame.Session)
		for _, object := range objects {
			got, err := protocol.Do(ctx, object.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: object.Object})
			if err != nil {
				return e.Explain(err, "accessibility.snapshot")
			}
			out.Root = got.Node.BackendNodeID
		}
		if err := session.Call(ctx, "Accessibility.getFullAXTree", map[string]any{"frameId": string(frame.ID)}, &out); err != nil {
			return e.Explain(err, "accessibility.snapshot")
		}
		return e.MayEnter(context.WithoutCancel(ctx), frame.ID)
	})
	return out, err
}
