package journal_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/journal"
)

// eventSender sends events about requests of a tab to a journal.
type eventSender struct {
	*journal.Journal
	// pump is held while an event is told: a browser's events come one after another.
	pump *sync.Mutex
}

func newEventSender() eventSender { return eventSender{journal.New(journal.Limits{}), new(sync.Mutex)} }

func (j eventSender) event(method, format string, args ...any) {
	j.pump.Lock()
	defer j.pump.Unlock()
	j.Tap(cdp.Event{SessionID: "S", Method: method, Params: fmt.Appendf(nil, format, args...)}, "T", nil)
}

func (j eventSender) attach() {
	j.Tap(cdp.Event{Method: "Target.attachedToTarget", Params: []byte(`{"sessionId":"S","targetInfo":{"targetId":"T","type":"page","browserContextId":"C"}}`)}, "", nil)
}

func (j eventSender) send(id, kind string) {
	j.event("Network.requestWillBeSent", `{"requestId":%q,"loaderId":"L","type":%q,"frameId":"T","timestamp":1,"wallTime":1,"request":{"url":"http://x/%s","method":"GET","headers":{}}}`, id, kind, id)
}

func (j eventSender) finish(id string) {
	j.event("Network.loadingFinished", `{"requestId":%q,"timestamp":2,"encodedDataLength":10}`, id)
}

func TestIdle(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(eventSender)
		want time.Duration // from the start of the wait
	}{
		{"nothing at all", func(eventSender) { time.Sleep(time.Second) }, 0},
		{"the last request ended a moment ago", func(j eventSender) {
			j.send("1", "Script")
			j.finish("1")
			time.Sleep(200 * time.Millisecond)
		}, 300 * time.Millisecond},
		{"a request under way", func(j eventSender) {
			j.send("1", "Script")
			time.AfterFunc(7*time.Second, func() { j.finish("1") })
		}, 7*time.Second + journal.Quiet},
		{"one after another", func(j eventSender) {
			for i := range 5 {
				at := time.Duration(i) * 400 * time.Millisecond
				time.AfterFunc(at, func() { j.send(fmt.Sprint(i), "Fetch") })
				time.AfterFunc(at+100*time.Millisecond, func() { j.finish(fmt.Sprint(i)) })
			}
		}, 1700*time.Millisecond + journal.Quiet},
		{"a request that fails", func(j eventSender) {
			j.send("1", "Image")
			time.AfterFunc(time.Second, func() {
				j.event("Network.loadingFailed", `{"requestId":"1","timestamp":2,"errorText":"net::ERR_FAILED"}`)
			})
		}, time.Second + journal.Quiet},
		{"a long poll", func(j eventSender) { j.send("1", "Fetch") }, journal.LongPoll},
		{"an event stream", func(j eventSender) { j.send("1", "EventSource"); time.Sleep(time.Second) }, 0},
		{"a WebSocket", func(j eventSender) {
			j.event("Network.webSocketCreated", `{"requestId":"1","url":"ws://x/"}`)
			time.Sleep(time.Second)
		}, 0},
		{"a request of the document that was left", func(j eventSender) {
			j.send("1", "Image")
			time.AfterFunc(time.Second, func() {
				j.event("Page.frameNavigated", `{"frame":{"id":"T","loaderId":"L2","url":"http://x/"}}`)
			})
		}, time.Second + journal.Quiet},
		{"a request of a process that died", func(j eventSender) {
			j.send("1", "Image")
			time.AfterFunc(time.Second, func() {
				j.Tap(cdp.Event{Method: "Target.targetCrashed", Params: []byte(`{"targetId":"T"}`)}, "", nil)
			})
		}, time.Second + journal.Quiet},
		{"a redirect", func(j eventSender) {
			j.send("1", "Document")
			time.AfterFunc(time.Second, func() {
				j.event("Network.requestWillBeSent", `{"requestId":"1","type":"Document","timestamp":1,"request":{"url":"http://x/b","method":"GET","headers":{}},"redirectResponse":{"url":"http://x/1","status":302}}`)
				j.finish("1")
			})
		}, time.Second + journal.Quiet},
		{"records cleared meanwhile", func(j eventSender) {
			j.send("1", "Script")
			j.ClearRequests("T")
			time.AfterFunc(time.Second, func() { j.finish("1") })
		}, time.Second + journal.Quiet},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := newEventSender()
				j.attach()
				c.do(j)
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := j.WaitIdle(ctx, "T", journal.Quiet); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != c.want {
					t.Errorf("idle after %v, want %v", took, c.want)
				}
			})
		})
	}
}

func TestIdleEndsWithTabAndContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newEventSender()
		if err := j.WaitIdle(t.Context(), "T", journal.Quiet); !errors.Is(err, journal.ErrNoTab) {
			t.Errorf("no tab: %v", err)
		}
		j.attach()
		j.send("1", "Script")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := j.WaitIdle(ctx, "T", journal.Quiet); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("deadline: %v", err)
		}
		time.AfterFunc(time.Second, func() {
			j.Tap(cdp.Event{Method: "Target.targetDestroyed", Params: []byte(`{"targetId":"T"}`)}, "", nil)
		})
		if err := j.WaitIdle(t.Context(), "T", journal.Quiet); !errors.Is(err, journal.ErrNoTab) {
			t.Errorf("closed tab: %v", err)
		}
	})
}

// TestIdleOnARealPage leaves a page whose image never comes for another.
func TestIdleOnARealPage(t *testing.T) {
	w := watch(t)
	site := cdptest.NewSite(t)
	tab := w.open(site.URL("/small"))
	w.eval(tab, `void (new Image().src = "/hang")`)
	w.until("the image alone is under way", func() bool {
		return w.journal.InFlight(tab) == 1 && len(site.Requests("/hang")) == 1
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := w.journal.WaitIdle(ctx, tab, journal.Quiet); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("idle with an image under way: %v", err)
	}
	w.navigate(tab, site.Cross("/small?next"))
	if err := w.journal.WaitIdle(w.deadline(), tab, journal.Quiet); err != nil {
		t.Fatal(err)
	}
	if n := w.journal.InFlight(tab); n != 0 {
		t.Errorf("%d requests are still under way", n)
	}
}

// TestLastScriptRequest: the journal records when the last request of a script began and ended, and how long after a
// response the page sent it.
func TestLastScriptRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newEventSender()
		j.attach()
		began := time.Now()
		check := func(what, url string, begin, gap, end time.Duration) {
			t.Helper()
			got := j.LastScriptRequest("T")
			if got.URL != "http://x/"+url || got.Began.Sub(began) != begin || got.Gap != gap || got.Ended.Sub(began) != end {
				t.Errorf("%s: %+v", what, got)
			}
		}
		for _, other := range []string{"Document", "Image", "Script"} { // the script is the parser's
			j.send(other, other)
			j.finish(other)
		}
		if got := j.LastScriptRequest("T"); got != (journal.ScriptRequest{}) {
			t.Errorf("what no script asked is told: %+v", got)
		}
		j.send("1", "Fetch")
		time.Sleep(time.Second)
		j.finish("1")
		check("answered", "1", 0, 0, time.Second)
		time.Sleep(30 * time.Millisecond)
		j.send("2", "XHR")
		check("the next", "2", 1030*time.Millisecond, 30*time.Millisecond, time.Second)
		j.send("3", "Fetch")
		check("beside it", "3", 1030*time.Millisecond, 0, time.Second)
		j.finish("2")
		check("one of both answered", "3", 1030*time.Millisecond, 0, 1030*time.Millisecond)
	})
}

// TestSharedWorkerOfNoTab starts a worker that belongs to the context only.
func TestSharedWorkerOfNoTab(t *testing.T) {
	w := watch(t)
	site := cdptest.NewSite(t)
	tab := w.open(site.URL("/small"))
	w.eval(tab, `void new SharedWorker(URL.createObjectURL(new Blob(["console.log('shared'); fetch('`+site.URL("/echo?shared")+`').then(r => r.text()).then(() => console.log('got it'))"])))`)
	w.until("the shared worker has spoken", func() bool {
		messages, _ := w.journal.Console(w.journal.Tabs(w.context)...)
		return len(messages) > 0 && messages[len(messages)-1].Text == "got it"
	})
	messages, _ := w.journal.Console(w.journal.Tabs(w.context)...)
	if len(messages) != 2 || !messages[0].Worker {
		t.Errorf("said %+v", messages)
	}
	all, _ := w.journal.Requests(journal.Filter{URL: "/echo?shared"}, w.journal.Tabs(w.context)...)
	if len(all) != 1 {
		t.Errorf("asked %+v", all)
	}
	if _, err := cdp.Do(w.deadline(), w.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(tab)}); err != nil {
		t.Fatal(err)
	}
	w.until("the worker is gone with its tab", func() bool { return len(w.journal.Tabs(w.context)) == 0 })
}
