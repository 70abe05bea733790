package debug_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/debug"
	"github.com/usher-browser/usher/internal/wire"
)

// inspected serves DevTools for a session with a page of the site.
func inspected(t *testing.T, path string) (*commandtest.Session, *cdptest.Site, debug.Inspected) {
	t.Helper()
	site, s := cdptest.NewSite(t), commandtest.New(t)
	s.Run(t, "open", site.URL(path))
	got := commandtest.Data[debug.Inspected](t, s.Run(t, "inspect"))
	t.Cleanup(func() { s.Context.Background.StopDevTools() })
	if got.Opened || !strings.HasPrefix(got.URL, "http://127.0.0.1:") || !strings.HasPrefix(got.WebSocketDebuggerURL, "ws://127.0.0.1:") {
		t.Fatalf("inspect: %+v", got)
	}
	return s, site, got
}

// TestInspect opens the real front end in another browser context: it shows the page, and commands work meanwhile, before
// and after.
func TestInspect(t *testing.T) {
	s, site, got := inspected(t, "/small")
	viewer := commandtest.New(t)
	viewer.Run(t, "open", got.URL)
	viewer.Run(t, "wait", "--text", "Small")
	seen := viewer.Run(t, "snapshot").Text
	for _, want := range []string{`tab "Elements"`, `tab "Console"`, "Small"} {
		if !strings.Contains(seen, want) {
			t.Errorf("DevTools does not show %s:\n%.2000s", want, seen)
		}
	}
	s.Run(t, "eval", "console.log('from the page'), 1")
	s.Run(t, "open", site.URL("/roles"))
	s.Run(t, "snapshot", "-i")
	if log := s.Run(t, "console").Text; !strings.Contains(log, "from the page") {
		t.Errorf("the console of usher misses a line: %s", log)
	}
	// Its debugger pauses a page, and a command says so.
	_, err := s.Try(t, "eval", "debugger; 1", "--timeout", "1s")
	if api.CodeOf(err) != api.Timeout || !strings.Contains(err.Error(), "DevTools has paused the page") {
		t.Errorf("a command in a paused page: %v", err)
	}
	if again := commandtest.Data[debug.Inspected](t, s.Run(t, "inspect")); again.URL != got.URL {
		t.Errorf("inspect again serves at another address: %+v", again)
	}
	if out := commandtest.Data[debug.Inspected](t, s.Run(t, "inspect", "--stop")); out.Stopped == nil || !*out.Stopped {
		t.Errorf("stop: %+v", out)
	}
	if res, err := http.Get(got.URL); err == nil {
		res.Body.Close()
		t.Errorf("it still answers: %s", res.Status)
	}
	s.Run(t, "wait", "--fn", "true") // the end of the debugger has continued the page
	s.Run(t, "eval", "console.log('afterwards'), 1")
	if log := s.Run(t, "console").Text; !strings.Contains(log, "afterwards") {
		t.Errorf("with DevTools the console of usher has ended: %s", log)
	}
	if out := commandtest.Data[debug.Inspected](t, s.Run(t, "inspect", "--stop")); out.Stopped == nil || *out.Stopped {
		t.Errorf("stop without a server: %+v", out)
	}
}

// TestInspectRefuses: only whoever has the address, and no web page, reaches the server.
func TestInspectRefuses(t *testing.T) {
	_, site, got := inspected(t, "/small")
	other := commandtest.New(t)
	other.Run(t, "open", site.URL("/small"))
	foreign, _ := other.Context.Active()
	host, rest, _ := strings.Cut(strings.TrimPrefix(got.ListURL, "http://"), "/")
	for _, c := range []struct {
		name, path, host, origin string
		want                     int
	}{
		{"the list", "/" + rest + "json/list", "", "", 200},
		{"the front end's own origin", "/" + rest + "json/list", "", "http://" + host, 200},
		{"as localhost", "/" + rest + "json/version", strings.Replace(host, "127.0.0.1", "localhost", 1), "", 200},
		{"a file of the front end", "/" + rest + "devtools/entrypoints/devtools_app/devtools_app.js", "", "", 200},
		{"no token", "/json/list", "", "", 404},
		{"a wrong token", "/AAAAAAAAAAAAAAAAAAAAAAAAAA/json/list", "", "", 404},
		{"another host", "/" + rest + "json/list", "attacker.example", "", 403},
		{"a web page", "/" + rest + "json/list", "", "https://attacker.example", 403},
		{"an opaque origin", "/" + rest + "json/list", "", "null", 403},
		{"another port's page", "/" + rest + "json/list", "", "http://127.0.0.1:1", 403},
		{"a file that is not there", "/" + rest + "devtools/nothing.js", "", "", 404},
		{"a way out", "/" + rest + "devtools/..%2f..%2fx", "", "", 404},
		{"a session's tab of another", "/" + rest + "devtools/page/" + string(foreign), "", "", 404},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if req.Host = c.host; c.host == "" {
			req.Host = host
		}
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != c.want {
			t.Errorf("%s: %s, want %d (%v) %.100s", c.name, res.Status, c.want, err, body)
		}
		if c.want == 200 && bytes.Contains(body, []byte(foreign)) {
			t.Errorf("%s names a tab of another session: %s", c.name, body)
		}
	}
	if _, err := wire.Dial(t.Context(), got.WebSocketDebuggerURL, &wire.Access{Header: http.Header{"Origin": {"https://attacker.example"}}}); err == nil {
		t.Error("a web page has a WebSocket")
	}
	http.DefaultClient.CloseIdleConnections()
}

