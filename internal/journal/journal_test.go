package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func (j *Journal) attachPage(session, target string) {
	j.Tap(cdp.Event{Method: "Target.attachedToTarget", Params: fmt.Appendf(nil, `{"sessionId":%q,"targetInfo":{"targetId":%q,"type":"page","browserContextId":"C"}}`, session, target)}, "", nil)
}

func (j *Journal) say(session, method, format string, args ...any) {
	j.Tap(cdp.Event{SessionID: session, Method: method, Params: fmt.Appendf(nil, format, args...)}, "", nil)
}

// check compares the running count of bytes with the truth.
func (j *Journal) check(t *testing.T) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	total := 0
	for id, b := range j.records {
		sum := 0
		for _, m := range b.messages.all() {
			sum += m.weight() + overhead
		}
		if sum != b.messages.bytes {
			t.Fatalf("messages of %s weigh %d, counted %d", id, sum, b.messages.bytes)
		}
		total, sum = total+sum, 0
		for _, e := range b.errors.all() {
			sum += e.weight() + overhead
		}
		if sum != b.errors.bytes {
			t.Fatalf("errors of %s weigh %d, counted %d", id, sum, b.errors.bytes)
		}
		total, sum = total+sum, 0
		for _, r := range b.network.list.all() {
			if !r.listed {
				t.Fatal("a listed record does not know it")
			}
			sum += r.weight() + overhead
		}
		if sum != b.network.list.bytes {
			t.Fatalf("requests of %s weigh %d, counted %d", id, sum, b.network.list.bytes)
		}
		total += sum
	}
	if total != j.bytes || total > j.limits.Bytes {
		t.Fatalf("all weigh %d, counted %d, limit %d", total, j.bytes, j.limits.Bytes)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	j := New(Limits{Messages: 50, Errors: 20, Requests: 100, Bytes: 200 << 10})
	j.attachPage("S1", "T1")
	j.attachPage("S2", "T2")
	text := strings.Repeat("w", 3000)
	for i := range 500 {
		s := fmt.Sprintf("S%d", 1+i%2)
		j.say(s, "Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"%d %s"}],"timestamp":1}`, i, text)
		j.say(s, "Runtime.exceptionThrown", `{"exceptionDetails":{"exceptionId":%d,"text":"Uncaught %s"}}`, i, text)
		j.say(s, "Network.requestWillBeSentExtraInfo", `{"requestId":"orphan %d","headers":{"A":%q}}`, i, text)
		j.say(s, "Network.requestWillBeSent", `{"requestId":"%d","request":{"url":"http://x/%d","method":"GET","headers":{"A":%q}}}`, i, i, text)
		j.say(s, "Network.responseReceived", `{"requestId":"%d","response":{"status":200,"headers":{"B":%q}}}`, i, text)
		if i%3 > 0 {
			j.say(s, "Network.loadingFinished", `{"requestId":"%d"}`, i)
		}
		j.check(t)
	}
	messages, dm := j.Console("T1")
	errors, de := j.Errors("T1")
	requests, dr := j.Requests(Filter{}, "T1")
	if len(messages)+dm != 250 || len(errors)+de != 250 || len(requests)+dr != 250 || len(requests) == 0 {
		t.Errorf("kept and dropped: messages %d+%d, errors %d+%d, requests %d+%d; want 250 of each", len(messages), dm, len(errors), de, len(requests), dr)
	}
	if last := messages[len(messages)-1].Text; !strings.HasPrefix(last, "498 ") {
		t.Errorf("the newest message is %.10s", last)
	}
	j.mu.Lock()
	n := &j.records["T1"].network
	if listed := n.list.len(); len(n.chains) > listed+len(n.inFlight)+len(n.orphans) {
		t.Errorf("%d chains for %d records, %d in flight, %d orphans", len(n.chains), listed, len(n.inFlight), len(n.orphans))
	}
	j.mu.Unlock()
	j.ClearConsole("T1", "T2")
	j.ClearErrors("T1", "T2")
	j.ClearRequests("T1", "T2")
	if j.Bytes() != 0 {
		t.Errorf("%d bytes are left after all was cleared", j.Bytes())
	}
	j.Tap(cdp.Event{Method: "Target.targetDestroyed", Params: []byte(`{"targetId":"T1"}`)}, "", nil)
	j.say("S1", "Runtime.consoleAPICalled", `{"type":"log"}`)
	if len(j.Tabs("C")) != 1 || j.Bytes() != 0 {
		t.Error("a destroyed tab has records")
	}
}

// TestExtraInfo gives the same three steps in different orders of events.
func TestExtraInfo(t *testing.T) {
	send := func(n int, redirectHasExtra string) string {
		redirect := ""
		if n > 1 {
			redirect = fmt.Sprintf(`,"redirectHasExtraInfo":%s,"redirectResponse":{"url":"http://x/%d","status":302,"headers":{"plain":"%d"}}`, redirectHasExtra, n-1, n-1)
		}
		return fmt.Sprintf(`Network.requestWillBeSent {"requestId":"R","request":{"url":"http://x/%d","method":"GET","headers":{"plain":"%d"}}%s}`, n, n, redirect)
	}
	sent := func(n int) string {
		return fmt.Sprintf(`Network.requestWillBeSentExtraInfo {"requestId":"R","headers":{"wire":"%d"}}`, n)
	}
	received := func(n, status int) string {
		return fmt.Sprintf(`Network.responseReceivedExtraInfo {"requestId":"R","statusCode":%d,"headers":{"wire":"%d"}}`, status, n)
	}
	answer := func(n int, hasExtra string) string {
		return fmt.Sprintf(`Network.responseReceived {"requestId":"R","hasExtraInfo":%s,"response":{"status":200,"headers":{"plain":"%d"}}}`, hasExtra, n)
	}
	wire := "1 302 wire wire, 2 302 wire wire, 3 200 wire wire"
	for name, c := range map[string]struct {
		events []string
		want   string
	}{
		"in order":          {[]string{send(1, ""), sent(1), received(1, 302), send(2, "true"), sent(2), received(2, 302), send(3, "true"), sent(3), received(3, 200), answer(3, "true")}, wire},
		"extra first":       {[]string{sent(1), send(1, ""), received(1, 302), sent(2), received(2, 302), send(2, "true"), sent(3), send(3, "true"), received(3, 200), answer(3, "true")}, wire},
		"all extra first":   {[]string{sent(1), received(1, 302), sent(2), received(2, 302), sent(3), received(3, 200), send(1, ""), send(2, "true"), send(3, "true"), answer(3, "true")}, wire},
		"all extra last":    {[]string{send(1, ""), send(2, "true"), send(3, "true"), answer(3, "true"), sent(1), received(1, 302), sent(2), received(2, 302), sent(3), received(3, 200)}, wire},
		"first has none":    {[]string{send(1, ""), sent(2), send(2, "false"), received(2, 302), sent(3), send(3, "true"), received(3, 200), answer(3, "true")}, "1 302 plain plain, 2 302 wire wire, 3 200 wire wire"},
		"none at all":       {[]string{send(1, ""), send(2, "false"), send(3, "false"), answer(3, "false")}, "1 302 plain plain, 2 302 plain plain, 3 200 plain plain"},
		"revalidated":       {[]string{send(1, ""), sent(1), received(1, 304), answer(1, "true")}, "1 304 wire wire"},
		"told twice":        {[]string{send(1, ""), send(1, ""), answer(1, "false")}, "1 200 plain plain"},
		"watched too late":  {[]string{send(2, "false"), send(3, "false"), answer(3, "false")}, "1 302 {} plain, 2 302 plain plain, 3 200 plain plain"},
		"answer alone":      {[]string{answer(3, "false")}, " 200 {} plain"},
		"early, last first": {[]string{send(1, ""), received(1, 302), sent(1), send(2, "true"), received(2, 302), send(3, "true"), answer(3, "true"), received(3, 200), sent(2), sent(3)}, wire},
	} {
		j := New(Limits{})
		j.attachPage("S", "T")
		for _, e := range c.events {
			method, params, _ := strings.Cut(e, " ")
			j.say("S", method, "%s", params)
			j.check(t)
		}
		requests, _ := j.Requests(Filter{}, "T")
		var got []string
		for _, r := range requests {
			kind := func(h []byte) string {
				for _, k := range []string{"wire", "plain"} {
					if strings.Contains(string(h), fmt.Sprintf(`{"%s":"%s"}`, k, strings.TrimPrefix(r.URL, "http://x/"))) || r.URL == "" && strings.Contains(string(h), k) {
						return k
					}
				}
				return string(h)
			}
			got = append(got, fmt.Sprintf("%s %d %s %s", strings.TrimPrefix(r.URL, "http://x/"), r.Status, kind(r.Headers), kind(r.ResponseHeaders)))
		}
		if g := strings.Join(got, ", "); g != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, g, c.want)
		}
	}
}

