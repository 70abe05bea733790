package relay_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/usher-browser/usher/internal/extension"
	"github.com/usher-browser/usher/internal/relay"
)

// TestRefusals: who may not call is refused, with a plain request and with a WebSocket handshake, and no answer lets a web page read it.
func TestRefusals(t *testing.T) {
	r := newRig(t)
	token := r.relay.Pairing().ClientToken()
	base := fmt.Sprintf("http://127.0.0.1:%d", r.port)
	own := "chrome-extension://" + extension.ID()
	for _, c := range []struct {
		path, host, origin string
		want               int
	}{
		{"/json/version", "", "", 401},
		{"/json/version?token=x", "", "", 401},
		{"/json/version?token=" + token, "evil.example", "", 403},
		{"/json/version?token=" + token, "127.0.0.1.evil.example", "", 403},
		{"/json/version?token=" + token, "", "https://evil.example", 403},
		{"/json/list?token=" + token, "", "null", 403},
		{"/cdp?token=" + token, "", "https://evil.example", 403},
		{"/cdp?token=" + token, "", own, 403},
		{"/cdp?token=" + token, "evil.example", "", 403},
		{"/cdp?token=" + token[1:], "", "", 401},
		{"/cdp", "", "", 401},
		{"/client-slot", "evil.example", "", 403},
		{"/client-slot", "", "https://evil.example", 403},
		{"/extension", "evil.example", own, 403},
		{"/extension", "", "https://evil.example", 403},
		{"/extension", "", "", 403},
		{"/extension", "", "chrome-extension://" + strings.Repeat("b", 32), 403},
		{"/extension", "", own, 409}, // a second one
	} {
		for _, upgrade := range []bool{false, true} {
			req, err := http.NewRequestWithContext(deadline(t), http.MethodGet, base+c.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Connection", "close")
			if upgrade {
				req.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}}
			}
			req.Host = c.host
			if c.origin != "" {
				req.Header.Set("Origin", c.origin)
			}
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != c.want || err != nil || resp.Header.Get("Access-Control-Allow-Origin") != "" || bytes.Contains(text, []byte(token)) {
				t.Errorf("%s, Host %q, Origin %q, upgrade %v: %s %s, %v", c.path, c.host, c.origin, upgrade, resp.Status, text, err)
			}
		}
	}
	c, _ := r.client(t)
	mustBe(t, attachTo(t, c, pageAt(t, c, "/form")), "1+1", "2")
}

