package supervisor

import (
	"context"
	"fmt"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Calls that people make by hand get CDP sessions of their own beside the model's: what they enable, disable, override or
// detach there is theirs, and does not take events away from the model.
//
//	browser ── model's session of each page and frame          the fold, taps
//	   └────── aside of the browser ── aside of a page, frame  nobody: their events end in the fold's first test
//
// The one of the browser comes first, and the others hang from it. That is how the fold knows them in the event that
// announces them, which comes before the reply to whoever asked.

// Kinds of CDP sessions, besides the types of targets.
const (
	kindBrowser = "browser" // the type of target Chromium gives to the aside of the browser
	kindAside   = "aside"
	kindNested  = "aside/nested" // what hangs from an aside because the person switched auto-attaching on
)

// aside says that the CDP session is none of the model's own.
func (i sessionInfo) aside() bool {
	return i.kind == kindBrowser || i.kind == kindAside || i.kind == kindNested
}

// attachedAside notes a CDP session that is none of the model's own and reports whether it is one.
func (m *Model) attachedAside(parent sessionInfo, session string, info *targetInfo) bool {
	switch {
	case parent.kind == kindBrowser:
		m.sessions[session] = sessionInfo{kind: kindAside, target: info.TargetID}
	case parent.aside():
		m.sessions[session] = sessionInfo{kind: kindNested, target: info.TargetID}
	case info.Type == kindBrowser:
		m.sessions[session] = sessionInfo{kind: kindBrowser, target: info.TargetID}
	default:
		return false
	}
	return true
}

// Aside returns a CDP session beside the model's own: for a page, or a frame in its own process, the one that was made for
// it before or a new one; for an empty target the browser's. It lives as long as the target. Making the first takes two
// calls, any other one (4 and 2 ms on a busy machine, Chromium 156), also while a dialog holds the page.
func (b *Browser) Aside(ctx context.Context, target model.TargetID) (*cdp.Session, error) {
	select { // one at a time, so that nobody gets a second one for the same target
	case b.asides <- struct{}{}:
		defer func() { <-b.asides }()
	case <-ctx.Done():
		return nil, fmt.Errorf("attach to %s: %w", target, context.Cause(ctx))
	}
	root := b.findAside(kindBrowser, "")
	if root == "" {
		var err error
		if root, err = b.attachAside(ctx, "", "Target.attachToBrowserTarget", nil); err != nil {
			return nil, err
		}
	}
	if target == "" {
		return b.Session(root), nil
	}
	id := b.findAside(kindAside, target)
	if id == "" {
		var err error
		if id, err = b.attachAside(ctx, root, "Target.attachToTarget", obj{"targetId": target, "flatten": true}); err != nil {
			return nil, err
		}
	}
	return b.Session(id), nil
}

func (b *Browser) attachAside(ctx context.Context, from, method string, params any) (string, error) {
	var made struct {
		SessionID string `json:"sessionId"`
	}
	if err := b.Session(from).Call(ctx, method, params, &made); err != nil {
		return "", fmt.Errorf("attach beside the supervisor: %w", err)
	}
	return made.SessionID, nil
}

// findAside returns the id of an aside; an empty target is any.
func (b *Browser) findAside(kind string, target model.TargetID) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, info := range b.model.sessions {
		if info.kind == kind && (target == "" || info.target == target) {
			return id
		}
	}
	return ""
}
