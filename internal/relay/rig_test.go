package relay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/extension"
	"github.com/usher-browser/usher/internal/relay"
	"github.com/usher-browser/usher/internal/wire"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownProcess); dir != "" {
		serveUntilKilled(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// rig is a Chromium with the real extension, which is connected to a relay, and a site.
type rig struct {
	relay     *relay.Relay
	server    *endpoint.Server
	port      int // of the relay
	browser   *cdptest.Browser
	direct    *cdp.Conn // the browser's own debugging port
	site      int       // port
	dir       string    // of the relay's files
	extension string    // its directory
}

// ownPage begins the address of pages that are shown only to the client that opens them.
const ownPage = "about:blank#own-"

type ignored struct{}

func (ignored) Event(cdp.Event) {}
func (ignored) Flush()          {}
func (ignored) Overflow(string) {}
func (ignored) Closed(error)    {}

var pages = map[string]string{
	"/form":     `<title>form</title><input id=i><button onclick="o.textContent='got '+i.value">go</button><p id=o></p>`,
	"/hasty":    `<title>hasty</title><script>setTimeout(() => location = '/inner?' + document.title, 300)</script>`,
	"/restless": `<title>restless</title><script>setInterval(() => location = '/slow?' + Date.now(), 200)</script>`,
	"/inner":    `<title>inner</title><input id=i><button onclick="o.textContent='got '+i.value">go</button><p id=o></p>`,
	"/popup":    `<title>popup</title><a target=_blank href="/inner?pop" id=a>pop</a> <a id=d href="/download">download</a> <a id=m href="/moved">moved</a> <a id=n target=_blank href="/download?slow">in a tab</a><button id=w onclick="window.open('/inner?w','','width=300,height=300')">w</button>`,
}

func serveSite(t *testing.T) int {
	mux := http.NewServeMux()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/frames":
			fmt.Fprintf(w, `<title>frames</title><h1>frames</h1><iframe id=same src="/inner?same"></iframe><iframe id=cross src="http://localhost:%d/inner?cross"></iframe>`, port)
		case "/framed": // another extension's page
			fmt.Fprintf(w, `<title>framed</title><iframe src="chrome-extension://%s/frame.html"></iframe>`, r.URL.Query().Get("by"))
		case "/download":
			w.Header().Set("Content-Disposition", `attachment; filename="f.txt"`)
			w.Header().Set("Content-Type", "text/plain")
			if r.URL.RawQuery == "slow" {
				fmt.Fprint(w, "file ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
				fmt.Fprint(w, "content")
				return
			}
			fmt.Fprint(w, "file content")
		case "/slow":
			time.Sleep(700 * time.Millisecond)
			if r.URL.RawQuery == "very" {
				time.Sleep(4 * time.Second)
			}
			fmt.Fprint(w, "<title>slow</title>")
		case "/moved":
			http.Redirect(w, r, "/download", http.StatusFound)
		default:
			fmt.Fprint(w, pages[r.URL.Path])
		}
	})
	server := &http.Server{Handler: mux}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return port
}

func newRig(t *testing.T, flags ...string) *rig {
	r := serve(t)
	r.start(t, r.port, flags...)
	return r
}

