package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	first  = "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	second = "chrome-extension://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// seen is a Handler that remembers.
type seen struct {
	mu     sync.Mutex
	ups    []bool // resumed
	events []string
	down   chan struct{}
	came   chan struct{}
}

func (s *seen) note(text string) {
	s.mu.Lock()
	s.events = append(s.events, text)
	s.mu.Unlock()
	select {
	case s.came <- struct{}{}:
	default:
	}
}

func (s *seen) Up(_ Hello, resumed bool) {
	s.mu.Lock()
	s.ups = append(s.ups, resumed)
	s.mu.Unlock()
	s.note("up")
}

func (s *seen) Event(tab int, session, method string, params []byte) {
	s.note(fmt.Sprintf("%d %s %s %s", tab, session, method, params))
}
func (s *seen) Notice(method string, params []byte) { s.note(method + " " + string(params)) }
func (s *seen) Interrupted()                        { s.note("interrupted") }
func (s *seen) Down()                               { close(s.down) }

func (s *seen) await(t *testing.T, text string) {
	t.Helper()
	for deadline := time.After(20 * time.Second); ; {
		s.mu.Lock()
		for _, e := range s.events {
			if e == text {
				s.mu.Unlock()
				return
			}
		}
		s.mu.Unlock()
		select {
		case <-s.came:
		case <-deadline:
			t.Fatalf("did not come: %s; came: %v", text, s.events)
		}
	}
}

type rig struct {
	*Server
	seen *seen
	url  string
	dir  string
}

func newRig(t *testing.T) *rig {
	r := &rig{seen: &seen{down: make(chan struct{}), came: make(chan struct{}, 1)}, dir: t.TempDir()}
	p, err := OpenPairing(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Server = New(p, r.seen, "test")
	server := httptest.NewServer(r.Server)
	r.url = "ws" + strings.TrimPrefix(server.URL, "http")
	t.Cleanup(func() {
		r.Close()
		server.Close()
	})
	return r
}

// dial connects as an extension and says hello.
func (r *rig) dial(t *testing.T, origin string, hello map[string]any) (wire.Conn, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := wire.Dial(ctx, r.url, &wire.Access{Header: http.Header{"Origin": {origin}}})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = c.Close() })
	if hello == nil {
		return c, nil
	}
	if _, ok := hello["protocol"]; !ok {
		hello["protocol"] = Protocol
	}
	text, err := json.Marshal(map[string]any{"method": "hello", "params": hello})
	if err != nil {
		t.Fatal(err)
	}
	return c, c.Write(text)
}

// welcome reads the answer to hello.
func welcome(t *testing.T, c wire.Conn) (w struct {
	Session, Token string
	Resumed        bool
}) {
	t.Helper()
	msg, err := c.Read()
	if err != nil {
		t.Fatalf("no welcome: %v", err)
	}
	var m struct {
		Method string
		Params *struct {
			Session, Token string
			Resumed        bool
		}
	}
	m.Params = &w
	if err := json.Unmarshal(msg, &m); err != nil || m.Method != "welcome" {
		t.Fatalf("not a welcome: %s", msg)
	}
	return w
}

// paired returns a connected extension, and its token and session.
func (r *rig) paired(t *testing.T) (c wire.Conn, token, session string) {
	t.Helper()
	code, _ := r.pairing.NewCode()
	c, err := r.dial(t, first, map[string]any{"code": code})
	if err != nil {
		t.Fatal(err)
	}
	w := welcome(t, c)
	if len(w.Token) != 43 {
		t.Fatalf("token %q", w.Token)
	}
	return c, w.Token, w.Session
}

func status(err error) int {
	var h *wire.HandshakeError
	if ok := asHandshake(err, &h); !ok {
		return 0
	}
	return h.Status
}

func asHandshake(err error, h **wire.HandshakeError) bool {
	return errors.As(err, h)
}

func TestOnlyExtensionsMayConnect(t *testing.T) {
	r := newRig(t)
	for _, origin := range []string{"", "https://evil.example", "chrome-extension://short", "http://127.0.0.1", "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"} {
		if _, err := r.dial(t, origin, nil); status(err) != http.StatusForbidden {
			t.Errorf("origin %q: %v", origin, err)
		}
	}
}