// peer is a CDP client of the server.
type peer struct {
	wire.Conn
	t    *testing.T
	last atomic.Int64
}

func dial(t *testing.T, url string) *peer {
	t.Helper()
	c, err := wire.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &peer{Conn: c, t: t}
}

type message struct {
	ID     int64  `json:"id"`
	Method string `json:"method"`
	Params struct {
		SessionID  string `json:"sessionId"`
		TargetInfo struct {
			Type string `json:"type"`
		} `json:"targetInfo"`
		Reason string `json:"reason"`
	} `json:"params"`
	Result    jsontext.Value `json:"result"`
	SessionID string         `json:"sessionId"`
	Error     struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// until reads messages until one satisfies cond.
func (p *peer) until(cond func(*message) bool) *message {
	p.t.Helper()
	timer := time.AfterFunc(20*time.Second, func() { _ = p.Close() })
	defer timer.Stop()
	for {
		raw, err := p.Read()
		if err != nil {
			p.t.Fatalf("the message did not come: %v", err)
		}
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			p.t.Fatalf("%s: %v", raw, err)
		}
		if cond(&m) {
			return &m
		}
	}
}

// call sends a command and returns its reply.
func (p *peer) call(session, method, params string) *message {
	p.t.Helper()
	id := p.last.Add(1) << 40 // ids are the client's
	text := fmt.Sprintf(`{"id":%d,"method":%q,"params":%s,"sessionId":%q}`, id, method, params, session)
	if session == "" {
		text = fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, id, method, params)
	}
	if err := p.Write([]byte(text)); err != nil {
		p.t.Fatal(err)
	}
	return p.until(func(m *message) bool { return m.ID == id })
}

// TestInspectClients: each client has ids and CDP sessions of its own, and cannot reach those of others.
func TestInspectClients(t *testing.T) {
	s, _, got := inspected(t, "/frames")
	one, two := dial(t, got.WebSocketDebuggerURL), dial(t, got.WebSocketDebuggerURL)
	if r := one.call("", "Runtime.evaluate", `{"expression":"6*7"}`); !strings.Contains(string(r.Result), `"value":42`) {
		t.Errorf("evaluate: %+v", r)
	}
	if r := one.call("", "Nothing.here", `{}`); r.Error.Code != -32601 {
		t.Errorf("an unknown method: %+v", r)
	}
	// A frame of another site is below the tab.
	if err := one.Write([]byte(`{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}}`)); err != nil {
		t.Fatal(err)
	}
	far := one.until(func(m *message) bool {
		return m.Method == "Target.attachedToTarget" && m.Params.TargetInfo.Type == "iframe"
	}).Params.SessionID
	if r := one.call(far, "Runtime.evaluate", `{"expression":"self !== top"}`); r.SessionID != far || !strings.Contains(string(r.Result), `"value":true`) {
		t.Errorf("in the frame: %+v", r)
	}
	active, _ := s.Context.Active()
	tab := s.Context.Browser.State().Tabs[active]
	for name, session := range map[string]string{"another client's": far, "usher's": tab.Session} {
		if r := two.call(session, "Runtime.evaluate", `{"expression":"1"}`); r.Error.Code != -32001 {
			t.Errorf("%s session: %+v", name, r)
		}
	}
	for _, bad := range []string{`{`, `{"id":1}`, `{"id":1,"method":"A.b\",\"sessionId\":\"x"}`, `{"id":1,"method":"Page.enable","params":[]}`, `{"id":1,"id":2,"method":"Page.enable"}`} {
		if err := two.Write([]byte(bad)); err != nil {
			t.Fatal(err)
		}
		if m := two.until(func(m *message) bool { return m.Error.Code != 0 }); m.Error.Code != -32700 && m.Error.Code != -32600 {
			t.Errorf("%s: %+v", bad, m)
		}
	}
	// What one enables the other does not get.
	two.call("", "Runtime.enable", `{}`)
	one.call("", "Runtime.evaluate", `{"expression":"console.log('twice')"}`)
	two.until(func(m *message) bool { return m.Method == "Runtime.consoleAPICalled" })
	// Raw calls have a session of usher's own, not a client's.
	s.Run(t, "cdp", "Page.enable")
	_ = one.Close()
	s.Run(t, "cdp", "Page.getLayoutMetrics")
	s.Run(t, "tab", "new")
	s.Run(t, "tab", "close", "t1")
	if m := two.until(func(m *message) bool { return m.Method == "Inspector.detached" }); m.Params.Reason != "target_closed" {
		t.Errorf("the end of the tab: %+v", m)
	}
	if _, err := two.Read(); err == nil {
		t.Error("the client of a closed tab is still connected")
	}
}
