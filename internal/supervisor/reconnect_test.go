package supervisor_test

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
	"github.com/usher-browser/usher/internal/world"
)

// watchThroughProxy watches a browser through a proxy. With alone there is no standby connection.
func watchThroughProxy(t *testing.T, alone bool) (*supervisor.Browser, *cdptest.Proxy, *cdptest.Browser) {
	t.Helper()
	chromium := cdptest.Launch(t)
	proxy := cdptest.NewProxy(t, chromium.Port)
	dial := func(ctx context.Context) (wire.Conn, error) {
		c, err := wire.Dial(ctx, proxy.Through(chromium.WebSocketURL), nil)
		var refused *net.OpError
		if errors.As(err, &refused) {
			err = errors.Join(link.ErrRefused, err)
		}
		return c, err
	}
	c, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rec := record(t)
	b := supervisor.New(rec.Wrap(c), supervisor.Options{Recorder: rec.Recorder,
		Reconnect: link.Reconnect{Dial: dial, NoStandby: alone, RefusedLimit: 3 * time.Second, Limit: 8 * time.Second}})
	t.Cleanup(func() {
		b.Close()
		rec.check(t, b)
	})
	return b, proxy, chromium
}

// standing opens a page in a tab that the standby connection has attached to, too.
func standing(t *testing.T, b *supervisor.Browser, url string) *model.Tab {
	t.Helper()
	tab := openTab(t, b, url)
	wait(t, b, "the standby connection is there", func(s *model.State) bool { return s.Tabs[tab.ID].Standby })
	return tab
}

func down(s *model.State) bool { return s.Outage != nil }

// back reports whether the connection is restored and a tab is ready.
func back(tab model.TargetID) func(*model.State) bool {
	return func(s *model.State) bool { return s.Outage == nil && s.Tabs[tab] != nil && s.Tabs[tab].Ready }
}

// TestReconnectKeepsWhatIsThere cuts the connection, changes the browser meanwhile, and compares the models.
func TestReconnectKeepsWhatIsThere(t *testing.T) {
	b, proxy, chromium := watchThroughProxy(t, false)
	site := cdptest.NewSite(t)
	kept, gone := openTab(t, b, site.URL("/frames")), openTab(t, b, site.URL("/small?gone"))
	frameWith(t, b, kept.ID, "name=cross")
	w := world.New(b)
	if err := w.Call(deadline(t), kept.Main, "toString", nil, nil); err != nil {
		t.Fatal(err)
	}
	seesAsBrowser(t, b, kept.ID)
	number := kept.Number

	// A call in flight fails at once and names the cause.
	ctx, stop := b.Guard(deadline(t), kept.ID)
	defer stop()
	call := cdp.Start(b.Session(b.State().Tabs[kept.ID].Session), runtime.Evaluate, runtime.EvaluateParams{Expression: "new Promise(() => {})", AwaitPromise: new(true)})
	began := time.Now()
	proxy.Refuse()
	_, err := call.Wait(ctx)
	if blocked := b.Blocked(err, kept.ID); blocked == nil || blocked.Outage == nil {
		t.Fatalf("the call in flight ended with %v", err)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the call in flight ended after %v", took)
	}
	wait(t, b, "the outage is known", down)
	if s := b.State(); len(s.Tabs) < 2 || len(s.Tabs[kept.ID].Frames) < 3 {
		t.Errorf("during the outage: %v", dump(s))
	}

	// Meanwhile another client changes the browser.
	other := watchURL(t, chromium.WebSocketURL)
	waitOther(t, other, func(s *model.State) bool { return s.Tabs[kept.ID] != nil && s.Tabs[kept.ID].Ready })
	eval(t, other, other.State().Tabs[kept.ID].Session, `document.querySelector("iframe").remove(); const f = document.createElement("iframe"); f.src = "/small?added"; document.body.append(f); console.log("missed"); 1`)
	made, err := cdp.Do(deadline(t), other.Session(""), target.CreateTarget, target.CreateTargetParams{URL: site.URL("/small?added")})
	if err != nil {
		t.Fatal(err)
	}
	added := model.TargetID(made.TargetID)
	if _, err := cdp.Do(deadline(t), other.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(gone.ID)}); err != nil {
		t.Fatal(err)
	}
	waitOther(t, other, func(s *model.State) bool { return s.Tabs[gone.ID] == nil })

	if err := proxy.Allow(); err != nil {
		t.Fatal(err)
	}
	wait(t, b, "the tab is back", back(kept.ID))
	wait(t, b, "the new tab is there", back(added))
	s := b.State()
	if s.Tabs[gone.ID] != nil || len(s.Gone) != 1 || s.Gone[0].ID != gone.ID {
		t.Errorf("the tab that was closed meanwhile: %+v, gone %+v", s.Tabs[gone.ID], s.Gone)
	}
	if s.Tabs[kept.ID].Number != number || s.Tabs[kept.ID].Context != kept.Context || s.Tabs[added].Number <= number {
		t.Errorf("numbers: %+v, %+v", s.Tabs[kept.ID], s.Tabs[added])
	}
	seesAsBrowser(t, b, kept.ID)
	// The injected script is still in the page.
	if err := w.Call(deadline(t), kept.Main, "toString", nil, nil); err != nil {
		t.Error(err)
	}
	for id := range s.Tabs[kept.ID].Frames {
		if err := w.Call(deadline(t), id, "toString", nil, nil); err != nil {
			t.Errorf("frame %s: %v", id, err)
		}
	}
}