func TestFilter(t *testing.T) {
	r := Request{URL: "https://shop.example/api/items?page=2", Method: "POST", Type: "XHR", Status: 404}
	for _, c := range []struct {
		url, types, method, status string
		want                       bool
	}{
		{"", "", "", "", true}, {"items", "", "", "", true}, {"Items", "", "", "", false},
		{"*/api/*", "", "", "", true}, {"https://*page=2", "", "", "", true}, {"**/items**", "", "", "", true},
		{"api/*", "", "", "", false}, {"*/items", "", "", "", false}, {"*?page=2", "", "", "", true},
		{"", "xhr,fetch", "", "", true}, {"", "fetch, document", "", "", false},
		{"", "", "post", "", true}, {"", "", "GET", "", false},
		{"", "", "", "404", true}, {"", "", "", "4xx", true}, {"", "", "", "400-499", true}, {"", "", "", "200", false}, {"", "", "", "2XX", false},
	} {
		f, err := ParseFilter(c.url, c.types, c.method, c.status)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if got := f.Match(&r); got != c.want {
			t.Errorf("%+v is %v", c, got)
		}
	}
	for _, c := range [][2]string{{"picture", ""}, {"", "6xx"}, {"", "abc"}, {"", "500-400"}, {"", "20"}, {"", "200-"}, {"", "xx"}} {
		if _, err := ParseFilter("", c[0], "", c[1]); err == nil {
			t.Errorf("filter %v is accepted", c)
		}
	}
	none := Request{}
	if f := (Filter{StatusFrom: 200, StatusTo: 299}); f.Match(&none) {
		t.Error("a request without an answer passes a filter by status")
	}
}