// newProxiedRig returns a rig with a proxy between the extension and the relay, which can cut the connection.
func newProxiedRig(t *testing.T) (*rig, *cdptest.Proxy) {
	r := serve(t)
	p, err := cdptest.OpenProxy(r.port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	r.start(t, p.Port)
	return r, p
}

// serve serves the site and a relay.
func serve(t *testing.T) *rig {
	dir := t.TempDir()
	r := &rig{site: serveSite(t), dir: dir}
	var err error
	if r.relay, err = relay.New(relay.Options{Dir: dir, Version: "test", OwnPage: ownPage}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.relay.Close)
	if r.server, err = r.relay.Serve(nil, 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.server.Close)
	u, err := url.Parse(r.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Sscan(u.Port(), &r.port)
	return r
}

// start starts a browser whose extension connects to a port, with two tabs.
func (r *rig) start(t *testing.T, port int, flags ...string) {
	token, err := r.relay.Pairing().Pin(extension.ID())
	if err != nil {
		t.Fatal(err)
	}
	r.extension = filepath.Join(r.dir, "extension")
	if err := extension.Write(r.extension, extension.Config{Relay: fmt.Sprintf("ws://127.0.0.1:%d/extension", port), Token: token}); err != nil {
		t.Fatal(err)
	}
	r.launch(t, flags...)
	r.open(t, "/form")
	r.open(t, "/frames")
	r.await(t, "the extension and its tabs", func(s relay.Status) bool { return s.Link.Connected && s.Tabs >= 2 })
}

// launch starts the browser. More flags may load more extensions ("--load-extension=" is completed).
func (r *rig) launch(t *testing.T, flags ...string) {
	t.Helper()
	loaded := r.extension
	for i, flag := range flags {
		if dir, ok := strings.CutPrefix(flag, "--load-extension="); ok {
			loaded += "," + dir
			flags[i] = "--silent-debugger-extension-api" // no flag may be empty
		}
	}
	r.browser = cdptest.Launch(t, append(flags, "--load-extension="+loaded, "--disable-extensions-except="+loaded, "--disable-features=DisableLoadExtensionCommandLineSwitch")...)
	direct := cdp.New(r.browser.Dial(t), ignored{})
	t.Cleanup(func() { _ = direct.Close() })
	r.direct = direct
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	t.Cleanup(cancel)
	return ctx
}

// open opens a tab without the relay.
func (r *rig) open(t *testing.T, path string) string {
	t.Helper()
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := r.direct.Browser().Call(deadline(t), "Target.createTarget", map[string]string{"url": fmt.Sprintf("http://127.0.0.1:%d%s", r.site, path)}, &made); err != nil {
		t.Fatal(err)
	}
	return made.TargetID
}

func (r *rig) await(t *testing.T, what string, is func(relay.Status) bool) {
	t.Helper()
	for limit := time.After(2 * time.Minute); !is(r.relay.Status()); { // 128 MB through the extension take a while
		select {
		case <-limit:
			t.Fatalf("not seen: %s: %+v", what, r.relay.Status())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// client returns a client that discovers tabs, and its events.
func (r *rig) client(t *testing.T) (*cdp.Conn, *events) {
	t.Helper()
	return r.join(t, r.relay.Connect)
}

func (r *rig) join(t *testing.T, connect func(context.Context) (wire.Conn, error)) (*cdp.Conn, *events) {
	t.Helper()
	conn, err := connect(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	seen := newEvents()
	c := cdp.New(conn, seen)
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Browser().Call(deadline(t), "Target.setDiscoverTargets", map[string]bool{"discover": true}, nil); err != nil {
		t.Fatal(err)
	}
	return c, seen
}

func attachTo(t *testing.T, c *cdp.Conn, target string) *cdp.Session {
	t.Helper()
	var made struct {
		SessionID string `json:"sessionId"`
	}
	if err := c.Browser().Call(deadline(t), "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &made); err != nil {
		t.Fatal(err)
	}
	return c.Session(made.SessionID)
}

// pageAt waits for a page with an address that ends so, and returns its target.
func pageAt(t *testing.T, c *cdp.Conn, end string) string {
	t.Helper()
	for ctx := deadline(t); ; {
		var got struct {
			Infos []struct {
				ID  string `json:"targetId"`
				URL string `json:"url"`
			} `json:"targetInfos"`
		}
		if err := c.Browser().Call(ctx, "Target.getTargets", nil, &got); err != nil {
			t.Fatalf("no page %s: %v", end, err)
		}
		for _, info := range got.Infos {
			if strings.HasSuffix(info.URL, end) {
				return info.ID
			}
		}
		select {
		case <-ctx.Done():
			t.Fatalf("no page %s in %+v", end, got.Infos)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// worker attaches directly to the extension's worker, which has chrome.tabs and so on.
func (r *rig) worker(t *testing.T) *cdp.Session {
	t.Helper()
	return attachTo(t, r.direct, r.target(t, "service_worker", "chrome-extension://"+extension.ID()+"/worker.js"))
}

// target finds a target of the browser without the relay.
func (r *rig) target(t *testing.T, kind, address string) string {
	t.Helper()
	var got struct {
		Infos []struct {
			ID   string `json:"targetId"`
			Type string `json:"type"`
			URL  string `json:"url"`
		} `json:"targetInfos"`
	}
	if err := r.direct.Browser().Call(deadline(t), "Target.getTargets", nil, &got); err != nil {
		t.Fatal(err)
	}
	for _, info := range got.Infos {
		if info.Type == kind && info.URL == address {
			return info.ID
		}
	}
	t.Fatalf("there is no %s %s in %+v", kind, address, got.Infos)
	return ""
}

// stopWorker ends the extension's worker; Chrome starts it again with the next event.
func (r *rig) stopWorker(t *testing.T) {
	t.Helper()
	id := r.target(t, "service_worker", "chrome-extension://"+extension.ID()+"/worker.js")
	if err := r.direct.Browser().Call(deadline(t), "Target.closeTarget", map[string]string{"targetId": id}, nil); err != nil {
		t.Fatal(err)
	}
	r.open(t, "/inner") // an event that starts it
}

// evaluate evaluates an expression, waits for its promise, and returns the value as JSON.
func evaluate(t *testing.T, s *cdp.Session, expression string) (string, error) {
	t.Helper()
	var got struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	params := map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}
	if err := s.Call(deadline(t), "Runtime.evaluate", params, &got); err != nil {
		return "", err
	}
	if got.Exception != nil {
		return "", fmt.Errorf("%s: %s", got.Exception.Text, got.Exception.Exception.Description)
	}
	return string(bytes.TrimSpace(got.Result.Value)), nil
}

// mustBe evaluates an expression, whose value must be as wanted.
func mustBe(t *testing.T, s *cdp.Session, expression, want string) {
	t.Helper()
	if got, err := evaluate(t, s, expression); err != nil || got != want {
		t.Errorf("%s is %s, %v; want %s", expression, got, err, want)
	}
}

// becomes waits until an expression has a value, in whatever document is there then.
func becomes(t *testing.T, s *cdp.Session, expression, want string) {
	t.Helper()
	for ctx := deadline(t); ; time.Sleep(10 * time.Millisecond) {
		got, err := evaluate(t, s, expression)
		if err == nil && got == want {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s is %s, %v; want %s", expression, got, err, want)
		}
	}
}

// events keeps the events of a connection.
type events struct {
	ignored
	mu   sync.Mutex
	all  []string      // guarded by mu: method and parameters
	of   []string      // guarded by mu: the session of each
	came chan struct{} // guarded by mu: closed with the next one
}

func newEvents() *events { return &events{came: make(chan struct{})} }

func (e *events) Event(ev cdp.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all, e.of = append(e.all, ev.Method+" "+string(ev.Params)), append(e.of, ev.SessionID)
	close(e.came)
	e.came = make(chan struct{})
}

// await waits for an event with these texts, among those that came after the first skip.
func (e *events) await(t *testing.T, skip int, parts ...string) {
	t.Helper()
	for ctx := deadline(t); ; {
		e.mu.Lock()
		for _, text := range e.all[min(skip, len(e.all)):] {
			has := true
			for _, part := range parts {
				has = has && strings.Contains(text, part)
			}
			if has {
				e.mu.Unlock()
				return
			}
		}
		came := e.came
		e.mu.Unlock()
		select {
		case <-came:
		case <-ctx.Done():
			t.Fatalf("no event with %q in %q", parts, e.all)
		}
	}
}

// list returns the events that came.
func (e *events) list() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all)
}

// sessionOf returns the CDP session of the first event of a method.
func (e *events) sessionOf(method string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, text := range e.all {
		if strings.HasPrefix(text, method+" ") {
			return e.of[i]
		}
	}
	return "none"
}

// count returns how many events came.
func (e *events) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.all)
}
