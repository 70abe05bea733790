package supervisor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestGuardEndsWhenPublished: a caller whose guard ends because of a dialog finds it in the State, and can answer it.
func TestGuardEndsWhenPublished(t *testing.T) {
	ours, theirs := cdptest.Memory()
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
	var blocked *model.BlockedError
	if !errors.As(context.Cause(ctx), &blocked) || b.State().Dialog("T") != blocked.Dialog {
		t.Errorf("the guard ended with %v, the state has %v", context.Cause(ctx), b.State().Dialog("T"))
	}
}

// TestGuardNamesEveryRelatedDialog: the grace of one dialog in a related tab is independent of others, so a dialog that
// opens after another one closed is named at the end of its own grace.
func TestGuardNamesEveryRelatedDialog(t *testing.T) {
	for name, between := range map[string]time.Duration{"after the grace": 2 * guard.RelatedGrace, "within the grace": guard.RelatedGrace / 4} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { guardOfTwoDialogs(t, between) }) })
	}
}

func guardOfTwoDialogs(t *testing.T, between time.Duration) {
	ours, theirs := cdptest.Memory()
	b := New(ours, Options{})
	defer func() {
		_ = theirs.Close()
		_ = b.Close()
	}()
	h := (*handler)(b)
	say := func(session, method, params string) {
		h.Event(cdp.Event{SessionID: session, Method: method, Params: []byte(params)})
		h.Flush()
	}
	say("", "Target.attachedToTarget", `{"sessionId":"P","targetInfo":{"targetId":"T","type":"page"}}`)
	say("", "Target.attachedToTarget", `{"sessionId":"Q","targetInfo":{"targetId":"U","type":"page","openerId":"T"}}`)
	ctx, stop := b.Guard(withoutTimeout(t), "U")
	defer stop()

	say("P", "Page.javascriptDialogOpening", `{"type":"alert","message":"first"}`)
	time.Sleep(guard.RelatedGrace / 2)
	say("P", "Page.javascriptDialogClosed", `{"result":true}`)
	time.Sleep(between)
	if ctx.Err() != nil {
		t.Fatalf("a dialog that closed in time ended the guard: %v", context.Cause(ctx))
	}
	say("P", "Page.javascriptDialogOpening", `{"type":"alert","message":"second"}`)
	time.Sleep(guard.RelatedGrace - time.Millisecond)
	if ctx.Err() != nil {
		t.Fatalf("the second dialog had less than its grace: %v", context.Cause(ctx))
	}
	time.Sleep(2 * guard.RelatedGrace)
	var blocked *model.BlockedError
	if !errors.As(context.Cause(ctx), &blocked) || blocked.Dialog == nil || blocked.Dialog.Message != "second" {
		t.Errorf("the guard ended with %v; it was to name the second dialog", context.Cause(ctx))
	}
}

// withoutTimeout returns a context whose guards do not end because of an unresponsive renderer.
func withoutTimeout(t *testing.T) context.Context {
	return guard.WithUnresponsiveTimeout(t.Context(), guard.UnresponsiveTimeout{Until: time.Now().Add(time.Hour), Ignore: true})
}
