package supervisor_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestDialogOfAPageThatIsBeingReplaced opens dialogs in a page while it is being reloaded. In a browser with Chromium's
// default settings some answers are refused, the tab stays blocked, and the end of the connection crashes the browser.
func TestDialogOfAPageThatIsBeingReplaced(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/small"))
	dropped := 0
	for try := range 300 {
		before := b.State().Tabs[tab.ID].MainFrame().Loader
		s := b.Session(tab.Session)
		ask := fmt.Sprintf("setTimeout(() => confirm('%d'), %d)", try, try%30)
		if _, err := cdp.Do(deadline(t), s, runtime.Evaluate, runtime.EvaluateParams{Expression: ask}); err != nil {
			t.Fatal(err)
		}
		cdp.Start(s, page.Reload, page.ReloadParams{})
		wait(t, b, "it asks, or is gone", func(s *model.State) bool {
			d := s.Dialog(tab.ID)
			return d != nil && d.NeedsAnswer() || s.Tabs[tab.ID].MainFrame().Loader != before
		})
		if d := b.State().Dialog(tab.ID); d != nil {
			var gone *supervisor.NoDialogError
			if _, err := b.Answer(deadline(t), d.ID, true, ""); err != nil && !errors.As(err, &gone) {
				t.Fatalf("try %d: %v", try, err)
			}
		}
		wait(t, b, "the next page", func(s *model.State) bool {
			f := s.Tabs[tab.ID].MainFrame()
			return f.Loader != before && f.Loaded && s.Dialog(tab.ID) == nil
		})
		if got := eval(t, b, tab.Session, "1 + 1"); got != "2" {
			t.Fatalf("try %d: the page says %s", try, got)
		}
		for _, d := range b.State().RecentDialogs {
			if d.Message == fmt.Sprint(try) && d.ClosedBy == model.ByRemote {
				dropped++
			}
		}
		if dropped == 3 {
			return
		}
	}
	t.Logf("Chromium took the answer to all but %d", dropped)
}
