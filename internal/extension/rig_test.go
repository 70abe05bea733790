package extension_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/extension"
	"github.com/usher-browser/usher/internal/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

// frame is a message of the extension.
type frame struct {
	ID     int64          `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Tab   int            `json:"tab"`
	Event string         `json:"e"`
	P     jsontext.Value `json:"p"`
	S     string         `json:"s"`
}

// name is the method of an event, and "" for a reply.
func (f frame) name() string { return f.Method + f.Event }

// hello is what the extension says first.
type hello struct {
	Protocol  int    `json:"protocol"`
	Version   string `json:"version"`
	UserAgent string `json:"userAgent"`
	Product   string `json:"product"`
	Install   string `json:"install"`
	Token     string `json:"token"`
	Code      string `json:"code"`
	Resume    string `json:"resume"`
	Attached  []struct {
		TabID    int    `json:"tabId"`
		TargetID string `json:"targetId"`
	} `json:"attached"`
	Settings struct {
		Mode   string `json:"mode"`
		Shared []int  `json:"shared"`
	} `json:"settings"`
	Pending []int64 `json:"pending"`
}

type tab struct {
	TabID       int    `json:"tabId"`
	WindowID    int    `json:"windowId"`
	URL         string `json:"url"`
	Title       string `json:"title"`
	OpenerTabID int    `json:"openerTabId"`
}

// relay is the relay's side of the link, without the logic of a relay.
type relay struct {
	t       *testing.T
	address string
	hellos  chan *link
}

// link is one connection of the extension.
type link struct {
	t     *testing.T
	hello hello
	conn  *websocket.Conn

	mu     sync.Mutex
	lastID int64         // guarded by mu
	frames []frame       // guarded by mu: that nobody has taken yet
	came   chan struct{} // guarded by mu: closed with the next frame
	gone   chan struct{}
}

func newRelay(t *testing.T) *relay {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{t: t, address: "ws://" + listener.Addr().String() + "/extension", hellos: make(chan *link, 10)}
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		serving.Add(1)
		defer serving.Done()
		if req.Method == http.MethodHead { // the extension asks whether anybody listens
			return
		}
		if want := "chrome-extension://" + extension.ID(); req.Header.Get("Origin") != want {
			t.Errorf("Origin %q, want %q", req.Header.Get("Origin"), want)
		}
		conn, err := websocket.Accept(w, req, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
		if err != nil {
			t.Errorf("accept the extension: %v", err)
			return
		}
		conn.SetReadLimit(256 << 20)
		l := &link{t: t, conn: conn, came: make(chan struct{}), gone: make(chan struct{})}
		serving.Add(1)
		go func() {
			defer serving.Done()
			l.ping(ctx)
		}()
		defer close(l.gone)
		l.read(ctx, r)
	})}
	serving.Add(1)
	go func() {
		defer serving.Done()
		_ = server.Serve(listener) // ends with Close
	}()
	t.Cleanup(func() {
		cancel()
		_ = server.Close()
		serving.Wait()
	})
	return r
}

// ping pings as a relay does: an extension that hears nothing for 20 s takes the link to be broken.
func (l *link) ping(ctx context.Context) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if l.conn.Write(ctx, websocket.MessageText, []byte(`{"method":"ping"}`)) != nil {
				return
			}
		case <-l.gone:
			return
		}
	}
}

func (l *link) read(ctx context.Context, r *relay) {
	for first := true; ; first = false {
		_, data, err := l.conn.Read(ctx)
		if err != nil {
			return
		}
		var f frame
		if err := json.Unmarshal(data, &f); err != nil {
			l.t.Errorf("a frame that is not JSON: %v: %.200s", err, data)
			return
		}
		if first {
			if err := json.Unmarshal(f.Params, &l.hello); err != nil || f.Method != "hello" {
				l.t.Errorf("first frame %.200s, %v; want hello", data, err)
				return
			}
			r.hellos <- l
			continue
		}
		l.mu.Lock()
		l.frames = append(l.frames, f)
		close(l.came)
		l.came = make(chan struct{})
		l.mu.Unlock()
	}
}

// next waits for the extension to connect.
func (r *relay) next() *link {
	r.t.Helper()
	select {
	case l := <-r.hellos:
		return l
	case <-time.After(2 * cdptest.Timeout): // an alarm, which wakes a stopped worker, comes after 30 s at the latest
		r.t.Fatal("the extension does not connect")
		return nil
	}
}

// welcomed waits for the extension and welcomes it.
func (r *relay) welcomed(resumed bool) *link {
	r.t.Helper()
	l := r.next()
	l.welcome(resumed, "")
	return l
}

// again is welcomed after a link broke: the extension gives up a handshake that is not answered, so the first may have ended.
func (r *relay) again(resumed bool) *link {
	r.t.Helper()
	for {
		l := r.next()
		if l.write(welcomeOf(resumed, "")) == nil {
			return l
		}
	}
}

func (l *link) welcome(resumed bool, token string) {
	l.t.Helper()
	l.send(welcomeOf(resumed, token))
}

func welcomeOf(resumed bool, token string) any {
	params := map[string]any{"protocol": 1, "session": "S1", "relay": "usher/test", "resumed": resumed}
	if token != "" {
		params["token"] = token
	}
	return map[string]any{"method": "welcome", "params": params}
}

func (l *link) send(message any) {
	l.t.Helper()
	if err := l.write(message); err != nil {
		l.t.Fatalf("send to the extension: %v", err)
	}
}

func (l *link) write(message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return l.conn.Write(l.t.Context(), websocket.MessageText, data)
}

// start sends a command and returns its id.
func (l *link) start(message map[string]any) int64 {
	l.t.Helper()
	l.mu.Lock()
	l.lastID++
	id := l.lastID
	l.mu.Unlock()
	message["id"] = id
	l.send(message)
	return id
}

// take waits for a frame and removes it, and what came before it stays.
func (l *link) take(what string, is func(frame) bool) frame {
	l.t.Helper()
	limit := time.After(cdptest.Timeout)
	for {
		l.mu.Lock()
		for i, f := range l.frames {
			if is(f) {
				l.frames = append(l.frames[:i:i], l.frames[i+1:]...)
				l.mu.Unlock()
				return f
			}
		}
		came := l.came
		l.mu.Unlock()
		select {
		case <-came:
		case <-limit:
			l.t.Fatalf("no %s; there are %v", what, l.names())
		}
	}
}

func (l *link) names() (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.frames {
		names = append(names, f.name())
	}
	return names
}

// event waits for an event whose parameters have a text.
func (l *link) event(name, part string) frame {
	l.t.Helper()
	return l.take("event "+name+" with "+part, func(f frame) bool {
		return f.name() == name && strings.Contains(string(f.Params)+string(f.P), part)
	})
}

func (l *link) reply(id int64) frame {
	l.t.Helper()
	return l.take(fmt.Sprintf("reply %d", id), func(f frame) bool { return f.ID == id })
}

// call calls a method of the extension, which must succeed, and decodes the result into a value unless that is nil.
func (l *link) call(method string, params map[string]any, result any) {
	l.t.Helper()
	f := l.reply(l.start(map[string]any{"method": method, "params": params}))
	l.decode(method, f, result)
}

func (l *link) decode(method string, f frame, result any) {
	l.t.Helper()
	if f.Error != nil {
		l.t.Fatalf("%s failed: %+v", method, *f.Error)
	}
	if result != nil {
		if err := json.Unmarshal(f.Result, result); err != nil {
			l.t.Fatalf("result of %s: %v: %s", method, err, f.Result)
		}
	}
}

// refused calls a method that must fail, and returns code and message.
func (l *link) refused(message map[string]any) (int, string) {
	l.t.Helper()
	f := l.reply(l.start(message))
	if f.Error == nil {
		l.t.Fatalf("%v succeeded: %s", message, f.Result)
	}
	return f.Error.Code, f.Error.Message
}

// evaluate evaluates an expression in a tab, to text.
func (l *link) evaluate(tab int, expression string) string {
	l.t.Helper()
	var got struct {
		Result struct {
			Value jsontext.Value `json:"value"`
		} `json:"result"`
	}
	f := l.reply(l.start(map[string]any{"tab": tab, "m": "Runtime.evaluate", "p": map[string]any{"expression": expression, "returnByValue": true}}))
	l.decode("Runtime.evaluate", f, &got)
	return string(got.Result.Value)
}

// open returns the tab with an address, once the extension lists it.
func (l *link) open(url string) tab {
	l.t.Helper()
	for limit := time.Now().Add(cdptest.Timeout); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		var tabs []tab
		l.call("tabs.query", nil, &tabs)
		for _, t := range tabs {
			if t.URL == url {
				return t
			}
		}
	}
	l.t.Fatalf("no tab shows %s", url)
	return tab{}
}

// browser is a Chromium with the extension, and a CDP connection to it beside the extension's.
type browser struct {
	*cdp.Conn
	t *testing.T
}

// launch starts Chromium with the extension. More arguments may open pages.
func launch(t *testing.T, address string) *browser {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "extension")
	if err := extension.Write(dir, extension.Config{Relay: address}); err != nil {
		t.Fatal(err)
	}
	b := cdptest.Launch(t, "--load-extension="+dir, "--disable-extensions-except="+dir, "--disable-features=DisableLoadExtensionCommandLineSwitch")
	conn := cdp.New(b.Dial(t), ignore{})
	t.Cleanup(func() { conn.Close() })
	return &browser{conn, t}
}

type ignore struct{}

func (ignore) Event(cdp.Event) {}
func (ignore) Flush()          {}
func (ignore) Overflow(string) {}
func (ignore) Closed(error)    {}

var _ wire.Conn // the connection of cdptest

// page opens a page in a new tab and returns a CDP session of it.
func (b *browser) page(url string) *cdp.Session {
	b.t.Helper()
	var target struct {
		TargetID string `json:"targetId"`
	}
	b.call(b.Browser(), "Target.createTarget", map[string]any{"url": url}, &target)
	return b.attach(target.TargetID)
}

func (b *browser) attach(target string) *cdp.Session {
	b.t.Helper()
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	b.call(b.Browser(), "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &attached)
	return b.Session(attached.SessionID)
}

func (b *browser) call(s *cdp.Session, method string, params, result any) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), cdptest.Timeout)
	defer cancel()
	if err := s.Call(ctx, method, params, result); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

// evaluate evaluates an expression, waits for its promise, and returns the value as JSON.
func (b *browser) evaluate(s *cdp.Session, expression string) string {
	b.t.Helper()
	var got struct {
		Result struct {
			Value jsontext.Value `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	b.call(s, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	if got.Exception != nil {
		b.t.Fatalf("%s: %s %s", expression, got.Exception.Text, got.Exception.Exception.Description)
	}
	return string(got.Result.Value)
}

// until evaluates an expression until it is as wanted.
func (b *browser) until(s *cdp.Session, expression, want string) {
	b.t.Helper()
	got := ""
	for limit := time.Now().Add(cdptest.Timeout); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		if got = b.evaluate(s, expression); got == want {
			return
		}
	}
	b.t.Fatalf("%s is %s, want %s", expression, got, want)
}

// own opens a page of the extension in a tab.
func (b *browser) own(name string) *cdp.Session {
	b.t.Helper()
	s := b.page("chrome-extension://" + extension.ID() + "/" + name)
	b.until(s, "document.readyState + typeof chrome.storage", `"completeobject"`)
	return s
}

// set changes settings as the popup does.
func (b *browser) set(page *cdp.Session, settings string) {
	b.t.Helper()
	b.evaluate(page, "chrome.storage.local.set({settings: "+settings+"})")
}