// dial connects as a client that reads and writes frames itself.
func (r *rig) dial(t *testing.T) *websocket.Conn {
	t.Helper()
	address := fmt.Sprintf("ws://127.0.0.1:%d/cdp?token=%s", r.port, r.relay.Pairing().ClientToken())
	conn, resp, err := websocket.Dial(deadline(t), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body != nil {
		_ = resp.Body.Close()
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func write(t *testing.T, conn *websocket.Conn, text string) error {
	t.Helper()
	return conn.Write(deadline(t), websocket.MessageText, []byte(text))
}

func read(t *testing.T, conn *websocket.Conn) (string, error) {
	t.Helper()
	_, msg, err := conn.Read(deadline(t))
	return string(msg), err
}

// TestMalformedCommands: each is answered with an error, and the client goes on.
func TestMalformedCommands(t *testing.T) {
	r := newRig(t)
	conn := r.dial(t)
	deep := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	for _, c := range []struct{ frame, want string }{
		{"", `{"error":{"code":-32700`},
		{"x", `{"error":{"code":-32700`},
		{`{"id":1`, `{"error":{"code":-32700`},
		{"[]", `{"error":{"code":-32600`},
		{"{}", `{"error":{"code":-32600`},
		{`{"id":1}`, `"code":-32600`},
		{`{"id":"1","method":"Target.getTargets"}`, `"code":-32600`},
		{`{"id":99999999999,"method":"Target.getTargets"}`, `"code":-32600`},
		{`{"id":2,"method":"Target.getTargets","params":[]}`, `"code":-32600`},
		{`{"id":2,"method":7}`, `"code":-32600`},
		{`{"id":2,"id":3,"method":"Target.getTargets"}`, `"code":-32600`},
		{`{"id":3,"method":"Target.setDiscoverTargets","params":{"discover":"yes"}}`, `{"id":3,"error":{"code":-32602`},
		{`{"id":3,"method":"Target.attachToTarget","params":{"targetId":{}}}`, `{"id":3,"error":{"code":-32602`},
		{`{"id":4,"method":"Target.getTargets","sessionId":"NO"}`, `{"id":4,"error":{"code":-32001`},
		{`{"id":5,"method":"No.such"}`, `{"id":5,"error":{"code":-32601`},
		{`{"id":6,"method":"Target.getTargets","params":` + deep + `}`, `"code":-32600`},
		{"{\"id\":7,\"method\":\"A.b\\u0000\"}", `"code":-32600`},
		{`{"id":8,"method":"Target.getTargets"}`, `{"id":8,"result":{"targetInfos":[`},
	} {
		if err := write(t, conn, c.frame); err != nil {
			t.Fatalf("%.80s: %v", c.frame, err)
		}
		if got, err := read(t, conn); err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%.80s: %.200s, %v; want %s", c.frame, got, err, c.want)
		}
	}
}

// TestHugeCommand: a command of 200 MB is an error, is not kept, and the client goes on. [link] has the test of a huge reply.
func TestHugeCommand(t *testing.T) {
	r := newRig(t)
	conn := r.dial(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := write(t, conn, `{"id":9,"method":"Target.getTargets","params":{"x":"`+strings.Repeat("y", 200<<20)+`"}}`); err != nil {
		t.Fatal(err)
	}
	if got, err := read(t, conn); err != nil || !strings.HasPrefix(got, `{"id":9,"error":{"code":-32600`) {
		t.Errorf("%.300s, %v", got, err)
	}
	runtime.GC()
	if runtime.ReadMemStats(&after); after.HeapAlloc > before.HeapAlloc+20<<20 {
		t.Errorf("the heap grew by %d MB", (after.HeapAlloc-before.HeapAlloc)>>20)
	}
	if err := write(t, conn, `{"id":10,"method":"Target.getTargets"}`); err != nil {
		t.Fatal(err)
	}
	if got, err := read(t, conn); err != nil || !strings.HasPrefix(got, `{"id":10,"result":`) {
		t.Errorf("%.300s, %v", got, err)
	}
}

// TestClientThatNeverReads: it is disconnected when 128 MB wait for it, and the others go on. Each of its sessions gets the same event.
func TestClientThatNeverReads(t *testing.T) {
	r := newRig(t)
	c, _ := r.client(t)
	target := pageAt(t, c, "/form")
	form := attachTo(t, c, target)
	mustBe(t, form, "1", "1")
	deaf := r.dial(t)
	for range 40 {
		if err := write(t, deaf, `{"id":1,"method":"Target.attachToTarget","params":{"flatten":true,"targetId":"`+target+`"}}`); err != nil {
			t.Fatal(err)
		}
		msg, err := read(t, deaf) // Target.attachedToTarget
		_, after, _ := strings.Cut(msg, `"sessionId":"`)
		session, _, _ := strings.Cut(after, `"`)
		if err != nil || session == "" {
			t.Fatalf("%s, %v", msg, err)
		}
		for _, want := range []string{`{"id":1,`, `{"id":2,`} {
			if want == `{"id":2,` {
				if err := write(t, deaf, `{"id":2,"method":"Runtime.enable","sessionId":"`+session+`"}`); err != nil {
					t.Fatal(err)
				}
			}
			for msg = ""; !strings.HasPrefix(msg, want); {
				if msg, err = read(t, deaf); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	mustBe(t, form, `console.log("x".repeat(5 << 20)), 1`, "1")
	r.await(t, "the client that never reads is cut off", func(s relay.Status) bool { return s.Clients == 1 })
	mustBe(t, form, "1+1", "2")
}

// TestClientDiesMidCommand: what it had under way ends, what it held is released, and nothing of it stays.
func TestClientDiesMidCommand(t *testing.T) {
	r := newRig(t)
	c, _ := r.client(t)
	target := pageAt(t, c, "/form")
	form := attachTo(t, c, target)
	mustBe(t, form, "window.kept = 1", "1")
	dying := r.dial(t)
	ask := func(id int, session, method, params string) {
		t.Helper()
		if session != "" {
			session = `,"sessionId":"` + session + `"`
		}
		if err := write(t, dying, fmt.Sprintf(`{"id":%d,"method":%q,"params":%s%s}`, id, method, params, session)); err != nil {
			t.Fatal(err)
		}
	}
	until := func(part string) string {
		t.Helper()
		for {
			msg, err := read(t, dying)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(msg, part) {
				return msg
			}
		}
	}
	ask(1, "", "Target.attachToTarget", `{"flatten":true,"targetId":"`+target+`"}`)
	_, after, _ := strings.Cut(until("attachedToTarget"), `"sessionId":"`)
	session, _, _ := strings.Cut(after, `"`)
	ask(2, session, "Fetch.enable", `{"patterns":[{"urlPattern":"*held*"}]}`)
	ask(3, session, "Runtime.evaluate", `{"expression":"window.held = fetch('/inner?held').then((r) => r.status)"}`)
	until("Fetch.requestPaused") // and never continued
	ask(4, session, "Runtime.evaluate", `{"expression":"new Promise(() => {})","awaitPromise":true}`)
	ask(5, session, "Runtime.evaluate", `{"expression":"'x'.repeat(3 << 20)","returnByValue":true}`)
	_ = dying.CloseNow()
	mustBe(t, form, "window.held", "200")
	mustBe(t, form, "window.kept", "1")
	r.await(t, "the client has left", func(s relay.Status) bool { return s.Clients == 1 })
	_ = c.Close()
	r.await(t, "nothing stays", func(s relay.Status) bool { return s.Clients == 0 && s.Attached == 0 && s.Link.Pending == 0 })
}
