package supervisor_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// bridgeBesidePermissions: bridged dialogs and permission requests pause the same page, each as without the other.
// Switching one off resumes only its own pauses.
func bridgeBesidePermissions(t *testing.T, b *supervisor.Browser, site *cdptest.Site) {
	c := newContext(t, b, model.BridgeOn)
	b.InterceptPermissions(c, "notifications")
	tab := openIn(t, b, c, site.URL("/small"), 1)
	const request = "Notification.requestPermission()"
	asked := func() *model.Interruption {
		t.Helper()
		var open *model.Interruption
		wait(t, b, "the page requests a permission", func(s *model.State) bool {
			for _, i := range s.Interrupts {
				if i.Kind == model.KindPermission && i.Tab == tab.ID {
					open = i
				}
			}
			return open != nil
		})
		return open
	}
	resume := func() { // fails if no page is paused
		t.Helper()
		if err := b.Session(tab.Session).Call(deadline(t), "Debugger.resume", nil, nil); err != nil {
			t.Errorf("let the page go on: %v", err)
		}
	}
	dialog := func(bridge bool) {
		t.Helper()
		call := startIn(t, b, tab.Main, `confirm("sure?")`)
		d := dialogOf(t, b, tab.Main)
		if d.Bridge != bridge {
			t.Errorf("the dialog comes by the bridge: %v, want %v", d.Bridge, bridge)
		}
		if _, err := b.Answer(deadline(t), d.ID, true, ""); err != nil {
			t.Fatal(err)
		}
		if got := value(t, call, "confirm"); got != "true" {
			t.Errorf("the page got %s", got)
		}
	}

	dialog(true)
	call := startIn(t, b, tab.Main, request)
	open := asked()
	b.SetBridge(c, model.BridgeOff)
	resume()
	value(t, call, request)
	wait(t, b, "the request is over", func(s *model.State) bool { return len(s.Interrupts) == 0 })
	dialog(false)
	if got := evalIn(t, b, tab.ID, tab.Main, "debugger; 7"); got != "7" { // scripts that the bridge excluded do not pause
		t.Errorf("a page's own debugger statement gives %s", got)
	}

	call = startIn(t, b, tab.Main, request)
	if again := asked(); again.ID == open.ID {
		t.Error("without the bridge nobody is asked")
	}
	b.SetBridge(c, model.BridgeOn)
	b.InterceptPermissions(c)
	value(t, call, request)
	wait(t, b, "the request is over", func(s *model.State) bool { return len(s.Interrupts) == 0 })
	evalIn(t, b, tab.ID, tab.Main, request) // does not pause
	dialog(true)

	b.InterceptPermissions(c, "notifications")
	call = startIn(t, b, tab.Main, `confirm("held?")`)
	d := dialogOf(t, b, tab.Main)
	b.SetBridge(c, model.BridgeOff)
	wait(t, b, "the native dialog takes over", func(s *model.State) bool {
		o := s.Dialog(tab.ID)
		return o != nil && o.ID != d.ID && !o.Bridge
	})
	if _, err := b.Answer(deadline(t), b.State().Dialog(tab.ID).ID, true, ""); err != nil {
		t.Fatal(err)
	}
	if got := value(t, call, "confirm"); got != "true" {
		t.Errorf("the page got %s", got)
	}
}
