package view

import (
	"context"
	"fmt"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// adoptClosedRoots passes the closed shadow roots of the elements that the last walk suspected to the page script,
// which cannot reach them by itself, and returns how many there were. Each element is examined once while it keeps its
// size, so a page without closed roots costs one round of calls after it has loaded.
func (v *Viewer) adoptClosedRoots(ctx context.Context, frame model.FrameID) (int, error) {
	list, err := v.worlds.Handle(ctx, frame, "suspects", nil)
	if err != nil {
		return 0, err
	}
	defer list.Release()
	session, world, err := v.worlds.Context(ctx, frame)
	if err != nil {
		return 0, err
	}
	items, err := cdp.Do(ctx, session, runtime.GetProperties, runtime.GetPropertiesParams{
		ObjectID: list.Object.ObjectID, OwnProperties: new(true),
	})
	if err != nil {
		return 0, fmt.Errorf("list elements that may have closed shadow roots: %w", err)
	}
	roots, err := closedRoots(ctx, session, items.Result)
	if err != nil {
		return 0, err
	}
	var opened []*cdp.Pending[dom.ResolveNodeResult]
	for _, root := range roots {
		opened = append(opened, cdp.Start(session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: root, ExecutionContextID: world}))
	}
	var adopting []*cdp.Pending[runtime.CallFunctionOnResult]
	for _, one := range opened {
		res, err := one.Wait(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return 0, err
			}
			continue // its host is gone
		}
		adopting = append(adopting, adopt(session, res.Object.ObjectID))
	}
	for _, one := range adopting {
		res, err := one.Wait(ctx)
		if err != nil {
			return 0, fmt.Errorf("hand over a closed shadow root: %w", err)
		}
		if res.ExceptionDetails != nil {
			return 0, fmt.Errorf("hand over a closed shadow root: %s", res.ExceptionDetails.Text)
		}
	}
	return len(adopting), nil
}

// closedRoots returns the closed shadow roots of elements.
func closedRoots(ctx context.Context, session *cdp.Session, elements []*runtime.PropertyDescriptor) ([]protocol.BackendNodeID, error) {
	var requested []*cdp.Pending[dom.DescribeNodeResult]
	for _, item := range elements {
		if item.Value != nil && item.Value.ObjectID != "" && item.Enumerable {
			requested = append(requested, cdp.Start(session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: item.Value.ObjectID}))
		}
	}
	var roots []protocol.BackendNodeID
	for _, one := range requested {
		res, err := one.Wait(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			continue // the element is gone
		}
		for _, root := range res.Node.ShadowRoots {
			if root.ShadowRootType == "closed" {
				roots = append(roots, root.BackendNodeID)
			}
		}
	}
	return roots, nil
}

// adopt gives one closed root to the script in its own world.
func adopt(session *cdp.Session, root runtime.RemoteObjectID) *cdp.Pending[runtime.CallFunctionOnResult] {
	given := cdp.Start(session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: pagescript.AdoptClosedRoot, ObjectID: root, Silent: new(true),
	})
	session.Post("Runtime.releaseObject", map[string]any{"objectId": root}, nil)
	return given
}
