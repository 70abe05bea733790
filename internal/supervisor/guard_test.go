package supervisor

import (
	"context"
	"errors"
	"testing"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/wire"
)

// TestGuardEndsWhenPublished: who is told of a dialog finds it in the State, and
// can answer it.
func TestGuardEndsWhenPublished(t *testing.T) {
	ours, theirs := wire.Memory()
	b := New(ours, Options{})
	defer func() {
		_ = b.Close()
		_ = theirs.Close()
	}()
	h := (*handler)(b)
	h.Event(cdp.Event{Method: "Target.attachedToTarget", Params: []byte(`{"sessionId":"P","targetInfo":{"targetId":"T","type":"page"}}`)})
	h.Flush()
	ctx, stop := b.Guard(t.Context(), "T")
	defer stop()
	h.Event(cdp.Event{SessionID: "P", Method: "Page.javascriptDialogOpening", Params: []byte(`{"type":"alert","message":"m"}`)})
	if ctx.Err() != nil {
		t.Error("the guard ended before the dialog was published")
	}
	h.Flush()
	var blocked *BlockedError
	if !errors.As(context.Cause(ctx), &blocked) || b.State().Dialog("T") != blocked.Dialog {
		t.Errorf("the guard ended with %v, the state has %v", context.Cause(ctx), b.State().Dialog("T"))
	}
}
