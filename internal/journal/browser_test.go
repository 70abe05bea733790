package journal_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func TestMain(m *testing.M) { cdptest.Run(m) }

// watched is the shared browser with a supervisor and a journal of this test's own.
type watched struct {
	*supervisor.Browser
	t       *testing.T
	journal *journal.Journal
	context model.ContextID
}

// watch joins the shared browser and makes a context for this test.
func watch(t *testing.T) *watched {
	t.Helper()
	c := cdptest.Shared(t).Dial(t)
	w := &watched{t: t, journal: journal.New(journal.Limits{})}
	w.Browser = supervisor.New(c, supervisor.Options{Observers: []supervisor.Observer{w.journal}})
	t.Cleanup(func() { w.Close() })
	made, err := cdp.Do(w.deadline(), w.Session(""), target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		t.Fatal(err)
	}
	w.context = model.ContextID(made.BrowserContextID)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cdptest.Timeout)
		defer cancel()
		_, err := cdp.Do(ctx, w.Session(""), target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: made.BrowserContextID})
		if err != nil {
			t.Error(err)
		}
	})
	return w
}

// deadline leaves time for ten thousand requests on a slow machine: they took 27 s
// on two cores, most of it Chromium's own.
func (w *watched) deadline() context.Context {
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	w.t.Cleanup(cancel)
	return ctx
}

// open opens a page and waits until it has loaded.
func (w *watched) open(url string) model.TargetID {
	w.t.Helper()
	made, err := cdp.Do(w.deadline(), w.Session(""), target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: protocol.BrowserContextID(w.context)})
	if err != nil {
		w.t.Fatal(err)
	}
	id := model.TargetID(made.TargetID)
	w.until("the tab is ready", func() bool {
		t := w.State().Tabs[id]
		return t != nil && t.Ready
	})
	w.navigate(id, url)
	w.until("the page has loaded", func() bool {
		t := w.State().Tabs[id]
		return t.MainFrame().Loaded && t.URL != "about:blank"
	})
	return id
}

// until waits for a condition on what is known; each event makes it look again.
func (w *watched) until(what string, cond func() bool) {
	w.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ctx := w.deadline(); !cond(); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			w.t.Fatalf("never: %s", what)
		}
	}
}

func (w *watched) eval(tab model.TargetID, expression string) string {
	w.t.Helper()
	return w.evalIn(w.State().Tabs[tab].Session, expression)
}

func (w *watched) evalIn(session, expression string) string {
	w.t.Helper()
	res, err := cdp.Do(w.deadline(), w.Session(session), runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, AwaitPromise: new(true), ReturnByValue: new(true), UserGesture: new(true)})
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	if res.ExceptionDetails != nil {
		w.t.Fatalf("%s: threw %v", expression, res.ExceptionDetails)
	}
	return string(res.Result.Value)
}

func (w *watched) navigate(tab model.TargetID, url string) {
	w.t.Helper()
	if _, err := cdp.Do(w.deadline(), w.Session(w.State().Tabs[tab].Session), page.Navigate, page.NavigateParams{URL: url}); err != nil {
		w.t.Fatal(err)
	}
}

func TestTenThousandFetchesAreAllThere(t *testing.T) {
	w := watch(t)
	site := cdptest.NewSite(t)
	tab := w.open(site.URL("/fetches?n=10000"))
	w.eval(tab, "run()")
	w.until("all requests have ended", func() bool { return w.journal.InFlight(tab) == 0 })
	requests, dropped := w.journal.Requests(journal.Filter{URL: "/echo?i="}, tab)
	if dropped != 0 || len(requests) != 10000 {
		t.Fatalf("%d requests are remembered and %d dropped, want 10000 and 0", len(requests), dropped)
	}
	seen := map[string]bool{}
	for _, r := range requests {
		seen[r.URL] = true
		if r.Status != 200 || r.Method != http.MethodGet || r.Type != "Fetch" || r.MIMEType != "application/json" || !r.Done ||
			!strings.Contains(string(r.ResponseHeaders), "application/json") || !strings.Contains(string(r.Headers), "Referer") {
			t.Fatalf("incomplete: %+v", r)
		}
	}
	if len(seen) != 10000 {
		t.Errorf("%d different requests, want 10000", len(seen))
	}
	t.Logf("the journal holds %d kB", w.journal.Bytes()>>10)
}