// waitOther waits for a state of a browser that makes no recording.
func waitOther(t *testing.T, b *supervisor.Browser, cond func(*model.State) bool) {
	t.Helper()
	if err := b.Wait(deadline(t), func(s *model.State) (bool, error) { return cond(s), s.Closed }); err != nil {
		t.Fatal(err)
	}
}

func watchURL(t *testing.T, url string) *supervisor.Browser {
	t.Helper()
	c, err := wire.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := supervisor.New(c, supervisor.Options{})
	t.Cleanup(func() { b.Close() })
	return b
}

// seesAsBrowser compares the frames of a tab with those that Chromium lists for every process.
func seesAsBrowser(t *testing.T, b *supervisor.Browser, id model.TargetID) {
	t.Helper()
	var want []string
	var walk func(*page.FrameTree)
	walk = func(f *page.FrameTree) {
		want = append(want, string(f.Frame.ID)+" "+f.Frame.URL)
		for _, c := range f.ChildFrames {
			walk(c)
		}
	}
	var have []string
	for limit := deadline(t); limit.Err() == nil; { // frames may still be loading
		want, have = nil, nil
		s := b.State()
		tab := s.Tabs[id]
		sessions := map[string]bool{}
		for _, f := range tab.Frames {
			sessions[f.Session] = true
			have = append(have, string(f.ID)+" "+strings.Split(f.URL, "#")[0])
		}
		for _, session := range slices.Sorted(maps.Keys(sessions)) {
			if session == "" {
				want = append(want, "a frame has no session yet")
				break
			}
			got, err := cdp.Do(deadline(t), b.Session(session), page.GetFrameTree, struct{}{})
			if err != nil {
				t.Fatalf("frame tree of session %q: %v", session, err)
			}
			walk(got.FrameTree)
		}
		slices.Sort(want)
		slices.Sort(have)
		if slices.Equal(want, have) {
			return
		}
		select {
		case <-s.Changed():
		case <-limit.Done():
		}
	}
	t.Errorf("the model has\n%s\nand Chromium\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
}

// openDialog opens a dialog without waiting for its end.
func openDialog(t *testing.T, b *supervisor.Browser, tab model.TargetID, call string) *model.Dialog {
	t.Helper()
	before := b.State().Dialog(tab)
	eval(t, b, b.State().Tabs[tab].Session, `globalThis.kept = "kept"; globalThis.answer = "none"; setTimeout(() => { globalThis.answer = String(`+call+`) }, 1); 1`)
	wait(t, b, "the dialog is open", func(s *model.State) bool { d := s.Dialog(tab); return d != nil && d != before })
	return b.State().Dialog(tab)
}

// TestDialogOutlivesTheMainConnection: a dialog can be answered over the standby connection while the main one is lost,
// and over the new one afterwards.
func TestDialogOutlivesTheMainConnection(t *testing.T) {
	for _, when := range []string{"during", "after"} {
		t.Run(when, func(t *testing.T) {
			b, proxy, _ := watchThroughProxy(t, false)
			site := cdptest.NewSite(t)
			tab := standing(t, b, site.URL("/small"))
			d := openDialog(t, b, tab.ID, `prompt("who?", "nobody")`)
			proxy.CutOldest()
			wait(t, b, "the outage is known", down)
			if when == "after" {
				wait(t, b, "the outage is over", func(s *model.State) bool { return s.Outage == nil })
			}
			wait(t, b, "the dialog can be answered", func(s *model.State) bool {
				open := s.Dialog(tab.ID)
				return open != nil && open.ID == d.ID && open.Reach == model.ReachFull
			})
			closed, err := b.Answer(deadline(t), d.ID, true, "Ada")
			if err != nil {
				t.Fatal(err)
			}
			if closed.ClosedBy != model.ByAgent || !closed.Accepted || closed.Answer != "Ada" {
				t.Errorf("closed: %+v", closed)
			}
			wait(t, b, "the page is back", back(tab.ID))
			if got := eval(t, b, b.State().Tabs[tab.ID].Session, "kept + answer"); got != `"keptAda"` {
				t.Errorf("the page got %s", got)
			}
			// The next dialog is reported by the new connection, once.
			d = openDialog(t, b, tab.ID, `confirm("sure?")`)
			if d.ID != "d-2" {
				t.Errorf("the next dialog is %+v", d)
			}
			if _, err := b.Answer(deadline(t), d.ID, true, ""); err != nil {
				t.Error(err)
			}
			if got := eval(t, b, b.State().Tabs[tab.ID].Session, "answer"); got != `"true"` {
				t.Errorf("the page got %s", got)
			}
		})
	}
}

// TestDialogOpenedDuringTheOutage is reported by the standby connection.
func TestDialogOpenedDuringTheOutage(t *testing.T) {
	b, proxy, _ := watchThroughProxy(t, false)
	site := cdptest.NewSite(t)
	tab := standing(t, b, site.URL("/small"))
	eval(t, b, tab.Session, `setTimeout(() => { globalThis.answer = confirm("meanwhile?") }, 300); 1`)
	proxy.CutOldest()
	wait(t, b, "the dialog is known", func(s *model.State) bool { return s.Dialog(tab.ID) != nil })
	d := b.State().Dialog(tab.ID)
	if d.ID != "d-1" || d.Message != "meanwhile?" || d.Tab != tab.ID {
		t.Errorf("the dialog is %+v", d)
	}
	if _, err := b.Answer(deadline(t), d.ID, true, ""); err != nil {
		t.Fatal(err)
	}
	wait(t, b, "the page is back", back(tab.ID))
	if got := eval(t, b, b.State().Tabs[tab.ID].Session, "answer"); got != "true" {
		t.Errorf("the page got %s", got)
	}
	if recent := b.State().RecentDialogs; len(recent) != 1 {
		t.Errorf("closed dialogs: %+v", recent)
	}
}

// TestDialogReleased: after all connections that reported a dialog have ended, it can still be dismissed, and the page
// stays.
func TestDialogReleased(t *testing.T) {
	b, proxy, _ := watchThroughProxy(t, true)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/small"))
	for i, c := range []struct {
		call, want string
		accept     bool
	}{{`confirm("sure?")`, `"keptfalse"`, false}, {`alert("look")`, `"keptundefined"`, true}, {`prompt("who?")`, `"keptnull"`, false}} {
		d := openDialog(t, b, tab.ID, c.call)
		proxy.Cut()
		wait(t, b, "the outage is known", down)
		wait(t, b, "the outage is over", func(s *model.State) bool { return s.Outage == nil })
		if open := b.State().Dialog(tab.ID); open == nil || open.ID != d.ID || open.Reach != model.ReachDismiss {
			t.Fatalf("the dialog is %+v, was %+v", open, d)
		}
		var only *supervisor.DismissOnlyError
		if _, err := b.Answer(deadline(t), d.ID, true, ""); !c.accept && !errors.As(err, &only) {
			t.Errorf("accept ended with %v", err)
		}
		if !c.accept {
			closed, err := b.Answer(deadline(t), d.ID, false, "")
			if err != nil {
				t.Fatal(err)
			}
			if closed.ClosedBy != model.ByAgent || closed.Accepted {
				t.Errorf("closed: %+v", closed)
			}
		}
		wait(t, b, "the page is back", back(tab.ID))
		if got := eval(t, b, b.State().Tabs[tab.ID].Session, "kept + answer"); got != c.want {
			t.Errorf("%s: the page got %s", c.call, got)
		}
		if n := len(b.State().RecentDialogs); n != i+1 {
			t.Errorf("%d dialogs were closed", n)
		}
	}
	if got := b.State().Tabs[tab.ID]; got.Number != tab.Number || !strings.HasPrefix(got.URL, site.URL("/small")) {
		t.Errorf("the tab is %+v", got)
	}
}

// TestWatchdogOverOutage: the watchdog's deadline does not change.
func TestWatchdogOverOutage(t *testing.T) {
	b, proxy, _ := watchThroughProxy(t, true)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/small"))
	const limit = 3 * time.Second
	b.SetPolicy(tab.Context, model.Policy{Mode: model.MustRespond, Timeout: limit})
	d := openDialog(t, b, tab.ID, `confirm("sure?")`)
	proxy.Cut()
	wait(t, b, "the outage is known", down)
	wait(t, b, "the watchdog has closed it", func(s *model.State) bool { return len(s.RecentDialogs) == 1 })
	closed := b.State().RecentDialogs[0]
	if closed.ID != d.ID || closed.ClosedBy != model.ByWatchdog {
		t.Errorf("closed: %+v", closed)
	}
	if took := closed.ClosedAt.Sub(d.OpenedAt); took < limit || took > limit+5*time.Second {
		t.Errorf("closed after %v, the limit is %v", took, limit)
	}

	// A dialog whose deadline passes during an outage is closed as soon as there is a connection.
	b.SetPolicy(tab.Context, model.Policy{Mode: model.MustRespond, Timeout: 200 * time.Millisecond})
	wait(t, b, "the page is back", back(tab.ID))
	d = openDialog(t, b, tab.ID, `confirm("again?")`)
	proxy.Hold()
	proxy.Cut()
	wait(t, b, "the outage is known", down)
	<-time.After(time.Until(d.Deadline)) // the deadline is what the test is about
	proxy.Release()
	wait(t, b, "the watchdog has closed it", func(s *model.State) bool { return len(s.RecentDialogs) == 2 })
	if closed := b.State().RecentDialogs[1]; closed.ID != d.ID || closed.ClosedBy != model.ByWatchdog {
		t.Errorf("closed: %+v", closed)
	}
}

// TestBrowserGone: the browser counts as ended after nothing has answered for a while.
func TestBrowserGone(t *testing.T) {
	b, _, chromium := watchThroughProxy(t, false)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/small"))
	openDialog(t, b, tab.ID, `confirm("sure?")`)
	chromium.Close()
	select {
	case <-b.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the browser was not given up")
	}
	s := b.State()
	if s.Closed == nil || s.Outage != nil || !strings.Contains(s.Closed.Error(), "not reconnected within") {
		t.Errorf("closed with %v", s.Closed)
	}
	if len(s.Dialogs) != 0 || len(s.RecentDialogs) != 1 || s.RecentDialogs[0].ClosedBy != model.ByRemote {
		t.Errorf("dialogs: %+v, %+v", s.Dialogs, s.RecentDialogs)
	}

}

// TestAnotherBrowserAtTheAddress: another browser at the address is recognised by its default context.
func TestAnotherBrowserAtTheAddress(t *testing.T) {
	first, second := cdptest.Launch(t), cdptest.Launch(t)
	var mu sync.Mutex
	url := first.WebSocketURL
	dial := func(ctx context.Context) (wire.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		return wire.Dial(ctx, url, nil)
	}
	c, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := supervisor.New(c, supervisor.Options{Reconnect: link.Reconnect{Dial: dial}})
	defer b.Close()
	waitOther(t, b, func(s *model.State) bool { return len(s.Tabs) == 1 && s.Tabs[s.Order[0]].Ready })
	mu.Lock()
	url = second.WebSocketURL
	mu.Unlock()
	first.Close()
	select {
	case <-b.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the browser was not given up")
	}
	if !errors.Is(b.State().Closed, model.ErrOtherBrowser) {
		t.Errorf("closed with %v", b.State().Closed)
	}
}

// TestTruncatedAndHeld: a connection that ends within a message is restored like any other, and a burst of events after a
// pause is read.
func TestTruncatedAndHeld(t *testing.T) {
	b, proxy, _ := watchThroughProxy(t, false)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/small"))
	proxy.Truncate(700)
	call := cdp.Start(b.Session(tab.Session), runtime.Evaluate, runtime.EvaluateParams{Expression: `"x".repeat(5000)`, ReturnByValue: new(true)})
	if _, err := call.Wait(deadline(t)); !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("the call ended with %v", err)
	}
	wait(t, b, "the outage is known", func(s *model.State) bool { return s.Outage != nil })
	wait(t, b, "the page is back", back(tab.ID))
	ring, rung := progressReports(t)
	session := b.State().Tabs[tab.ID].Session
	eval(t, b, session, `setTimeout(() => { for (let i = 0; i < 5000; i++) console.log("flood", i); `+ring+` }, 100); 1`)
	proxy.Hold()
	waitFor(t, rung, "the page has written all")
	proxy.Release()
	if got := eval(t, b, session, `"done"`); got != `"done"` {
		t.Errorf("after the flood: %v", got)
	}
}

