package routes_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/fold/routes"
)

// bench is a fold of routes with a CDP session S of the context C.
type bench struct {
	*core.Core
	fetch  *fetch.Fetch
	routes *routes.Routes
}

func newBench() *bench {
	c := core.New(false)
	c.Sessions["S"] = core.Session{Kind: "page", Context: "C"}
	b := &bench{Core: c, fetch: fetch.New(c)}
	b.routes = routes.New(c, b.fetch)
	return b
}

// input calls a function as an input and returns its effects.
func (b *bench) input(f func()) string {
	b.Begin(time.Unix(1000, 0))
	f()
	text := ""
	for _, e := range b.Effects() {
		switch {
		case e.Timer != nil:
			text += fmt.Sprintf("[timer %v %s %s]", e.Timer.After, e.Timer.Session, e.Timer.Request)
		case e.Send != nil:
			text += fmt.Sprintf("[%s %v]", e.Send.Method[len("Fetch."):], e.Send.Params)
		}
	}
	return text
}

func (b *bench) command(c core.Command) string {
	return b.input(func() {
		for _, h := range append(b.routes.Handlers().Commands, b.fetch.Handlers().Commands...) {
			if h.New().InputName() == c.InputName() {
				h.Call(c)
			}
		}
	})
}

func (b *bench) paused(id, method, url, more string) string {
	ev := &cdp.Event{SessionID: "S", Method: "Fetch.requestPaused", Params: fmt.Appendf(nil,
		`{"requestId":%q,"resourceType":"XHR","request":{"url":%q,"method":%q,"headers":{"A":"1"}%s}}`, id, url, method, more)}
	return b.input(func() { b.fetch.Handlers().Events[ev.Method](ev) })
}

// TestDelay checks that a delayed request is answered by the timer only, once, and not after its CDP session has ended.
func TestDelay(t *testing.T) {
	t.Parallel()
	b := newBench()
	b.command(&routes.AddRoute{Context: "C", Route: routes.Route{Number: 1, Pattern: "*/a", Delay: time.Second, Abort: "Failed"}})
	if got := b.paused("r", "GET", "http://h/a", ""); got != "[timer 1s S r]" {
		t.Errorf("paused: %s", got)
	}
	if got := b.command(&fetch.Resume{Session: "S", Request: "r"}); got != "[failRequest map[errorReason:Failed requestId:r]]" {
		t.Errorf("resumed: %s", got)
	}
	if got := b.command(&fetch.Resume{Session: "S", Request: "r"}); got != "" {
		t.Errorf("resumed again: %s", got)
	}
	b.paused("q", "GET", "http://h/a", "")
	b.fetch.ForgetSession("S")
	if got := b.command(&fetch.Resume{Session: "S", Request: "q"}); got != "" {
		t.Errorf("after the session: %s", got)
	}
}

// TestRefusedResponse checks that a request whose response the browser refuses fails, unless it has gone.
func TestRefusedResponse(t *testing.T) {
	t.Parallel()
	b := newBench()
	reply := func(text string) string {
		r := &core.Reply{Session: "S", Tag: core.Tag{Kind: core.TagFulfill, Request: "r"}}
		if text != "" {
			r.Err = fmt.Errorf("Fetch.fulfillRequest: %s", text)
		}
		return b.input(func() { b.fetch.Handlers().Replies[core.TagFulfill](r) })
	}
	for text, want := range map[string]string{
		"": "", "Invalid InterceptionId.": "", "Invalid header": "[failRequest map[errorReason:Failed requestId:r]]",
	} {
		if got := reply(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestRecordedOrder checks which recorded response a request gets: by its body, in order, the last one repeatedly.
func TestRecordedOrder(t *testing.T) {
	t.Parallel()
	b := newBench()
	post := func(body string) routes.Recorded {
		return routes.Recorded{Method: "POST", URL: "http://h/p", Post: routes.PostKey(body)}
	}
	b.command(&routes.AddRoute{Context: "C", Route: routes.Route{Number: 7, Pattern: "**", Source: "f.har", Recorded: []routes.Recorded{
		{Method: "GET", URL: "http://h/g"}, post("x"), {Method: "GET", URL: "http://h/g"}, post("y"), {Method: "GET", URL: "http://h/f", Abort: "TimedOut"},
	}}})
	for i, c := range []struct{ method, url, more, want string }{
		{"GET", "http://h/g", "", "{7 0}"}, {"GET", "http://h/g", "", "{7 2}"}, {"GET", "http://h/g", "", "{7 2}"},
		{"POST", "http://h/p", `,"postData":"y"`, "{7 3}"}, {"POST", "http://h/p", `,"postData":"x"`, "{7 1}"},
		{"POST", "http://h/p", `,"postData":"unknown"`, "{7 3}"}, {"GET", "http://h/f", "", "TimedOut"}, {"PUT", "http://h/g", "", "continues"},
	} {
		b.Begin(time.Unix(1000, 0))
		b.paused("r", c.method, c.url, c.more)
		got := "continues"
		switch p := b.Effects()[0].Send.Params.(type) {
		case fetch.Fulfill:
			got = fmt.Sprintf("{%d %d}", p.Route, p.Response)
		case core.Params:
			got, _ = p["errorReason"].(string)
		}
		if got != c.want {
			t.Errorf("request %d, %s %s: %s, want %s", i, c.method, c.url, got, c.want)
		}
	}
	if list := b.routes.Of("C"); len(list) != 1 || list[0].Requests != 7 {
		t.Errorf("got %+v", list)
	}
}

// TestForget checks that nothing of a context is left.
func TestForget(t *testing.T) {
	t.Parallel()
	b := newBench()
	if got := b.command(&routes.AddRoute{Context: "C", Route: routes.Route{Number: 1, Pattern: "**/{a,b}?x", Abort: "Failed"}}); got != `[enable map[handleAuthRequests:false patterns:[map[urlPattern:*/*\?x]]]]` {
		t.Errorf("added: %s", got)
	}
	if got := b.command(&routes.RemoveRoutes{Context: "C", Numbers: []int{1}}); got != "[disable <nil>]" {
		t.Errorf("removed: %s", got)
	}
	b.command(&routes.AddRoute{Context: "C", Route: routes.Route{Number: 2, Pattern: "**", Abort: "Failed"}})
	b.routes.Forget("C")
	if list := b.routes.Of("C"); list != nil {
		t.Errorf("left: %+v", list)
	}
}
