package supervisor_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
)

// TestOwnPage: a page of usher's own is of any origin, sends no request, and is in no list of tabs; a page with an address
// like its first one is a tab.
func TestOwnPage(t *testing.T) {
	b := supervisor.New(cdptest.Launch(t).Dial(t), supervisor.Options{})
	t.Cleanup(func() { b.Close() })
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/small"))
	site.Forget()
	before := len(b.State().Tabs)

	p, err := b.OwnPage(deadline(t), tab.Context)
	if err != nil {
		t.Fatal(err)
	}
	for _, origin := range []string{site.Cross(""), site.Secure(""), "https://nowhere.example"} {
		origin = strings.TrimSuffix(origin, "/")
		if err := p.Open(deadline(t), origin); err != nil {
			t.Fatal(err)
		}
		got, err := cdp.Do(deadline(t), p.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: "location.origin + document.title + localStorage.length"})
		if err != nil || string(got.Result.Value) != `"`+origin+`0"` {
			t.Errorf("the page of %s is %s, %v", origin, got.Result.Value, err)
		}
	}
	if got := len(b.State().Tabs); got != before {
		t.Errorf("there are %d tabs, before there were %d", got, before)
	}
	p.Close()
	like := openTab(t, b, "about:blank#usher-AAAAAAAAAAAAAAAAAAAAAAAAAA")
	if b.State().Tabs[like.ID] == nil || len(b.State().Tabs) != before+1 {
		t.Errorf("a page with such an address is no tab, or the own page became one: %d tabs", len(b.State().Tabs))
	}
	for _, r := range site.Requests("") {
		if !strings.HasPrefix(site.URL(""), "http://"+r.Host) { // that is the tab's
			t.Errorf("the page sent a request to %s%s", r.Host, r.Path)
		}
	}
}