// progressReports returns a script with which a page reports its progress to the test, independent of the browser's
// connection, and the channel that receives the reports.
func progressReports(t *testing.T) (script string, rung <-chan struct{}) {
	t.Helper()
	rings := make(chan struct{}, 10)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { rings <- struct{}{} }))
	t.Cleanup(server.Close)
	return `navigator.sendBeacon("` + server.URL + `")`, rings
}

func waitFor(t *testing.T, rung <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-rung:
	case <-deadline(t).Done():
		t.Fatalf("waiting until %s", what)
	}
}

// TestUnreportedDialog opens a dialog while there is no connection. The page stays when it is dismissed.
func TestUnreportedDialog(t *testing.T) {
	b, proxy, _ := watchThroughProxy(t, true)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/small"))
	ring, rung := progressReports(t)
	// The page opens the dialog after the connection has ended, which the proxy's refusal shows.
	eval(t, b, tab.Session, `globalThis.kept = "kept"; setTimeout(() => { `+ring+`; globalThis.answer = String(confirm("anybody?")) }, 300); 1`)
	proxy.Refuse()
	wait(t, b, "the outage is known", down)
	waitFor(t, rung, "the page asks") // directly after the bell, in the same script
	if err := proxy.Allow(); err != nil {
		t.Fatal(err)
	}
	wait(t, b, "the tab is attached again", func(s *model.State) bool { return s.Outage == nil && s.Tabs[tab.ID].Session != "" })
	released, err := b.DismissUnreported(deadline(t), tab.ID)
	if err != nil || !released {
		t.Fatalf("release: %v, %v", released, err)
	}
	if got := eval(t, b, b.State().Tabs[tab.ID].Session, "kept + answer"); got != `"keptfalse"` {
		t.Errorf("the page got %s", got)
	}
	if released, err := b.DismissUnreported(deadline(t), tab.ID); released || err != nil {
		t.Errorf("a page that nothing holds: %v, %v", released, err)
	}
}