// FuzzTap feeds whatever a page could make the browser say.
func FuzzTap(f *testing.F) {
	f.Add("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"object","preview":{"entries":[{}],"properties":[{"name":"a","type":"string","value":"x"}]}}],"executionContextId":1,"timestamp":1.5,"stackTrace":{"callFrames":[{}]}}`)
	f.Add("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"%s %d %i %f %o %O %c %% %"},{"type":"number","value":1e400},{"type":"bigint","unserializableValue":"1n"},{"type":"string","value":"\ud800"}]}`)
	f.Add("Runtime.exceptionThrown", `{"timestamp":1,"exceptionDetails":{"exceptionId":1,"text":"Uncaught","lineNumber":1,"columnNumber":2,"exception":{"type":"object","subtype":"error","description":"Error: x\n    at y"},"stackTrace":{"callFrames":[]}}}`)
	f.Add("Network.requestWillBeSent", `{"requestId":"1","type":"Fetch","timestamp":1,"wallTime":2,"request":{"url":"http://x","method":"GET","headers":{"a":"b"}},"redirectResponse":{"status":302}}`)
	f.Add("Network.responseReceived", `{"requestId":"1","hasExtraInfo":true,"response":{"status":200,"headers":{"c":"d"}}}`)
	f.Add("Network.responseReceivedExtraInfo", `{"requestId":"1","statusCode":304,"headers":{"c":"d"}}`)
	f.Add("Network.loadingFailed", `{"requestId":"1","errorText":"net::ERR_FAILED","canceled":true}`)
	f.Add("Network.webSocketHandshakeResponseReceived", `{"requestId":"1","response":{"status":101}}`)
	f.Add("Page.frameNavigated", `{"frame":{"id":"T","loaderId":"L"}}`)
	f.Add("Target.attachedToTarget", `{"sessionId":"S","targetInfo":{"targetId":"T","type":"worker"}}`)
	f.Fuzz(func(t *testing.T, method, params string) {
		j := New(Limits{Bytes: 1 << 20, Requests: 3})
		j.attachPage("S", "T")
		j.say("S", "Network.requestWillBeSent", `{"requestId":"1","request":{"url":"http://x/","method":"GET","headers":{}}}`)
		for range 2 {
			j.Tap(cdp.Event{SessionID: "S", Method: method, Params: []byte(params)}, model.TargetID("T"), nil)
			j.check(t)
		}
		messages, _ := j.Console("T")
		for _, m := range messages {
			if _, err := json.Marshal(m); err != nil {
				t.Errorf("cannot be told as JSON: %v", err)
			}
			if len(m.Text) > maxText+20 || utf8.ValidString(params) && !utf8.ValidString(m.Text) {
				t.Errorf("text of %d bytes, valid %v", len(m.Text), utf8.ValidString(m.Text))
			}
		}
		requests, _ := j.Requests(Filter{}, "T")
		for _, r := range requests {
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("cannot be told as JSON: %v", err)
			}
		}
	})
}

func BenchmarkTap(b *testing.B) {
	j := New(Limits{})
	j.attachPage("S", "T")
	headers := `{"Accept":"*/*","User-Agent":"Mozilla/5.0 (X11; Linux x86_64)","Referer":"http://127.0.0.1:33235/fetches?n=10000"}`
	for i := 0; b.Loop(); i++ {
		j.say("S", "Network.requestWillBeSent", `{"requestId":"%d","loaderId":"L","type":"Fetch","timestamp":1,"wallTime":1,"request":{"url":"http://x/%d","method":"GET","headers":%s}}`, i, i, headers)
		j.say("S", "Network.requestWillBeSentExtraInfo", `{"requestId":"%d","headers":%s}`, i, headers)
		j.say("S", "Network.responseReceivedExtraInfo", `{"requestId":"%d","statusCode":200,"headers":%s}`, i, headers)
		j.say("S", "Network.responseReceived", `{"requestId":"%d","hasExtraInfo":true,"response":{"status":200,"headers":%s}}`, i, headers)
		j.say("S", "Network.loadingFinished", `{"requestId":"%d"}`, i)
	}
}
