package supervisor_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/wire"
)

// TestWatchdog lets the clock run: nobody answers, and after the time of the
// policy, or of the default, the dialog is dismissed.
func TestWatchdog(t *testing.T) {
	for _, limit := range []time.Duration{0, 7 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := wire.Memory()
			answered := make(chan time.Time, 1)
			done := make(chan struct{})
			say := func(format string, args ...any) { _ = theirs.Write(fmt.Appendf(nil, format, args...)) }
			go func() { // a browser that says yes to all
				defer close(done)
				for {
					msg, err := theirs.Read()
					if err != nil {
						return
					}
					var c struct {
						ID        int64  `json:"id"`
						Method    string `json:"method"`
						SessionID string `json:"sessionId"`
						Params    struct {
							Accept bool `json:"accept"`
						} `json:"params"`
					}
					if err := json.Unmarshal(msg, &c); err != nil {
						t.Error(err)
					}
					if c.Method == "Page.handleJavaScriptDialog" {
						if c.Params.Accept || c.SessionID != "P" {
							t.Errorf("sent %s", msg)
						}
						answered <- time.Now()
						say(`{"method":"Page.javascriptDialogClosed","params":{"result":false},"sessionId":"P"}`)
					}
					say(`{"id":%d,"result":{}}`, c.ID)
				}
			}()
			b := supervisor.New(ours, supervisor.Options{})
			b.SetPolicy("C", supervisor.Policy{Mode: supervisor.MustRespond, Timeout: limit})
			say(`{"method":"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"T","type":"page","browserContextId":"C"}}}`)
			say(`{"method":"Page.javascriptDialogOpening","params":{"type":"confirm","message":"well?"},"sessionId":"P"}`)
			synctest.Wait()
			d := b.State().Dialog("T")
			if d == nil {
				t.Fatal("the dialog is not known")
			}
			want := limit
			if want == 0 {
				want = supervisor.DefaultDialogTimeout
			}
			if took := (<-answered).Sub(d.OpenedAt); took != want {
				t.Errorf("dismissed after %v, want %v", took, want)
			}
			synctest.Wait()
			recent := b.State().RecentDialogs
			if len(recent) != 1 || recent[0].ClosedBy != supervisor.ByWatchdog {
				t.Errorf("closed dialogs are %+v", recent)
			}
			// One that is answered in time leaves no timer behind; one that is open when
			// the watch ends neither.
			say(`{"method":"Page.javascriptDialogOpening","params":{"type":"alert"},"sessionId":"P"}`)
			synctest.Wait()
			b.Close()
			theirs.Close()
			<-done
			if s := b.State(); s.Closed == nil || len(s.Dialogs) != 0 || !strings.Contains(s.Closed.Error(), "closed") {
				t.Errorf("after the end: %v, %+v", s.Closed, s.Dialogs)
			}
		})
	}
}
