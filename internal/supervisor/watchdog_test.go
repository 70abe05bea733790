package supervisor_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestWatchdog advances the clock: without an answer, a dialog is dismissed after the timeout of the policy, or the
// default.
func TestWatchdog(t *testing.T) {
	for _, limit := range []time.Duration{0, 7 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			answered := make(chan time.Time, 1)
			fake := cdptest.NewFake(t, func(f *cdptest.Fake, c cdptest.FakeCall) string {
				if c.Method == "Page.handleJavaScriptDialog" {
					if string(c.Params) != `{"accept":false}` || c.SessionID != "P" {
						t.Errorf("sent %s to %s", c.Params, c.SessionID)
					}
					answered <- time.Now()
					f.Say(`{"method":"Page.javascriptDialogClosed","params":{"result":false},"sessionId":"P"}`)
				}
				return "{}"
			})
			b := supervisor.New(fake.Wire, supervisor.Options{})
			b.SetPolicy("C", model.Policy{Mode: model.MustRespond, Timeout: limit})
			fake.Say(`{"method":"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"T","type":"page","browserContextId":"C"}}}`)
			fake.Say(`{"method":"Page.javascriptDialogOpening","params":{"type":"confirm","message":"well?"},"sessionId":"P"}`)
			synctest.Wait()
			d := b.State().Dialog("T")
			if d == nil {
				t.Fatal("the dialog is not known")
			}
			want := limit
			if want == 0 {
				want = model.DefaultDialogTimeout
			}
			if took := (<-answered).Sub(d.OpenedAt); took != want {
				t.Errorf("dismissed after %v, want %v", took, want)
			}
			synctest.Wait()
			recent := b.State().RecentDialogs
			if len(recent) != 1 || recent[0].ClosedBy != model.ByWatchdog {
				t.Errorf("closed dialogs are %+v", recent)
			}
			// A dialog that is answered in time leaves no timer, and neither does one that is open when the Browser is
			// closed.
			fake.Say(`{"method":"Page.javascriptDialogOpening","params":{"type":"alert"},"sessionId":"P"}`)
			synctest.Wait()
			b.Close()
			fake.Close()
			if s := b.State(); s.Closed == nil || len(s.Dialogs) != 0 || !strings.Contains(s.Closed.Error(), "closed") {
				t.Errorf("after the end: %v, %+v", s.Closed, s.Dialogs)
			}
		})
	}
}
