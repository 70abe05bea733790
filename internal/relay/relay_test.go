package relay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/extension"
	"github.com/usher-browser/usher/internal/relay"
	"github.com/usher-browser/usher/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a Chromium with the real extension, which is connected to a relay, and a site.
type rig struct {
	relay   *relay.Relay
	server  *endpoint.Server
	port    int // of the relay
	browser *cdptest.Browser
	direct  *cdp.Conn // the browser's own debugging port
	site    int       // port
}

type ignored struct{}

func (ignored) Event(cdp.Event) {}
func (ignored) Flush()          {}
func (ignored) Overflow(string) {}
func (ignored) Closed(error)    {}

var pages = map[string]string{
	"/form":  `<title>form</title><input id=i><button onclick="o.textContent='got '+i.value">go</button><p id=o></p>`,
	"/inner": `<title>inner</title><input id=i><button onclick="o.textContent='got '+i.value">go</button><p id=o></p>`,
	"/popup": `<title>popup</title><a target=_blank href="/inner?pop" id=a>pop</a> <a id=d href="/download">download</a><button id=w onclick="window.open('/inner?w','','width=300,height=300')">w</button>`,
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
		case "/download":
			w.Header().Set("Content-Disposition", `attachment; filename="f.txt"`)
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "file content")
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