func TestRequestKinds(t *testing.T) {
	w := watch(t)
	site := cdptest.NewSite(t)
	tab := w.open(site.URL("/redirect?n=3"))
	w.eval(tab, `fetch("/echo", {method: "POST", body: "sent " + "x".repeat(100), headers: {"X-Own": "yes"}}).then(r => r.text())`)
	w.eval(tab, `fetch("/status/404").then(r => r.text())`)
	w.eval(tab, `fetch("/cut").catch(() => 0)`)
	w.eval(tab, `new Promise(done => { const x = new XMLHttpRequest(); x.onload = done; x.open("GET", "/echo?xhr"); x.send() }).then(() => 1)`)
	w.eval(tab, `new Promise(done => { const i = new Image(); i.onload = done; i.src = "/pixel.png" }).then(() => 1)`)
	w.eval(tab, `new Promise(done => { const i = new Image(); i.onload = done; i.src = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>" }).then(() => 1)`)
	if err := w.journal.WaitIdle(w.deadline(), tab, journal.Quiet); err != nil {
		t.Fatal(err)
	}
	var lines []string
	all, _ := w.journal.Requests(journal.Filter{}, tab)
	for _, r := range all {
		path := strings.TrimPrefix(r.URL, site.URL(""))
		if path == "favicon.ico" {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %d %s%s %v", r.Method, path, r.Type, r.Status, strings.TrimPrefix(r.RedirectedTo, site.URL("")), r.Failed, r.Done))
	}
	want := `GET redirect?n=3 Document 302 redirect?n=2 true
GET redirect?n=2 Document 302 redirect?n=1 true
GET redirect?n=1 Document 302 small?redirected=yes true
GET small?redirected=yes Document 200  true
POST echo Fetch 200  true
GET status/404 Fetch 404  true
GET cut Fetch 0 net::ERR_EMPTY_RESPONSE true
GET echo?xhr XHR 200  true
GET pixel.png Image 200  true`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// Each step of the redirect has the headers of its own answer.
	for i, r := range all[:3] {
		if !strings.Contains(string(r.ResponseHeaders), `"Location"`) || !strings.Contains(string(r.Headers), `"Host"`) {
			t.Errorf("step %d: %s %s", i, r.Headers, r.ResponseHeaders)
		}
	}

	d, err := w.journal.Detail(w.deadline(), w.Browser, all[0].ID, tab)
	if err != nil {
		t.Fatal(err)
	}
	if d.URL != site.URL("/small?redirected=yes") || len(d.Redirects) != 3 || !strings.Contains(d.ResponseBody, "<title>Small") {
		t.Errorf("detail of a redirect: %+v", d)
	}
	for _, r := range all {
		d, err := w.journal.Detail(w.deadline(), w.Browser, r.ID, tab)
		switch {
		case err != nil:
			t.Error(err)
		case r.Method == http.MethodPost && (!strings.HasPrefix(d.PostData, "sent xxx") || !strings.Contains(d.ResponseBody, "sent xxx") || !strings.Contains(string(d.Headers), "X-Own")):
			t.Errorf("detail of a post: %+v", d)
		case r.Type == "Image" && (!d.Base64 || !strings.HasPrefix(d.ResponseBody, "iVBORw0KGgo")):
			t.Errorf("detail of an image: %+v", d)
		case r.Failed != "" && d.BodyError == "":
			t.Errorf("no word about the missing body: %+v", d)
		}
	}
	if _, err := w.journal.Detail(w.deadline(), w.Browser, "none", tab); err == nil {
		t.Error("an unknown request has a detail")
	}
}

func TestFramesAndWorkersCountToTheirTab(t *testing.T) {
	w := watch(t)
	site := cdptest.NewSite(t)
	tab := w.open(site.URL("/frames"))
	if err := w.journal.WaitIdle(w.deadline(), tab, journal.Quiet); err != nil {
		t.Fatal(err)
	}
	var far *model.Frame
	for _, f := range w.State().Tabs[tab].Frames {
		if f.OOPIF && f.Name == "cross" {
			far = f
		}
	}
	if far == nil {
		t.Fatal("no frame of another process")
	}
	w.evalIn(far.Session, `fetch("/echo?from=oopif").then(r => r.text())`)
	w.eval(tab, `new Promise(done => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('`+site.URL("/echo?from=worker")+`').then(r => r.text()).then(() => postMessage(1))"]))); w.onmessage = done }).then(() => 1)`)
	w.until("both are remembered", func() bool {
		all, _ := w.journal.Requests(journal.Filter{URL: "/echo?from="}, tab)
		return len(all) == 2 && all[0].Done && all[1].Done
	})
	all, _ := w.journal.Requests(journal.Filter{}, tab)
	count := map[string]int{}
	for _, r := range all {
		count[strings.TrimPrefix(r.URL, site.URL(""))]++
		if strings.Contains(r.URL, "from=oopif") && r.Frame != far.ID {
			t.Errorf("the request of the far frame names frame %s, want %s", r.Frame, far.ID)
		}
		if strings.HasPrefix(r.URL, "http") && !r.Done {
			t.Errorf("not complete: %+v", r)
		}
	}
	for url, n := range count {
		if n != 1 {
			t.Errorf("%s is told %d times", url, n)
		}
	}
	d, err := w.journal.Detail(w.deadline(), w.Browser, find(t, w, tab, "from=oopif").ID, tab)
	if err != nil || !strings.Contains(d.ResponseBody, "from=oopif") {
		t.Errorf("detail of the far frame's request: %+v, %v", d, err)
	}
	d, err = w.journal.Detail(w.deadline(), w.Browser, find(t, w, tab, "name=cross").ID, tab)
	if err != nil || !strings.Contains(d.ResponseBody, "<title>Frame cross") {
		t.Errorf("detail of the far frame's document: %+v, %v", d, err)
	}
	if got := len(w.journal.Tabs(w.context)); got != 1 {
		t.Errorf("%d tabs in the context", got)
	}
}

func find(t *testing.T, w *watched, tab model.TargetID, url string) journal.Request {
	t.Helper()
	all, _ := w.journal.Requests(journal.Filter{URL: url}, tab)
	if len(all) != 1 {
		t.Fatalf("%d requests with %s", len(all), url)
	}
	return all[0]
}

// TestTabThatLoadsAtOnce opens tabs whose first request is on its way before
// anyone can watch: each must be told of all the same. Nothing can be told of a document that has come whole by then, so
// the server holds its answer back until the tab is watched.
func TestTabThatLoadsAtOnce(t *testing.T) {
	w := watch(t)
	site := cdptest.NewSite(t)
	watched := make(chan struct{})
	held := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		select {
		case <-watched:
			http.Redirect(rw, r, site.URL("/small?redirected=yes"), http.StatusFound)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(held.Close)
	made, err := cdp.Do(w.deadline(), w.Session(""), target.CreateTarget, target.CreateTargetParams{
		URL: held.URL, BrowserContextID: protocol.BrowserContextID(w.context)})
	if err != nil {
		t.Fatal(err)
	}
	id := model.TargetID(made.TargetID)
	w.until("the tab is watched", func() bool {
		tab := w.State().Tabs[id]
		return tab != nil && tab.Ready
	})
	close(watched)
	w.until("the page has loaded", func() bool {
		tab := w.State().Tabs[id]
		return tab.MainFrame().Loaded && strings.HasSuffix(tab.URL, "redirected=yes")
	})
	if err := w.journal.WaitIdle(w.deadline(), id, journal.Quiet); err != nil {
		t.Fatal(err)
	}
	last := find(t, w, id, "/small?redirected=yes")
	if last.Status != 200 || !last.Done {
		t.Errorf("last is %+v", last)
	}

	opener := w.open(site.URL("/popup"))
	w.eval(opener, `document.getElementById("blank").click()`)
	w.eval(opener, `document.getElementById("cross").click()`)
	for _, url := range []string{"/small?blank", "/small?cross"} {
		w.until("the popup's document is told", func() bool {
			for _, tab := range w.State().Tabs {
				if tab.ID != opener && strings.HasSuffix(tab.URL, url) && tab.Ready {
					all, _ := w.journal.Requests(journal.Filter{URL: url}, tab.ID)
					return len(all) == 1 && all[0].Status == 200 && all[0].Done && all[0].Method == http.MethodGet
				}
			}
			return false
		})
	}
}
