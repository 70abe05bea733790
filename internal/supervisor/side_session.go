package supervisor

import (
	"context"
	"fmt"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// SideSession returns a CDP session that usher's model does not use: for a page or an out-of-process frame, the one
// created before or a new one; for an empty target, the browser's. It lives as long as the target. Creating the first
// takes two calls, each further one a single call (4 and 2 ms on a busy machine, Chromium 156), also while a dialog
// blocks the page.
func (b *Browser) SideSession(ctx context.Context, target model.TargetID) (*cdp.Session, error) {
	select { // one at a time, so that no target gets two
	case b.attaching <- struct{}{}:
		defer func() { <-b.attaching }()
	case <-ctx.Done():
		return nil, fmt.Errorf("attach to %s: %w", target, context.Cause(ctx))
	}
	root := b.findSideSession(core.KindBrowserSide, "")
	if root == "" {
		var err error
		if root, err = b.attachSideSession(ctx, "", "Target.attachToBrowserTarget", nil); err != nil {
			return nil, err
		}
	}
	if target == "" {
		return b.Session(root), nil
	}
	id := b.findSideSession(core.KindSide, target)
	if id == "" {
		var err error
		if id, err = b.attachSideSession(ctx, root, "Target.attachToTarget", core.Params{"targetId": target, "flatten": true}); err != nil {
			return nil, err
		}
	}
	return b.Session(id), nil
}

func (b *Browser) attachSideSession(ctx context.Context, from, method string, params any) (string, error) {
	var made struct {
		SessionID string `json:"sessionId"`
	}
	if err := b.Session(from).Call(ctx, method, params, &made); err != nil {
		return "", fmt.Errorf("attach beside the supervisor: %w", err)
	}
	return made.SessionID, nil
}

// findSideSession returns the id of a side session of the target, or of any target if that is empty; "" if there is none.
func (b *Browser) findSideSession(kind string, target model.TargetID) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, info := range b.model.Sessions {
		if info.Kind == kind && (target == "" || info.Target == target) && b.clients.owner(id) == nil && !b.outside.has(id) {
			return id
		}
	}
	return ""
}