func newRig(t *testing.T) *rig {
	r := &rig{site: serveSite(t)}
	dir := t.TempDir()
	var err error
	if r.relay, err = relay.New(relay.Options{Dir: dir, Version: "test"}); err != nil {
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
	loaded := filepath.Join(dir, "extension")
	token, err := r.relay.Pairing().Pin(extension.ID())
	if err != nil {
		t.Fatal(err)
	}
	if err := extension.Write(loaded, extension.Config{Relay: fmt.Sprintf("ws://127.0.0.1:%d/extension", r.port), Token: token}); err != nil {
		t.Fatal(err)
	}
	r.browser = cdptest.Launch(t, "--load-extension="+loaded, "--disable-extensions-except="+loaded, "--disable-features=DisableLoadExtensionCommandLineSwitch")
	r.direct = cdp.New(r.browser.Dial(t), ignored{})
	t.Cleanup(func() { _ = r.direct.Close() })
	r.open(t, "/form")
	r.open(t, "/frames")
	r.await(t, "the extension and its tabs", func(s relay.Status) bool { return s.Link.Connected && s.Tabs >= 2 })
	return r
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
	for ctx := deadline(t); !is(r.relay.Status()); {
		select {
		case <-ctx.Done():
			t.Fatalf("not seen: %s: %+v", what, r.relay.Status())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// playwright returns a run of the script with Playwright.
func (r *rig) playwright(t *testing.T, set string) *exec.Cmd {
	t.Helper()
	const manifest = "../../cmd/usher/testdata/playwright/package.json"
	dir, err := filepath.Abs("../../.cache/playwright")
	if err != nil {
		t.Fatal(err)
	}
	if err := peer.Playwright(t.Context(), manifest, dir); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/acceptance.js")
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("ws://127.0.0.1:%d/cdp?token=%s", r.port, r.relay.Pairing().ClientToken())
	cmd := exec.CommandContext(t.Context(), "node", "-e", string(script), "--", address, fmt.Sprint(r.site), set)
	cmd.Dir = dir // where require looks
	return cmd
}

func TestPlaywrightOnTabsOpenBefore(t *testing.T) {
	r := newRig(t)
	out, err := r.playwright(t, "adopt").CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "13 of 13") {
		t.Errorf("%s%v", out, err)
	}
	r.await(t, "the debugger is detached when nobody uses the tabs", func(s relay.Status) bool { return s.Clients == 0 && s.Attached == 0 })
}

func TestPlaywrightInNewTabs(t *testing.T) {
	r := newRig(t)
	if out, err := r.playwright(t, "open").CombinedOutput(); err != nil {
		t.Errorf("%s%v", out, err)
	}
}

// The tabs, their state and the client's session survive the end of the extension's worker.
func TestWorkerStopped(t *testing.T) {
	r := newRig(t)
	cmd := r.playwright(t, "survive")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	until := func(want string) {
		t.Helper()
		for lines.Scan() {
			if lines.Text() == want {
				return
			}
			t.Log(lines.Text())
		}
		t.Fatalf("Playwright ended without saying %q", want)
	}
	until("ready")
	for _, name := range []string{"one", "two"} {
		since := r.relay.Status().Link.Since
		r.stopWorker(t)
		r.await(t, "the extension is back", func(s relay.Status) bool { return s.Link.Connected && s.Link.Since.After(since) })
		fmt.Fprintln(in, name)
		until("done " + name)
	}
	_ = in.Close()
	until("3 of 3")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// stopWorker ends the extension's worker; Chrome starts it again with the next event.
func (r *rig) stopWorker(t *testing.T) {
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
		if info.Type == "service_worker" && strings.Contains(info.URL, extension.ID()) {
			if err := r.direct.Browser().Call(deadline(t), "Target.closeTarget", map[string]string{"targetId": info.ID}, nil); err != nil {
				t.Fatal(err)
			}
			r.open(t, "/inner") // an event that starts it
			return
		}
	}
	t.Fatalf("there is no worker in %+v", got.Infos)
}

func TestRefusals(t *testing.T) {
	r := newRig(t)
	token := r.relay.Pairing().ClientToken()
	base := fmt.Sprintf("http://127.0.0.1:%d", r.port)
	for _, c := range []struct {
		path, host, origin string
		want               int
	}{
		{"/json/version", "", "", 401},
		{"/json/version?token=x", "", "", 401},
		{"/json/version?token=" + token, "evil.example", "", 403},
		{"/json/version?token=" + token, "", "https://evil.example", 403},
		{"/cdp?token=" + token, "", "https://evil.example", 403},
		{"/cdp?token=" + token, "evil.example", "", 403},
		{"/cdp", "", "", 401},
		{"/extension", "", "https://evil.example", 403},
		{"/extension", "", "", 403},
		{"/extension", "", "chrome-extension://" + strings.Repeat("b", 32), 403},
		{"/extension", "", "chrome-extension://" + extension.ID(), 409},
		{"/json/version?token=" + token, "", "", 200},
	} {
		req, err := http.NewRequestWithContext(deadline(t), http.MethodGet, base+c.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Connection", "close")
		req.Host = c.host
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.want || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s, Host %q, Origin %q: %s", c.path, c.host, c.origin, resp.Status)
		}
	}
}

// raw is a client that reads what it asks for.
func (r *rig) client(t *testing.T) *cdp.Conn {
	t.Helper()
	conn, err := r.relay.Connect(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	c := cdp.New(conn, ignored{})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func (r *rig) attach(t *testing.T, c *cdp.Conn, target string) *cdp.Session {
	t.Helper()
	var made struct {
		SessionID string `json:"sessionId"`
	}
	if err := c.Browser().Call(deadline(t), "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &made); err != nil {
		t.Fatal(err)
	}
	return c.Session(made.SessionID)
}

// What cannot be done says so, and what would clear the user's profile is refused.
func TestTruthfulAnswers(t *testing.T) {
	r := newRig(t)
	c := r.client(t)
	form := r.firstPage(t, c)
	page := r.attach(t, c, form)
	for _, x := range []struct {
		session *cdp.Session
		method  string
		params  any
		want    string
	}{
		{c.Browser(), "Target.createBrowserContext", nil, "wasn't found"},
		{c.Browser(), "SystemInfo.getInfo", nil, "wasn't found"},
		{c.Browser(), "Browser.setDownloadBehavior", map[string]string{"behavior": "deny"}, "cannot be denied"},
		{c.Browser(), "Storage.clearCookies", nil, "refused"},
		{page, "Network.clearBrowserCookies", nil, "refused"},
		{page, "Network.clearBrowserCache", nil, "refused"},
		{page, "Storage.clearDataForOrigin", map[string]string{"origin": "*", "storageTypes": "all"}, "refused"},
		{page, "Security.enable", nil, "wasn't found"},
		{page, "Runtime.evaluate", map[string]any{"expression": "1", "contextId": 1 << 30}, "Cannot find context"},
	} {
		err := x.session.Call(deadline(t), x.method, x.params, nil)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", x.method, err)
		}
	}
	var got struct {
		Info struct {
			ID  string `json:"targetId"`
			URL string `json:"url"`
		} `json:"targetInfo"`
	}
	if err := page.Call(deadline(t), "Target.getTargetInfo", nil, &got); err != nil || got.Info.ID != form {
		t.Errorf("%+v, %v", got, err)
	}
}

// A result of 20 MB passes whole, and a client that never reads is cut off.
func TestLargeResults(t *testing.T) {
	r := newRig(t)
	c := r.client(t)
	page := r.attach(t, c, r.firstPage(t, c))
	var got struct {
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
	}
	if err := page.Call(deadline(t), "Runtime.evaluate", map[string]any{"expression": `"x".repeat(20<<20)`, "returnByValue": true}, &got); err != nil || len(got.Result.Value) != 20<<20 {
		t.Errorf("%d bytes, %v", len(got.Result.Value), err)
	}
	deaf, err := r.relay.Connect(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	attach := wire.Command{ID: 1, Method: "Target.attachToTarget", Params: []byte(`{"flatten":true,"targetId":"` + r.firstPage(t, c) + `"}`)}
	if err := deaf.Write(attach.Append(nil)); err != nil {
		t.Fatal(err)
	}
	var made struct {
		Result struct {
			SessionID string `json:"sessionId"`
		} `json:"result"`
	}
	for made.Result.SessionID == "" {
		msg, err := deaf.Read()
		if err != nil || json.Unmarshal(msg, &made) != nil {
			t.Fatalf("%s, %v", msg, err)
		}
	}
	for id := int64(2); id < 12; id++ {
		ask := wire.Command{ID: id, Method: "Runtime.evaluate", Params: []byte(`{"expression":"'x'.repeat(20<<20)","returnByValue":true}`), SessionID: made.Result.SessionID}
		if deaf.Write(ask.Append(nil)) != nil {
			break
		}
	}
	select {
	case <-deaf.(interface{ Lost() <-chan struct{} }).Lost():
	case <-time.After(2 * time.Minute): // 128 MB through the extension
		t.Error("a client that never reads is not cut off")
	}
}

func (r *rig) firstPage(t *testing.T, c *cdp.Conn) string {
	t.Helper()
	var got struct {
		Infos []struct {
			ID  string `json:"targetId"`
			URL string `json:"url"`
		} `json:"targetInfos"`
	}
	if err := c.Browser().Call(deadline(t), "Target.getTargets", nil, &got); err != nil {
		t.Fatal(err)
	}
	for _, info := range got.Infos {
		if strings.HasSuffix(info.URL, "/form") {
			return info.ID
		}
	}
	t.Fatalf("no form in %+v", got.Infos)
	return ""
}
