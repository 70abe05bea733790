package fetch_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// domain is a domain with CDP sessions P and F of context C and Q of context D, and two claimants: first changes
// requests, second changes them and takes logins.
type domain struct {
	*core.Core
	*fetch.Fetch
	first, second *fetch.Claimant
	changes       string // the claimants that change the next request
	takes         bool   // whether second takes the next login
	told          []string
}

func newDomain() *domain {
	c := core.New(false)
	c.Sessions["P"] = core.Session{Kind: "page", Context: "C"}
	c.Sessions["F"] = core.Session{Kind: "iframe", Context: "C"}
	c.Sessions["W"] = core.Session{Kind: "worker", Context: "C"}
	c.Sessions["Q"] = core.Session{Kind: "page", Context: "D"}
	d := &domain{Core: c, Fetch: fetch.New(c)}
	request := func(name string) func(*fetch.Request) fetch.Verdict {
		return func(r *fetch.Request) fetch.Verdict {
			d.told = append(d.told, fmt.Sprint(name, r.Headers))
			if !strings.Contains(d.changes, name) {
				return fetch.Pass
			}
			r.Drop("accept")
			r.Headers = append(r.Headers, fetch.Header{Name: name, Value: "1"})
			return fetch.Change
		}
	}
	d.first = &fetch.Claimant{Request: request("first")}
	d.second = &fetch.Claimant{Request: request("second"), Auth: func(*cdp.Event) bool {
		d.told = append(d.told, "second login")
		return d.takes
	}}
	d.Add(d.first)
	d.Add(d.second)
	return d
}

// input calls f as one input and returns what it sent.
func (d *domain) input(f func()) string {
	d.Begin(time.Unix(1000, 0))
	f()
	var sent []string
	for _, e := range d.Effects() {
		text := e.Send.Session + " " + strings.TrimPrefix(e.Send.Method, "Fetch.")
		switch p := e.Send.Params.(type) {
		case core.Params:
			if p["patterns"] != nil {
				text += fmt.Sprintf(" %v %v", p["patterns"], p["handleAuthRequests"])
			}
			if p["authChallengeResponse"] != nil {
				text += fmt.Sprintf(" %v %v", p["requestId"], p["authChallengeResponse"])
			}
		case fetch.Continue:
			text += fmt.Sprint(" ", p.Request, p.Headers)
		}
		sent = append(sent, text)
	}
	return strings.Join(sent, ", ")
}

func (d *domain) event(method, params string) (sent, told string) {
	d.told = nil
	sent = d.input(func() {
		d.Fetch.Handlers().Events[method](&cdp.Event{SessionID: "P", Method: method, Params: []byte(params)})
	})
	return sent, strings.Join(d.told, ", ")
}

func expect(t *testing.T, step, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s, want\n%s", step, got, want)
	}
}

// One Fetch.enable holds what all claims of a context come to, in its pages and frames; Fetch.disable comes with the
// end of the last.
func TestClaims(t *testing.T) {
	d := newDomain()
	claim := func(c *fetch.Claimant, patterns ...string) string {
		return d.input(func() { d.Claim("C", c, patterns...) })
	}
	release := func(c *fetch.Claimant) string { return d.input(func() { d.Release("C", c) }) }
	both := func(what string) string { return "F " + what + ", P " + what }

	expect(t, "a claim without a pattern", claim(d.second), "")
	expect(t, "a pattern of another, with logins", claim(d.first, "http://a/*"), both("enable [map[urlPattern:http://a/*]] true"))
	expect(t, "the same again", claim(d.first, "http://a/*"), "")
	expect(t, "a pattern more", claim(d.second, "http://a/*", "http://b/*"), both("enable [map[urlPattern:http://a/*] map[urlPattern:http://b/*]] true"))
	expect(t, "another in its place", claim(d.second, "http://c/*"), both("enable [map[urlPattern:http://a/*] map[urlPattern:http://c/*]] true"))
	expect(t, "everything", claim(d.second, fetch.Everything), both("enable [map[urlPattern:*]] true"))
	expect(t, "the first is covered", release(d.first), "")
	expect(t, "and comes back", claim(d.first, "http://a/*"), "")
	expect(t, "logins are given back", release(d.second), both("enable [map[urlPattern:http://a/*]] false"))
	if d.HasPattern("C", fetch.Everything) || !d.HasPattern("C", "http://a/*") || d.HasPattern("D", "http://a/*") {
		t.Error("it does not know what is held")
	}
	expect(t, "the last is given back", release(d.first), both("disable"))
	expect(t, "nothing is left", release(d.first), "")
	expect(t, "another context has its own", d.input(func() { d.Claim("D", d.first, "http://a/*") }), "Q enable [map[urlPattern:http://a/*]] false")
}

// The order in which claims are given back does not matter.
func TestReleaseInAnyOrder(t *testing.T) {
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		d := newDomain()
		all := []*fetch.Claimant{d.first, d.second}
		d.input(func() { d.Claim("C", d.first, "http://a/*"); d.Claim("C", d.second, "http://b/*") })
		if got := d.input(func() { d.Release("C", all[order[0]]) }); !strings.Contains(got, "enable") {
			t.Errorf("order %v: the first release sends %s", order, got)
		}
		expect(t, "the last release", d.input(func() { d.Release("C", all[order[1]]) }), "F disable, P disable")
	}
}

