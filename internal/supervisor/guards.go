package supervisor

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/loadavg"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Guard returns a context for calls to a tab. It ends with ctx, or with a *model.BlockedError as its cause when the tab
// cannot answer: a dialog opens or is open, the renderer has crashed, the tab or the browser is gone. The caller calls
// the stop function after its calls.
func (b *Browser) Guard(ctx context.Context, tab model.TargetID) (context.Context, context.CancelFunc) {
	return b.guards.Start(ctx, guard.Call{Tab: tab})
}

// GuardFrame is Guard for calls to one frame. It also ends when the frame's own renderer process, if it has one, cannot
// answer.
func (b *Browser) GuardFrame(ctx context.Context, tab model.TargetID, frame model.FrameID) (context.Context, context.CancelFunc) {
	return b.guards.Start(ctx, guard.Call{Tab: tab, Frame: frame})
}

// GuardNavigation is Guard for a navigation. A renderer that has crashed already does not end it, because the browser
// starts another.
func (b *Browser) GuardNavigation(ctx context.Context, tab model.TargetID) (context.Context, context.CancelFunc) {
	return b.guards.Start(ctx, guard.Call{Tab: tab, Replaces: true})
}

// Blocked returns the *BlockedError inside err, or nil. It also determines the cause of a call that failed because the
// browser or its CDP session ended.
func (b *Browser) Blocked(err error, tab model.TargetID) *model.BlockedError {
	var blocked *model.BlockedError
	if errors.As(err, &blocked) {
		return blocked
	}
	s := b.State()
	switch {
	case b.outlives() && s.Closed == nil && b.connectionLost(err):
		if s.Outage != nil {
			return &model.BlockedError{Tab: tab, Outage: s.Outage}
		}
		return &model.BlockedError{Tab: tab, Outage: &model.Outage{Since: b.opts.Now(), Cause: err}} // not in the state yet, or over already
	case errors.Is(err, cdp.ErrClosed) || errors.Is(err, cdp.ErrDetached):
		return s.Blocked(tab)
	}
	return nil
}

// connectionLost reports whether a call failed because its connection ended, or because its CDP session belonged to an
// earlier one (by the messages of Chromium 156).
func (b *Browser) connectionLost(err error) bool {
	var refused *cdp.Error
	return errors.Is(err, cdp.ErrClosed) ||
		errors.As(err, &refused) && refused.Code == -32001 && strings.HasPrefix(refused.Message, "Session with given id not found")
}

// guardHost implements guard.Host with a Browser.
type guardHost Browser

func (h *guardHost) State() *model.State { return (*Browser)(h).State() }
func (h *guardHost) Now() time.Time      { return h.opts.Now() }

func (h *guardHost) Probe(tab model.TargetID) {
	b := (*Browser)(h)
	b.apply(fold.Input{Command: &liveness.Probe{Tab: tab, Timeout: loadavg.Scale(liveness.Timeout)}})
	b.publish()
}
