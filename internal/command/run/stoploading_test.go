package run_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor"
)

// TestNavigationIsCancelledBehindAFailure: a navigation times out while the page of an earlier failure is about to commit.
// The browser then refuses to stop loading, and would hold back all calls to the page until the navigation ends.
func TestNavigationIsCancelledBehindAFailure(t *testing.T) {
	for _, c := range []struct {
		arrives time.Duration // when the page of the failure does
		want    string
	}{
		{0, "; canceled"},
		{1500 * time.Millisecond, "; canceled"},
		{time.Hour, "did not cancel"},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, stopped := time.Now(), false
			fake := cdptest.NewFake(t, func(f *cdptest.Fake, call cdptest.FakeCall) string {
				if call.Method != "Page.stopLoading" {
					return "{}"
				}
				if time.Since(began) < c.arrives {
					f.Say(`{"id":%d,"error":{"code":-32000,"message":"Not attached to an active page"},"sessionId":"P"}`, call.ID)
					return ""
				}
				stopped = true
				return "{}"
			})
			b := supervisor.New(fake.Wire, supervisor.Options{})
			fake.Say(`{"method":"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"T","type":"page","browserContextId":"C"}}}`)
			synctest.Wait()
			e := &run.Env{BrowserContext: &run.BrowserContext{Browser: b}, Tab: "T", Limit: 700 * time.Millisecond}
			err := e.NavigationTimeout(context.Background(), "open", b.State().Tabs["T"])
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the page arrives after %s: %v, wanted %q", c.arrives, err, c.want)
			}
			if want := c.arrives < time.Minute; stopped != want {
				t.Errorf("the page arrives after %s: stopped is %t", c.arrives, stopped)
			}
			_ = b.Close()
			fake.Close()
		})
	}
}
