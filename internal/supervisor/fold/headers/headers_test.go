package headers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/fold/headers"
)

// TestOrigins: a header is sent to its origin, whatever the case and port in the URL. It is removed from a redirect to
// another origin, even if that has headers itself.
func TestOrigins(t *testing.T) {
	c := core.New(false)
	c.Sessions["P"] = core.Session{Kind: "page", Context: "C"}
	c.Sessions["Q"] = core.Session{Kind: "page", Context: "D"}
	domain := fetch.New(c)
	extra := headers.New(c, domain)
	set := func(origin string, names ...string) {
		c.Begin(time.Unix(1000, 0))
		extra.Handlers().Commands[0].Call(&headers.SetHeaders{Context: "C", Origin: origin, Names: names})
	}
	set("https://a.example", "X-Secret")
	if got := c.Effects(); len(got) != 1 || got[0].Send.Session != "P" || got[0].Send.Method != "Fetch.enable" {
		t.Fatalf("held is %+v", got)
	}
	set("https://b.example:8443", "X-Replaced")
	set("https://b.example:8443", "X-Other", "X-More")
	for _, row := range []struct{ session, url, from, headers, want string }{
		{"P", "https://A.example/else", "", `"Accept":"*/*"`, "[{Accept */*  0} {X-Secret  https://a.example 0}]"},
		{"P", "https://a.example/", "", `"x-secret":"of the page"`, "[{X-Secret  https://a.example 0}]"},
		{"P", "https://b.example:8443/", "", ``, "[{X-Other  https://b.example:8443 0} {X-More  https://b.example:8443 0}]"},
		{"P", "http://a.example/", "", `"Accept":"*/*"`, "as it is"},
		{"P", "https://a.example:444/", "", ``, "as it is"},
		{"P", "https://sub.a.example/", "", ``, "as it is"},
		{"P", "https://b.example/", "", `"x-secret":"of the page"`, "as it is"},
		{"P", "https://b.example/", "before", `"x-secret":"1","X-OTHER":"2","Accept":"*/*"`, "[{Accept */*  0}]"},
		{"P", "https://b.example:8443/", "before", `"x-secret":"1"`, "[{X-Other  https://b.example:8443 0} {X-More  https://b.example:8443 0}]"},
		{"P", "https://a.example/", "before", `"x-secret":"1"`, "[{X-Secret  https://a.example 0}]"},
		{"Q", "https://a.example/", "", ``, "as it is"},
	} {
		c.Begin(time.Unix(1000, 0))
		domain.Handlers().Events["Fetch.requestPaused"](&cdp.Event{SessionID: row.session, Params: fmt.Appendf(nil,
			`{"requestId":"r","redirectedRequestId":%q,"request":{"url":%q,"headers":{%s}}}`, row.from, row.url, row.headers)})
		next := c.Effects()[0].Send.Params.(fetch.Continue)
		got := fmt.Sprint(next.Headers)
		if next.Headers == nil {
			got = "as it is"
		}
		if got != row.want {
			t.Errorf("%s, redirected by %q, with %s: sent %s, want %s", row.url, row.from, row.headers, got, row.want)
		}
	}
	extra.Forget("C")
	domain.Forget("C")
	c.Begin(time.Unix(1000, 0))
	domain.Handlers().Events["Fetch.requestPaused"](&cdp.Event{SessionID: "P", Params: []byte(`{"requestId":"r","request":{"url":"https://a.example/"}}`)})
	if next := c.Effects()[0].Send.Params.(fetch.Continue); next.Headers != nil || strings.Contains(fmt.Sprint(next), "X-") {
		t.Errorf("of a context that is gone is sent %+v", next)
	}
}