func TestPairing(t *testing.T) {
	r := newRig(t)
	c, err := r.dial(t, first, map[string]any{"token": "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(); err == nil || !strings.Contains(err.Error(), "4001") {
		t.Errorf("without pairing: %v", err)
	}
	code, _ := r.pairing.NewCode()
	for i := range codeTries {
		wrong := fmt.Sprintf("%08d", i)
		if wrong == code {
			wrong = "99999999"
		}
		c, err := r.dial(t, first, map[string]any{"code": wrong})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(); err == nil || !strings.Contains(err.Error(), "4003") {
			t.Errorf("wrong code: %v", err)
		}
	}
	if c, err = r.dial(t, first, map[string]any{"code": code}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(); err == nil {
		t.Error("a code was taken after five wrong ones")
	}
	c, token, _ := r.paired(t)
	fi, err := os.Stat(filepath.Join(r.dir, "relay.json"))
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode of the file: %v, %v", fi.Mode(), err)
	}
	again, err := OpenPairing(r.dir)
	if err != nil || again.Extension() != strings.TrimPrefix(first, "chrome-extension://") || again.ClientToken() != r.pairing.ClientToken() {
		t.Errorf("read again: %v, %v", again, err)
	}
	if _, err := r.dial(t, second, map[string]any{"token": token}); status(err) != http.StatusForbidden {
		t.Errorf("another id with the token: %v", err)
	}
	_ = c.Close()
}

func TestOneExtension(t *testing.T) {
	r := newRig(t)
	c, token, _ := r.paired(t)
	answering := make(chan struct{})
	go func() { // it is alive
		defer close(answering)
		for {
			msg, err := c.Read()
			if err != nil {
				return
			}
			if strings.Contains(string(msg), `"ping"`) {
				_ = c.Write([]byte(`{"method":"pong"}`))
			}
		}
	}()
	if _, err := r.dial(t, first, map[string]any{"token": token}); status(err) != http.StatusConflict {
		t.Errorf("a second extension: %v", err)
	}
	_ = c.Close()
	<-answering
}

func TestSilentHolderIsReplaced(t *testing.T) {
	r := newRig(t)
	_, token, _ := r.paired(t) // and reads nothing
	c, err := r.dial(t, first, map[string]any{"token": token})
	if err != nil {
		t.Fatal(err)
	}
	welcome(t, c)
}

// TestSlowMessage: a connection over which a message comes slowly is not silent; one over which nothing comes is ended.
func TestSlowMessage(t *testing.T) {
	r := newRig(t)
	r.silent, r.ping = 500*time.Millisecond, 50*time.Millisecond
	c, token, _ := r.paired(t)
	_ = c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	defer cancel()
	slow, _, err := websocket.Dial(ctx, r.url, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {first}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = slow.CloseNow() }()
	slow.SetReadLimit(-1)
	hello := fmt.Sprintf(`{"method":"hello","params":{"protocol":%d,"token":%q}}`, Protocol, token)
	if err := slow.Write(ctx, websocket.MessageText, []byte(hello)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		for {
			if _, _, err := slow.Read(ctx); err != nil {
				ended <- err
				return
			}
		}
	}()
	w, err := slow.Writer(ctx, websocket.MessageText)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(`{"method":"tabs.onRemoved","params":{`)); err != nil {
		t.Fatal(err)
	}
	piece := []byte(strings.Repeat(" ", 8<<10)) // the library sends in pieces of 4 KiB
	for range 8 {                               // longer than the limit in all, and each pause shorter
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
		time.Sleep(150 * time.Millisecond)
	}
	if _, err := w.Write([]byte(`"tabId":7}}`)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r.seen.await(t, `tabs.onRemoved {`+strings.Repeat(string(piece), 8)+`"tabId":7}`)
	select {
	case <-ended:
	case <-ctx.Done():
		t.Error("a silent connection was not ended")
	}
}

func TestCommandsAndResume(t *testing.T) {
	r := newRig(t)
	c, token, session := r.paired(t)
	type reply struct {
		payload string
		failed  bool
	}
	replies := make(chan reply, 3)
	take := func(payload []byte, failed bool) { replies <- reply{string(payload), failed} }
	send := func(method string) {
		if err := r.CDP(12, "child", method, []byte(`{"a":1}`), take); err != nil {
			t.Fatal(err)
		}
		r.Flush()
	}
	send("Runtime.evaluate")
	msg, err := c.Read()
	if err != nil || string(msg) != `{"id":1000000001,"tab":12,"m":"Runtime.evaluate","p":{"a":1},"s":"child"}` {
		t.Fatalf("%s, %v", msg, err)
	}
	for _, m := range []string{`{"id":1000000001,"result":{"x":"}"}}`, `{"tab":12,"e":"Page.loadEventFired","p":{"t":1},"s":"child"}`, `{"e":"X.y","p":{},"tab":3}`, `{"method":"tabs.onRemoved","params":{"tabId":1}}`} {
		if err := c.Write([]byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-replies; got != (reply{`{"x":"}"}`, false}) {
		t.Errorf("%+v", got)
	}
	r.seen.await(t, `12 child Page.loadEventFired {"t":1}`)
	r.seen.await(t, `3  X.y {}`)
	r.seen.await(t, `tabs.onRemoved {"tabId":1}`)

	send("A.lost")
	send("B.answered")
	asked := make(chan string, 1)
	if err := r.Start("tabs.query", nil, func(payload []byte, failed bool) { asked <- fmt.Sprintf("%s %v", payload, failed) }); err != nil {
		t.Fatal(err)
	}
	r.Flush()
	for range 3 {
		if _, err := c.Read(); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.Close()
	r.seen.await(t, "interrupted")
	send("C.later") // waits
	if c, err = r.dial(t, first, map[string]any{"token": token, "resume": session, "pending": []int{1000000003}}); err != nil {
		t.Fatal(err)
	}
	if got := <-replies; !got.failed || !strings.Contains(got.payload, "interrupted") {
		t.Errorf("a command that was lost: %+v", got)
	}
	if w := welcome(t, c); !w.Resumed || w.Token != "" {
		t.Errorf("%+v", w)
	}
	if msg, err = c.Read(); err != nil || !strings.Contains(string(msg), `"id":1000000004,"method":"tabs.query"`) {
		t.Errorf("a question that was lost: %s, %v", msg, err)
	}
	if msg, err = c.Read(); err != nil || !strings.Contains(string(msg), `"id":1000000005`) {
		t.Errorf("what waited: %s, %v", msg, err)
	}
	if err := c.Write([]byte(`{"id":1000000004,"result":[]}`)); err != nil {
		t.Fatal(err)
	}
	if got := <-asked; got != "[] false" {
		t.Errorf("a question that was lost: %s", got)
	}
	for _, id := range []int{1000000003, 1000000005} {
		if err := c.Write(fmt.Appendf(nil, `{"id":%d,"error":{"code":-32601,"message":"no"}}`, id)); err != nil {
			t.Fatal(err)
		}
		if got := <-replies; got != (reply{`{"code":-32601,"message":"no"}`, true}) {
			t.Errorf("%+v", got)
		}
	}
	_ = c.Close()
	select {
	case <-r.seen.down:
	case <-time.After(30 * time.Second):
		t.Error("it is not reported that the extension does not come back")
	}
	if err := r.CDP(1, "", "A.b", nil, take); !errors.Is(err, ErrDown) {
		t.Errorf("without an extension: %v", err)
	}
}

func TestMalformedFrames(t *testing.T) {
	for _, frame := range []string{"", "x", "[]", `{"id":1`, `{}`, `{"tab":"x","e":"A.b"}`, `{"tab":1,"e":"A.b","p":{}`, `{"tab":1,"e":"A.b","p":{}} {}`} {
		if m, err := parse([]byte(frame)); err == nil {
			t.Errorf("%s: %+v", frame, m)
		}
	}
	r := newRig(t)
	c, _, _ := r.paired(t)
	if err := c.Write([]byte("{]")); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := c.Read(); err != nil {
			if !strings.Contains(err.Error(), "4010") {
				t.Error(err)
			}
			return
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"tab":1,"e":"A.b","p":{"x":"\"}"},"s":"S"}`, `{"id":7,"result":{}}`, `{"method":"pong"}`, `{"p":{},"e":"A.b","tab":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		m, err := parse(msg)
		if err == nil && m.Event == "" && m.Method == "" && m.ID == 0 {
			t.Errorf("%q: nothing", msg)
		}
	})
}

// A reply and an event of 200 MB are read and dropped: the command fails and says so, and the connection goes on.
func TestHugeFrames(t *testing.T) {
	r := newRig(t)
	c, _, _ := r.paired(t)
	replies := make(chan string, 1)
	ask := func() int {
		t.Helper()
		if err := r.CDP(12, "", "Runtime.evaluate", nil, func(payload []byte, failed bool) { replies <- fmt.Sprint(failed, " ", string(payload)) }); err != nil {
			t.Fatal(err)
		}
		r.Flush()
		for {
			msg, err := c.Read()
			if err != nil {
				t.Fatal(err)
			}
			id := 0
			if n, _ := fmt.Sscanf(string(msg), `{"id":%d,"tab":12`, &id); n == 1 {
				return id
			}
		}
	}
	huge := strings.Repeat("x", 200<<20)
	if err := c.Write([]byte(`{"tab":12,"e":"Runtime.consoleAPICalled","p":{"x":"` + huge + `"}}`)); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(fmt.Appendf(nil, `{"id":%d,"result":{"x":"%s"}}`, ask(), huge)); err != nil {
		t.Fatal(err)
	}
	if got := <-replies; !strings.HasPrefix(got, "true ") || !strings.Contains(got, "200 MB") {
		t.Errorf("%.200s", got)
	}
	if err := c.Write(fmt.Appendf(nil, `{"id":%d,"result":{}}`, ask())); err != nil {
		t.Fatal(err)
	}
	if got := <-replies; got != "false {}" {
		t.Errorf("afterwards: %s", got)
	}
	_ = c.Close()
}
