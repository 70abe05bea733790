package extension_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/extension"
)

// stopWorker stops the extension's worker as Chrome does with an idle one.
func stopWorker(b *browser, page *cdp.Session) {
	b.t.Helper()
	b.call(page, "ServiceWorker.enable", nil, nil)
	b.call(page, "ServiceWorker.stopAllWorkers", nil, nil)
}

// TestWorkerStopped: the attachments outlive the worker, and the next one knows them.
func TestWorkerStopped(t *testing.T) {
	t.Parallel()
	site, r := cdptest.NewSite(t), newRelay(t)
	b := launch(t, r.address)
	l := r.welcomed(false)
	b.page(site.URL("/small"))
	page := l.open(site.URL("/small"))
	var attached struct {
		TargetID string `json:"targetId"`
	}
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, &attached)
	l.call("debugger.attach", map[string]any{"tabId": l.open("about:blank").TabID}, nil)
	l.evaluate(page.TabID, "window.kept = 1")
	l.decode("Runtime.enable", l.reply(l.start(map[string]any{"tab": page.TabID, "m": "Runtime.enable"})), nil)

	own := b.own("options.html")
	stopWorker(b, own)
	<-l.gone
	// An event of a tab starts the next worker; without one the alarm does.
	b.page(site.URL("/small?2"))
	l = r.next()
	if h := l.hello; h.Resume != "S1" || len(h.Attached) != 2 || !strings.Contains(fmt.Sprint(h.Attached), fmt.Sprintf("{%d %s}", page.TabID, attached.TargetID)) {
		t.Errorf("hello of the next worker: %+v", h)
	}
	l.welcome(true, "")
	if got := l.evaluate(page.TabID, "window.kept"); got != "1" {
		t.Errorf("window.kept = %s", got)
	}
	l.evaluate(page.TabID, `console.log("again")`)
	l.event("Runtime.consoleAPICalled", "again")
}

// TestLinkBroken: commands under way are answered over the next link, and events meanwhile come with it, if the relay resumes.
func TestLinkBroken(t *testing.T) {
	t.Parallel()
	r := newRelay(t)
	b := launch(t, r.address)
	l := r.welcomed(false)
	page := l.open("about:blank")
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, nil)
	l.decode("Runtime.enable", l.reply(l.start(map[string]any{"tab": page.TabID, "m": "Runtime.enable"})), nil)
	id := l.start(map[string]any{"tab": page.TabID, "m": "Runtime.evaluate", "p": map[string]any{
		"expression": "new Promise(r => globalThis.answer = r)", "awaitPromise": true}})
	if got := l.evaluate(page.TabID, "typeof answer"); got != `"function"` {
		t.Fatalf("typeof answer = %s", got)
	}
	other := b.attach(targetOf(b, "about:blank"))
	_ = l.conn.CloseNow()
	<-l.gone
	b.evaluate(other, `console.log("meanwhile"); answer(7)`)
	l = r.again(true)
	if len(l.hello.Pending) != 1 || l.hello.Pending[0] != id || len(l.hello.Attached) != 1 {
		t.Errorf("hello %+v, want pending %d", l.hello, id)
	}
	l.event("Runtime.consoleAPICalled", "meanwhile")
	if f := l.reply(id); f.Error != nil || !strings.Contains(string(f.Result), "7") {
		t.Errorf("reply %s %+v", f.Result, f.Error)
	}

	// A relay that does not resume gets nothing of the earlier session.
	id = l.start(map[string]any{"tab": page.TabID, "m": "Runtime.evaluate", "p": map[string]any{
		"expression": "new Promise(r => globalThis.answer = r)", "awaitPromise": true}})
	b.until(other, "typeof answer", `"function"`)
	_ = l.conn.CloseNow()
	<-l.gone
	b.evaluate(other, `answer(8)`)
	l = r.again(false)
	if got := l.evaluate(page.TabID, "1"); got != "1" {
		t.Errorf("1 = %s", got)
	}
	for _, f := range l.frames {
		if f.ID == id && f.Error == nil {
			t.Errorf("a new session got the reply of the last: %s", f.Result)
		}
	}
}

// TestEventsLost: more than 4 MiB of events without a link are dropped, and the relay is told of which tabs.
func TestEventsLost(t *testing.T) {
	t.Parallel()
	r := newRelay(t)
	b := launch(t, r.address)
	l := r.welcomed(false)
	page := l.open("about:blank")
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, nil)
	l.decode("Runtime.enable", l.reply(l.start(map[string]any{"tab": page.TabID, "m": "Runtime.enable"})), nil)
	other := b.attach(targetOf(b, "about:blank"))
	_ = l.conn.CloseNow()
	<-l.gone
	b.evaluate(other, `for (let i = 0; i < 6; i++) console.log(i + "x".repeat(1 << 20))`)
	l = r.again(true)
	l.event("Runtime.consoleAPICalled", "0xx")
	l.event("events.lost", fmt.Sprint(page.TabID))
}

// TestCanceled: Cancel in Chrome's bar ends the debugging of every tab. Nobody can press it in a headless browser, so the event is
// made in the worker.
func TestCanceled(t *testing.T) {
	t.Parallel()
	site, r := cdptest.NewSite(t), newRelay(t)
	b := launch(t, r.address)
	l := r.welcomed(false)
	b.page(site.URL("/small"))
	first, second := l.open("about:blank"), l.open(site.URL("/small"))
	for _, tab := range []int{first.TabID, second.TabID} {
		l.call("debugger.attach", map[string]any{"tabId": tab}, nil)
	}
	b.evaluate(b.worker(), fmt.Sprintf(`chrome.debugger.detach({tabId: %d}).then(() => chrome.debugger.detach({tabId: %d})).then(() =>
		chrome.debugger.onDetach.dispatch({tabId: %d}, "canceled_by_user"))`, first.TabID, second.TabID, first.TabID))
	for _, tab := range []int{first.TabID, second.TabID} {
		l.event("debugger.onDetach", fmt.Sprintf(`{"tabId":%d,"reason":"canceled_by_user"}`, tab))
	}
	_ = l.conn.CloseNow()
	if l = r.again(true); len(l.hello.Attached) != 0 {
		t.Errorf("still attached: %+v", l.hello.Attached)
	}
	l.call("debugger.attach", map[string]any{"tabId": first.TabID}, nil)
	if got := l.evaluate(first.TabID, "1"); got != "1" {
		t.Errorf("1 = %s", got)
	}
}

func targetOf(b *browser, url string) string { return b.target("page", url) }

// worker attaches to the extension's service worker.
func (b *browser) worker() *cdp.Session {
	b.t.Helper()
	return b.attach(b.target("service_worker", "chrome-extension://"+extension.ID()+"/worker.js"))
}

func (b *browser) target(kind, url string) string {
	b.t.Helper()
	var got struct {
		TargetInfos []struct {
			TargetID string `json:"targetId"`
			Type     string `json:"type"`
			URL      string `json:"url"`
		} `json:"targetInfos"`
	}
	b.call(b.Browser(), "Target.getTargets", nil, &got)
	for _, i := range got.TargetInfos {
		if i.Type == kind && i.URL == url {
			return i.TargetID
		}
	}
	b.t.Fatalf("no %s %s: %+v", kind, url, got.TargetInfos)
	return ""
}
