package supervisor

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// TestAPanicEndsItsBrowser causes panics in the handling of events, in the fold and outside it: callers that wait for
// that browser get the reason, and none waits for ever.
func TestAPanicEndsItsBrowser(t *testing.T) {
	t.Parallel()
	for name, reconnects := range map[string]bool{"launched": false, "attached": true} {
		for _, where := range []string{"fold", "tap"} {
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				var armed atomic.Bool
				opts := Options{
					Now: func() time.Time {
						if where == "fold" && armed.Load() {
							panic("told in confidence")
						}
						return time.Now()
					},
					Observers: []Observer{Tap(func(ev cdp.Event, _ model.TargetID) {
						if where == "tap" && ev.Method == "Test.bad" {
							panic("told in confidence")
						}
					})},
				}
				if reconnects {
					opts.Reconnect = link.Reconnect{NoStandby: true, Dial: func(context.Context) (wire.Conn, error) {
						t.Error("it was dialled again")
						return nil, link.ErrRefused
					}}
				}
				ours, theirs := cdptest.Memory()
				b := New(ours, opts)
				defer func() {
					_ = b.Close()
					_ = theirs.Close()
				}()
				if err := theirs.Write([]byte(`{"method":"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"T","type":"page"}}}`)); err != nil {
					t.Fatal(err)
				}
				if err := b.Wait(t.Context(), func(s *model.State) (bool, error) { return s.Tabs["T"] != nil, s.Closed }); err != nil {
					t.Fatal(err)
				}
				ctx, stop := b.Guard(t.Context(), "T")
				defer stop()
				armed.Store(true)
				if err := theirs.Write([]byte(`{"method":"Test.bad","sessionId":"P","params":{}}`)); err != nil {
					t.Fatal(err)
				}
				<-b.Done()
				<-ctx.Done()
				var panicked *fault.Error
				if err := b.State().Closed; !errors.As(err, &panicked) {
					t.Errorf("the browser is gone because of %v", err)
				}
				var blocked *model.BlockedError
				if !errors.As(context.Cause(ctx), &blocked) || blocked.Closed == nil {
					t.Errorf("the command's guard ended with %v", context.Cause(ctx))
				}
				if b.State().Tabs["T"] == nil {
					t.Error("what was known is lost")
				}
			})
		}
	}
}