// A new CDP session gets the patterns of its context. Nothing is sent to one that has ended, or is of another context.
func TestSessionsComeAndGo(t *testing.T) {
	d := newDomain()
	expect(t, "without a claim", d.input(func() { d.SetUp("P", "C") }), "")
	d.input(func() { d.Claim("C", d.second) })
	expect(t, "without a pattern", d.input(func() { d.SetUp("P", "C") }), "")
	d.input(func() { d.Claim("C", d.first, "http://a/*") })
	d.Sessions["N"] = core.Session{Kind: "page", Context: "C"}
	expect(t, "a new one", d.input(func() { d.SetUp("N", "C") }), "N enable [map[urlPattern:http://a/*]] true")
	delete(d.Sessions, "F")
	expect(t, "one is gone", d.input(func() { d.Release("C", d.second) }), "N enable [map[urlPattern:http://a/*]] false, P enable [map[urlPattern:http://a/*]] false")
	d.Forget("C")
	expect(t, "the context is gone", d.input(func() { d.SetUp("P", "C"); d.Release("C", d.first) }), "")
	if sent, told := d.event("Fetch.requestPaused", `{"requestId":"late","request":{"url":"http://a/"}}`); sent != "P continueRequest late[]" || told != "" {
		t.Errorf("a late request: sent %q, told %q", sent, told)
	}
}

// A request is offered to the claimants in the order in which they were added; each sees the changes of those before it.
func TestRequests(t *testing.T) {
	const request = `{"requestId":"r","request":{"url":"http://a/","headers":{"Accept":"*/*","B":"b"}}}`
	for _, c := range []struct{ name, changes, sent, told string }{
		{"nobody changes it", "", "r[]", "first[{Accept */* } {B b }], second[{Accept */* } {B b }]"},
		{"the first does", "first", "r[{B b } {first 1 }]", "first[{Accept */* } {B b }], second[{B b } {first 1 }]"},
		{"the second does", "second", "r[{B b } {second 1 }]", "first[{Accept */* } {B b }], second[{Accept */* } {B b }]"},
		{"both do", "first second", "r[{B b } {first 1 } {second 1 }]", "first[{Accept */* } {B b }], second[{B b } {first 1 }]"},
	} {
		d := newDomain()
		d.input(func() { d.Claim("C", d.second, "http://a/*"); d.Claim("C", d.first) })
		d.changes = c.changes
		sent, told := d.event("Fetch.requestPaused", request)
		expect(t, c.name+", sent", sent, "P continueRequest "+c.sent)
		expect(t, c.name+", told", told, c.told)
	}
	d := newDomain()
	d.input(func() { d.Claim("C", d.first, "http://a/*") })
	d.changes = "second"
	if sent, told := d.event("Fetch.requestPaused", request); sent != "P continueRequest r[]" || strings.Contains(told, "second") {
		t.Errorf("without a claim: sent %q, told %q", sent, told)
	}
}

// A login goes to the claimant that takes it; others are answered by the browser.
func TestLogins(t *testing.T) {
	const login = `{"requestId":"r"}`
	d := newDomain()
	d.input(func() { d.Claim("C", d.first, "http://a/*"); d.Claim("C", d.second) })
	for _, takes := range []bool{true, false} {
		d.takes = takes
		sent, told := d.event("Fetch.authRequired", login)
		want := "P continueWithAuth r map[response:Default]"
		if takes {
			want = ""
		}
		expect(t, "sent", sent, want)
		expect(t, "told", told, "second login")
	}
	d.input(func() { d.Release("C", d.second) })
	sent, told := d.event("Fetch.authRequired", login)
	expect(t, "without a claim", sent+told, "P continueWithAuth r map[response:Default]")
}

// The parameters sent have the values of the request's extra headers, and of no others.
func TestContinue(t *testing.T) {
	extra := map[string]map[string]string{"http://a": {"X": "secret"}, "http://b": {"X": "other"}}
	plain := fetch.Continue{Request: "r", Context: model.ContextID("C")}
	if got := fmt.Sprint(plain.Params(extra)); got != "map[requestId:r]" {
		t.Errorf("as it is: %s", got)
	}
	none := fetch.Continue{Request: "r", Headers: []fetch.Header{}}
	if got := fmt.Sprint(none.Params(extra)); got != "map[headers:[] requestId:r]" {
		t.Errorf("without headers: %s", got)
	}
	changed := fetch.Continue{Request: "r", Headers: []fetch.Header{{Name: "A", Value: "1"}, {Name: "X", Origin: "http://a"}}}
	if got := fmt.Sprint(changed.Params(extra)); got != "map[headers:[map[name:A value:1] map[name:X value:secret]] requestId:r]" {
		t.Errorf("changed: %s", got)
	}
}

// TestOwnPage: requests of a page of usher's own are answered, whatever the claimants of its context want.
func TestOwnPage(t *testing.T) {
	t.Parallel()
	d := newDomain()
	d.Sessions["O"] = core.Session{Kind: core.KindOwn, Context: "C"}
	d.changes = "first"
	if got := d.input(func() { d.AnswerAll("O") }); !strings.HasPrefix(got, "O enable") {
		t.Errorf("sent %s", got)
	}
	got := d.input(func() { d.Claim("C", d.first, fetch.Everything) })
	if strings.Contains(got, "O ") {
		t.Errorf("a claim of the context changes the own page: %s", got)
	}
	ev := &cdp.Event{SessionID: "O", Method: "Fetch.requestPaused", Params: []byte(`{"requestId":"r","request":{"url":"https://a.example/"}}`)}
	got = d.input(func() { d.Fetch.Handlers().Events[ev.Method](ev) })
	if !strings.HasPrefix(got, "O fulfillRequest") || len(d.told) > 0 {
		t.Errorf("sent %s, and told %q", got, d.told)
	}
}
