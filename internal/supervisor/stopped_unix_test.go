//go:build unix

package supervisor_test

import (
	"errors"
	"syscall"
	"testing"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/systeminfo"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestStoppedProcesses stops the renderers, then the whole browser, during a call. The error names which, and the page
// continues when its process does.
func TestStoppedProcesses(t *testing.T) {
	b := watch(t)
	tab := openTab(t, b, cdptest.NewSite(t).URL("/small"))
	info, err := cdp.Do(deadline(t), b.Session(""), systeminfo.GetProcessInfo, protocol.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct {
		kind string
		want model.UnresponsiveReason
	}{{"renderer", model.ReasonWaiting}, {"browser", model.ReasonBrowser}} {
		var pids []int
		for _, p := range info.ProcessInfo {
			if p.Type == at.kind {
				pids = append(pids, int(p.ID))
			}
		}
		resume := func() {
			for _, pid := range pids { // the test's browser, which runs until the test ends
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		}
		t.Cleanup(resume)
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
		ctx, stop := b.Guard(deadline(t), tab.ID)
		_, err := cdp.Do(ctx, b.Session(tab.Session), runtime.Evaluate, runtime.EvaluateParams{Expression: "1"})
		stop()
		var blocked *model.BlockedError
		if !errors.As(err, &blocked) || blocked.Unresponsive == nil || blocked.Unresponsive.Reason != at.want {
			t.Errorf("stopped %s: %v, want it named as %s", at.kind, err, at.want)
		}
		resume()
		wait(t, b, "the mark is gone", func(s *model.State) bool { return s.Tabs[tab.ID].Unresponsive == nil })
		if got := eval(t, b, tab.Session, "6*7"); got != "42" {
			t.Errorf("after the stop of the %s the page answers %s", at.kind, got)
		}
	}
}
