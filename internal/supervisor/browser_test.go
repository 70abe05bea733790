package supervisor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

func TestMain(m *testing.M) { cdptest.Run(m) }

// watch connects a Browser to a browser of the test.
func watch(t *testing.T, args ...string) *supervisor.Browser {
	t.Helper()
	chromium := cdptest.Launch(t, args...)
	c := chromium.Dial(t)
	rec := record(t)
	b := supervisor.New(rec.Wrap(c), supervisor.Options{Recorder: rec.Recorder})
	t.Cleanup(func() {
		b.Close()
		rec.check(t, b)
	})
	return b
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	t.Cleanup(cancel)
	return ctx
}

// openTab opens a page and waits until it has loaded.
func openTab(t *testing.T, b *supervisor.Browser, url string) *model.Tab {
	t.Helper()
	ctx := deadline(t)
	made, err := cdp.Do(ctx, b.Session(""), target.CreateTarget, target.CreateTargetParams{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	id := model.TargetID(made.TargetID)
	wait(t, b, "the page has loaded or is held by a dialog", func(s *model.State) bool {
		tab := s.Tabs[id]
		return tab != nil && tab.Ready && (tab.MainFrame().Loaded && tab.URL == url || s.Dialog(id) != nil)
	})
	return b.State().Tabs[id]
}

func wait(t *testing.T, b *supervisor.Browser, what string, cond func(*model.State) bool) {
	t.Helper()
	err := b.Wait(deadline(t), func(s *model.State) (bool, error) { return cond(s), nil })
	if err != nil {
		t.Fatalf("waiting until %s: %v\nstate: %+v", what, err, dump(b.State()))
	}
	sample(t, b.State())
}

func dump(s *model.State) any {
	var out []any
	for _, id := range s.Order {
		out = append(out, *s.Tabs[id])
		for _, f := range s.Tabs[id].Frames {
			out = append(out, *f)
		}
	}
	return append(out, s.Dialogs, s.RecentDialogs)
}

func TestDialogInCrossOriginFrameHoldsAndReleases(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/frames"))
	var far *model.Frame
	wait(t, b, "a cross-origin frame has loaded", func(s *model.State) bool {
		for _, f := range s.Tabs[tab.ID].Frames {
			if f.OOPIF && f.Loaded && f.Name == "cross" {
				far = f
			}
		}
		return far != nil
	})
	ctx, stop := b.Guard(deadline(t), tab.ID)
	defer stop()
	_, err := cdp.Do(ctx, b.Session(far.Session), runtime.Evaluate, runtime.EvaluateParams{Expression: `alert("far away")`})
	var blocked *model.BlockedError
	if !errors.As(err, &blocked) || blocked.Dialog == nil {
		t.Fatalf("evaluate ended with %v, want a dialog as the cause", err)
	}
	if d := blocked.Dialog; d.Type != "alert" || d.Message != "far away" || d.Frame != far.ID || d.ID != "d-1" {
		t.Errorf("dialog is %+v", d)
	}
	closed, err := b.Answer(deadline(t), "d-1", true, "")
	if err != nil {
		t.Fatal(err)
	}
	if closed.ClosedBy != model.ByAgent || !closed.Accepted {
		t.Errorf("closed dialog is %+v", closed)
	}
	if _, err := cdp.Do(deadline(t), b.Session(tab.Session), runtime.Evaluate, runtime.EvaluateParams{Expression: "1"}); err != nil {
		t.Errorf("the page does not answer after the dialog: %v", err)
	}
}

func TestScriptRunsInEveryFrame(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/frames"))
	w := world.New(b)
	wait(t, b, "all frames have loaded", func(s *model.State) bool {
		for _, f := range s.Tabs[tab.ID].Frames {
			if !f.Loaded {
				return false
			}
		}
		return len(s.Tabs[tab.ID].Frames) > 2
	})
	for id, f := range b.State().Tabs[tab.ID].Frames {
		h, err := w.Handle(deadline(t), id, "toString", nil)
		if err != nil {
			t.Errorf("frame %s %s: %v", f.URL, id, err)
			continue
		}
		h.Release()
	}
}

// TestJoinsLoadedPage connects to a browser whose page and frames have already loaded: each frame must count as loaded.
func TestJoinsLoadedPage(t *testing.T) {
	chromium := cdptest.Launch(t)
	allLoaded := func(id model.TargetID) func(*model.State) bool {
		return func(s *model.State) bool {
			tab := s.Tabs[id]
			if tab == nil || !tab.Ready || len(tab.Frames) < 10 {
				return false
			}
			for _, f := range tab.Frames {
				if !f.Loaded || f.Session == "" {
					return false
				}
			}
			return true
		}
	}
	first := supervisor.New(chromium.Dial(t), supervisor.Options{})
	t.Cleanup(func() { first.Close() })
	tab := openTab(t, first, cdptest.NewSite(t).URL("/frames"))
	wait(t, first, "all frames have loaded", allLoaded(tab.ID))
	second := supervisor.New(chromium.Dial(t), supervisor.Options{})
	t.Cleanup(func() { second.Close() })
	wait(t, second, "who came later knows that all frames have loaded", allLoaded(tab.ID))
}

func TestPopupCrashAndClose(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/"))
	ctx, stop := b.Guard(deadline(t), tab.ID)
	defer stop()
	_, err := cdp.Do(ctx, b.Session(tab.Session), runtime.Evaluate, runtime.EvaluateParams{
		Expression: `void window.open("about:blank")`, UserGesture: new(true)})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, b, "the popup is known", func(s *model.State) bool {
		for _, other := range s.Tabs {
			if other.Opener == tab.ID && other.Ready {
				return true
			}
		}
		return false
	})
	_, err = cdp.Do(ctx, b.Session(tab.Session), page.Navigate, page.NavigateParams{URL: "chrome://crash"})
	if blocked := b.Blocked(err, tab.ID); err != nil && (blocked == nil || blocked.Crash == nil) {
		t.Fatalf("navigate to a crash ended with %v", err)
	}
	wait(t, b, "the crash is known", func(s *model.State) bool { return s.Tabs[tab.ID].Crash != nil })
	<-ctx.Done() // right behind the news, or at its deadline
	var blocked *model.BlockedError
	if err := context.Cause(ctx); !errors.As(err, &blocked) || blocked.Crash == nil {
		t.Fatalf("the guard ended with %v", err)
	}
	if _, err := cdp.Do(deadline(t), b.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(tab.ID)}); err != nil {
		t.Fatal(err)
	}
	wait(t, b, "the tab is gone", func(s *model.State) bool {
		return s.Tabs[tab.ID] == nil && len(s.Gone) == 1
	})
}
