//go:build unix

package navigate_test

import (
	"errors"
	"syscall"
	"testing"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/systeminfo"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestOpenAfterStaying leaves a page that asks, stays, and leaves again at once, while the renderer has not told the browser yet
// that its user stays. Chromium then ends the new navigation in place of the old one.
func TestOpenAfterStaying(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.NewIn(t, cdptest.Launch(t))
	s.Run(t, "open", site.URL("/dialogs"))
	s.Run(t, "click", "#guard")
	asks := func() {
		t.Helper()
		_, err := s.Try(t, "open", site.URL("/small"))
		var failed *api.Error
		if !errors.As(err, &failed) || failed.Code != api.DialogOpen {
			t.Fatalf("leaving the page: %v", err)
		}
	}
	asks()
	info, err := cdp.Do(t.Context(), s.Context.Browser.Session(""), systeminfo.GetProcessInfo, protocol.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	signal := func(what syscall.Signal) {
		for _, p := range info.ProcessInfo {
			if p.Type == "renderer" { // of the test's browser, which runs until the test ends
				_ = syscall.Kill(int(p.ID), what)
			}
		}
	}
	signal(syscall.SIGSTOP)
	t.Cleanup(func() { signal(syscall.SIGCONT) })
	s.Run(t, "dialog", "dismiss")
	time.AfterFunc(300*time.Millisecond, func() { signal(syscall.SIGCONT) })
	asks()
	s.Run(t, "dialog", "accept")
	if got := s.Eval(t, "location.pathname"); got != `"/small"` {
		t.Errorf("the page is %s", got)
	}
}
