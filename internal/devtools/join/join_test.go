package join_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
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
	"github.com/usher-browser/usher/internal/devtools/join"
	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a browser with two browser contexts, of which the first is served.
type rig struct {
	browser     *supervisor.Browser
	site        *cdptest.Site
	own, other  model.ContextID
	server      *endpoint.Server
	downloadDir string
}

func newRig(t *testing.T, mode string) *rig {
	r := &rig{browser: supervisor.New(cdptest.Launch(t).Dial(t), supervisor.Options{Script: "globalThis.usher = 1"}), site: cdptest.NewSite(t), downloadDir: t.TempDir()}
	t.Cleanup(func() { r.browser.Close() })
	for _, c := range []*model.ContextID{&r.own, &r.other} {
		var made struct {
			ID model.ContextID `json:"browserContextId"`
		}
		r.must(t, "Target.createBrowserContext", nil, &made)
		*c = made.ID
		r.must(t, "Browser.setDownloadBehavior", map[string]any{"behavior": "allowAndName", "browserContextId": *c, "downloadPath": r.downloadDir, "eventsEnabled": true}, nil)
	}
	var err error
	r.server, err = endpoint.Serve(r.browser.Done(), endpoint.Options{
		Browser: join.New(r.browser, r.own, join.Options{Downloads: func() string { return r.downloadDir }, QueueLimit: 8 << 20}), Token: endpoint.NewToken(), Mode: mode,
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.server.Close)
	return r
}

func (r *rig) must(t *testing.T, method string, params, result any) {
	t.Helper()
	if err := r.browser.Session("").Call(deadline(t), method, params, result); err != nil {
		t.Fatal(err)
	}
}

// open opens a page of a browser context without the client.
func (r *rig) open(t *testing.T, c model.ContextID, address string) model.TargetID {
	t.Helper()
	var made struct {
		TargetID model.TargetID `json:"targetId"`
	}
	r.must(t, "Target.createTarget", map[string]any{"url": address, "browserContextId": c}, &made)
	r.await(t, "the page is there", func(s *model.State) bool { tab := s.Tabs[made.TargetID]; return tab != nil && tab.Ready })
	return made.TargetID
}

func (r *rig) await(t *testing.T, what string, is func(*model.State) bool) {
	t.Helper()
	for ctx := deadline(t); ; {
		s := r.browser.State()
		if is(s) {
			return
		}
		select {
		case <-s.Changed():
		case <-ctx.Done():
			t.Fatalf("not seen: %s", what)
		}
	}
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	t.Cleanup(cancel)
	return ctx
}

// client is a CDP client that remembers its events.
type client struct {
	*cdp.Conn
	mu     sync.Mutex
	events []cdp.Event
	came   chan struct{}
}

func (c *client) Event(ev cdp.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, ev)
	select {
	case c.came <- struct{}{}:
	default:
	}
}
func (c *client) Flush()          {}
func (c *client) Overflow(string) {}
func (c *client) Closed(error)    {}

func (r *rig) dial(t *testing.T) *client {
	t.Helper()
	conn, err := wire.Dial(deadline(t), r.server.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{came: make(chan struct{}, 1)}
	c.Conn = cdp.New(conn, c)
	t.Cleanup(func() { c.Close() })
	return c
}

// seen waits for an event whose parameters have a text.
func (c *client) seen(t *testing.T, method, text string) cdp.Event {
	t.Helper()
	for ctx := deadline(t); ; {
		if ev, ok := c.has(method, text); ok {
			return ev
		}
		select {
		case <-c.came:
		case <-ctx.Done():
			t.Fatalf("no event %s with %s", method, text)
		}
	}
}

func (c *client) has(method, text string) (cdp.Event, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ev := range c.events {
		if ev.Method == method && bytes.Contains(ev.Params, []byte(text)) {
			return ev, true
		}
	}
	return cdp.Event{}, false
}

func (c *client) call(t *testing.T, session, method string, params any) map[string]any {
	t.Helper()
	var result map[string]any
	if err := c.Session(session).Call(deadline(t), method, params, &result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return result
}

// refused expects an error with a text.
func (c *client) refused(t *testing.T, session, method string, params any, text string) {
	t.Helper()
	err := c.Session(session).Call(deadline(t), method, params, nil)
	var answered *cdp.Error
	if !errors.As(err, &answered) || !strings.Contains(answered.Message, text) {
		t.Errorf("%s %v: %v, want %q", method, params, err, text)
	}
}

func (c *client) attach(t *testing.T, target model.TargetID) string {
	t.Helper()
	return c.call(t, "", "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true})["sessionId"].(string)
}

// TestOwnContext: a client sees and controls the session's browser context, and nothing else.
func TestOwnContext(t *testing.T) {
	r := newRig(t, "")
	mine, foreign := r.open(t, r.own, r.site.URL("/small")), r.open(t, r.other, r.site.URL("/frames"))
	c := r.dial(t)
	type target struct {
		TargetID model.TargetID `json:"targetId"`
		Type     string         `json:"type"`
		URL      string         `json:"url"`
	}
	var infos struct {
		TargetInfos []target `json:"targetInfos"`
	}
	pages := func() []target { // besides what the browser's own window consists of
		return slices.DeleteFunc(infos.TargetInfos, func(t target) bool { return t.Type != "page" })
	}
	if err := c.Browser().Call(deadline(t), "Target.getTargets", nil, &infos); err != nil || len(pages()) != 1 || pages()[0].TargetID != mine {
		t.Errorf("%+v %v", infos, err)
	}
	if got := c.call(t, "", "Target.getBrowserContexts", nil); len(got["browserContextIds"].([]any)) != 0 || got["defaultBrowserContextId"] != string(r.own) {
		t.Errorf("%v", got)
	}
	made := c.call(t, "", "Target.createBrowserContext", nil)["browserContextId"]
	if got := c.call(t, "", "Target.getBrowserContexts", nil)["browserContextIds"].([]any); !slices.Equal(got, []any{made}) {
		t.Errorf("%v, want %v", got, made)
	}
	c.call(t, "", "Target.disposeBrowserContext", map[string]any{"browserContextId": made})
	if got := c.call(t, "", "Target.getBrowserContexts", nil)["browserContextIds"].([]any); len(got) != 0 {
		t.Errorf("disposed of: %v", got)
	}
	id := map[string]any{"targetId": foreign, "flatten": true}
	for _, method := range []string{"Target.attachToTarget", "Target.closeTarget", "Target.activateTarget", "Target.getTargetInfo", "Browser.getWindowForTarget"} {
		c.refused(t, "", method, id, "No target with given id")
	}
	c.refused(t, "", "Storage.getCookies", map[string]any{"browserContextId": r.other}, "browser context")
	c.refused(t, "", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": r.other}, "browser context")
	c.refused(t, "", "Target.disposeBrowserContext", map[string]any{"browserContextId": r.own}, "Only browser contexts that this client made")
	for _, method := range []string{"Browser.crash", "Tracing.start", "Fetch.enable", "Target.setRemoteLocations", "Target.sendMessageToTarget", "Target.exposeDevToolsProtocol"} {
		c.refused(t, "", method, map[string]any{"targetId": mine}, "not available over the endpoint")
	}
	session := c.attach(t, mine)
	c.refused(t, session, "Target.attachToTarget", id, "No target")

	// A new page of another session is neither shown nor stopped.
	c.call(t, "", "Target.setDiscoverTargets", map[string]any{"discover": true})
	c.call(t, "", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	late := r.open(t, r.other, r.site.URL("/small"))
	own := c.call(t, "", "Target.createTarget", map[string]any{"url": r.site.URL("/small")})["targetId"].(string)
	waiting := c.seen(t, "Target.attachedToTarget", own)
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(waiting.Params, &attached); err != nil {
		t.Fatal(err)
	}
	c.call(t, attached.SessionID, "Runtime.runIfWaitingForDebugger", nil)
	r.await(t, "the client's page is a tab of the session", func(s *model.State) bool {
		tab := s.Tabs[model.TargetID(own)]
		return tab != nil && tab.Context == r.own && tab.Ready
	})
	for _, hidden := range []model.TargetID{foreign, late} {
		for _, method := range []string{"Target.attachedToTarget", "Target.targetCreated", "Target.targetInfoChanged"} {
			if ev, ok := c.has(method, string(hidden)); ok {
				t.Errorf("the client was told: %s %s", ev.Method, ev.Params)
			}
		}
	}
	page, err := r.browser.OwnPage(deadline(t), r.own)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	if err := c.Browser().Call(deadline(t), "Target.getTargets", nil, &infos); err != nil || len(pages()) != 2 {
		t.Errorf("with a page of usher's own: %+v %v", infos, err)
	}
}

// TestClients: clients do not disturb each other, nor usher; a late one gets what was there before; what a client made ends with it.
func TestClients(t *testing.T) {
	r := newRig(t, "")
	tab := r.open(t, r.own, r.site.URL("/small"))
	one, two := r.dial(t), r.dial(t)
	a := one.attach(t, tab)
	one.call(t, a, "Runtime.enable", nil)
	one.seen(t, "Runtime.executionContextCreated", `"isDefault":true`)
	b := two.attach(t, tab)
	two.call(t, b, "Runtime.enable", nil)
	two.seen(t, "Runtime.executionContextCreated", `"isDefault":true`)
	one.call(t, a, "Runtime.disable", nil)
	two.call(t, b, "Runtime.evaluate", map[string]any{"expression": "console.log('said')"})
	two.seen(t, "Runtime.consoleAPICalled", "said")
	if ev, ok := one.has("Runtime.consoleAPICalled", "said"); ok {
		t.Errorf("the other client got %s", ev.Params)
	}
	one.refused(t, b, "Runtime.evaluate", map[string]any{"expression": "1"}, "Session with given id not found")
	one.refused(t, "", "Target.detachFromTarget", map[string]any{"sessionId": b}, "No session with given id")

	made := model.ContextID(one.call(t, "", "Target.createBrowserContext", map[string]any{})["browserContextId"].(string))
	inside := one.call(t, "", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": made})["targetId"].(string)
	two.refused(t, "", "Target.attachToTarget", map[string]any{"targetId": inside, "flatten": true}, "No target")
	one.Close()
	r.await(t, "the page of the client that left is gone", func(s *model.State) bool { return s.Tabs[model.TargetID(inside)] == nil })
	two.call(t, b, "Runtime.evaluate", map[string]any{"expression": "1"})

	two.Browser().Post("Browser.close", nil, nil) // as over Chromium's own port: the client's connection ends
	<-two.Done()
	if r.browser.State().Tabs[tab] == nil {
		t.Error("the browser of the session was closed")
	}
	three := r.dial(t)
	three.call(t, three.attach(t, tab), "Runtime.evaluate", map[string]any{"expression": "1"})
}

// TestDialogStaysWithClient: a client that answers dialogs gets all of them.
func TestDialogStaysWithClient(t *testing.T) {
	r := newRig(t, "")
	r.browser.SetBridge(r.own, model.BridgeAuto)
	tab := r.open(t, r.own, r.site.URL("/small"))
	c := r.dial(t)
	s := c.attach(t, tab)
	c.call(t, s, "Page.enable", nil)
	for _, text := range []string{"first", "second", "third"} {
		done := make(chan error, 1)
		go func() {
			done <- c.Session(s).Call(deadline(t), "Runtime.evaluate", map[string]any{"expression": "alert('" + text + "')"}, nil)
		}()
		c.seen(t, "Page.javascriptDialogOpening", text)
		c.call(t, s, "Page.handleJavaScriptDialog", map[string]any{"accept": true})
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

// TestDownloads: a client gets its copy of a download where it wants it, and usher's stays where usher looks for it.
func TestDownloads(t *testing.T) {
	r := newRig(t, "")
	tab := r.open(t, r.own, r.site.URL("/small"))
	c := r.dial(t)
	s := c.attach(t, tab)
	named, suggested := t.TempDir(), t.TempDir()
	for i, wish := range []map[string]any{
		{"behavior": "allowAndName", "downloadPath": named, "eventsEnabled": true}, {"behavior": "allow", "downloadPath": suggested, "eventsEnabled": true},
	} {
		c.call(t, "", "Browser.setDownloadBehavior", wish)
		c.call(t, s, "Runtime.evaluate", map[string]any{"expression": `{const a=document.createElement("a");a.href="data:text/plain,content` + string(rune('0'+i)) + `";a.download="name.txt";a.click()}`})
		r.await(t, "the download has begun", func(s *model.State) bool { return len(s.Downloads) > i })
		c.seen(t, "Browser.downloadWillBegin", r.browser.State().Downloads[i].GUID)
	}
	c.seen(t, "Browser.downloadProgress", "completed")
	r.await(t, "both downloads have ended", func(s *model.State) bool {
		return len(s.Downloads) == 2 && !slices.ContainsFunc(s.Downloads, func(d *model.Download) bool { return d.State != model.DownloadCompleted })
	})
	first := r.browser.State().Downloads[0]
	c.seen(t, "Browser.downloadProgress", r.browser.State().Downloads[1].GUID+`","totalBytes":8,"receivedBytes":8,"state":"completed"`)
	for path, want := range map[string]string{
		filepath.Join(named, first.GUID): "content0", filepath.Join(suggested, "name.txt"): "content1", filepath.Join(r.downloadDir, first.GUID): "content0",
	} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q %v", path, got, err)
		}
	}
	c.refused(t, "", "Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": "here"}, "downloadPath")
}

// TestHTTP: what a request needs before it is answered.
func TestHTTP(t *testing.T) {
	r := newRig(t, "")
	tab := r.open(t, r.own, r.site.URL("/small"))
	u, err := url.Parse(r.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimPrefix(u.Path, "/devtools/browser/")
	c := r.dial(t)
	shown := c.Session(c.attach(t, tab))
	for ctx := deadline(t); ; time.Sleep(5 * time.Millisecond) { // the page may be loading yet
		var got struct {
			Result struct {
				Value bool `json:"value"`
			} `json:"result"`
		}
		rename := map[string]any{"expression": "location.pathname === '/small' && document.readyState === 'complete' && (document.title = 'new title') !== ''"}
		if err := shown.Call(ctx, "Runtime.evaluate", rename, &got); err == nil && got.Result.Value {
			break
		} else if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	for ctx := deadline(t); r.server.Clients() > 0 && ctx.Err() == nil; {
		time.Sleep(time.Millisecond)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, c := range []struct {
		path   string
		header http.Header
		status int
		has    string
	}{
		{"/json/version?token=" + token, nil, 200, `"webSocketDebuggerUrl":"` + r.server.URL() + `"`},
		{"/json/version/?token=" + token, nil, 200, `"Browser":"Chrome/`},
		{"/json/list", http.Header{"Authorization": {"Bearer " + token}}, 200, `"id":"` + string(tab) + `","type":"page","title":"new title"`},
		{"/json", nil, 401, "token is missing or wrong"},
		{"/json/version?token=" + token[:42] + "x", nil, 401, "token is missing or wrong"},
		{"/json/version?token=", nil, 401, "token is missing or wrong"},
		{"/json/version?token=" + token, http.Header{"Origin": {"https://evil.example"}}, 403, "web page"},
		{"/json/version?token=" + token, http.Header{"Origin": {"null"}}, 403, "web page"},
		{"/json/version?token=" + token, http.Header{"Host": {"evil.example"}}, 403, "Host"},
		{"/json/version?token=" + token, http.Header{"Host": {"127.0.0.1.evil.example:80"}}, 403, "Host"},
		{"/json/version?token=" + token, http.Header{"Host": {"[::1]:9"}}, 200, "webSocketDebuggerUrl"},
		{"/client-slot", nil, 200, `"mode":"multi-client","busy":false,"activeClientId":null,"connectedAt":null,"clients":0`},
		{"/client-slot", http.Header{"Origin": {"https://evil.example"}}, 403, "web page"},
		{"/client-slot", http.Header{"Sec-Fetch-Site": {"cross-site"}}, 403, "web page"},
		{"/client-slot", http.Header{"Sec-Fetch-Site": {"none"}}, 200, "multi-client"},
		{"/devtools/browser/" + token, nil, 426, "WebSocket"},
		{"/devtools/browser/wrong", nil, 401, "token"},
		{"/devtools/page/nosuch?token=" + token, http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}, 404, "no such page"},
		{"/other?token=" + token, nil, 404, ""},
	} {
		req, err := http.NewRequestWithContext(deadline(t), http.MethodGet, "http://"+u.Host+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range c.header {
			req.Header[name] = values
		}
		req.Host = c.header.Get("Host")
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != c.status || !bytes.Contains(body, []byte(c.has)) {
			t.Errorf("%s %v: %d %s %v", c.path, c.header, res.StatusCode, body, err)
		}
		if c.status != 200 && bytes.Contains(body, []byte(token)) || res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s gives the token away: %s %v", c.path, body, res.Header)
		}
	}
	r.await(t, "the page has loaded", func(s *model.State) bool {
		f := s.MainFrame(tab)
		return f != nil && f.Loaded && strings.HasSuffix(f.URL, "/small")
	})
	page, err := wire.Dial(deadline(t), "ws://"+u.Host+"/devtools/page/"+string(tab)+"?token="+token, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &client2{}
	conn := cdp.New(page, p)
	defer conn.Close()
	var got struct {
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
	}
	if err := conn.Browser().Call(deadline(t), "Runtime.evaluate", map[string]any{"expression": "location.pathname"}, &got); err != nil || got.Result.Value != "/small" {
		t.Errorf("over the page's own address: %+v %v", got, err)
	}
}

// client2 is a client that wants no events.
type client2 struct{}

func (*client2) Event(cdp.Event) {}
func (*client2) Flush()          {}
func (*client2) Overflow(string) {}
func (*client2) Closed(error)    {}

// TestSingleActive: the second client waits for the first to leave.
func TestSingleActive(t *testing.T) {
	r := newRig(t, endpoint.SingleActive)
	first := r.dial(t)
	_, err := wire.Dial(deadline(t), r.server.URL(), nil)
	var refused *wire.HandshakeError
	if !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		t.Fatalf("%v", err)
	}
	first.Close()
	for ctx := deadline(t); r.server.Clients() > 0; time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatal("the slot is not free again")
		}
	}
	second := r.dial(t)
	second.call(t, "", "Browser.getVersion", nil)

	// The mode may change while clients are connected.
	r.server.SetMode(endpoint.MultiClient)
	third := r.dial(t)
	r.server.SetMode(endpoint.SingleActive)
	second.Close()
	third.call(t, "", "Browser.getVersion", nil)
	if _, err := wire.Dial(deadline(t), r.server.URL(), nil); !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		t.Errorf("while the third is connected: %v", err)
	}
}

// TestBadClients: what is malformed is answered; who sends too much, does not read or dies disturbs nobody.
func TestBadClients(t *testing.T) {
	r := newRig(t, "")
	tab := r.open(t, r.own, r.site.URL("/small"))
	raw, err := wire.Dial(deadline(t), r.server.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for _, c := range []struct{ in, out string }{
		{`nonsense`, `{"error":{"code":-32700`}, {`{"id":5}`, `{"id":5,"error":{"code":-32600`}, {`{"id":6,"method":"Nope.nope"}`, `{"id":6,"error":{"code":-32601`},
		{"{\"id\":7,\"method\":\"Browser.getVersion\"}\x00{\"id\":8,\"method\":\"Browser.close\"}", `"code":-32700`},
		{`{"id":9,"method":"Browser.getVersion","sessionId":"` + r.browser.State().Tabs[tab].Session + `"}`, `"code":-32001`},
	} {
		if err := raw.Write([]byte(c.in)); err != nil {
			t.Fatal(err)
		}
		if got, err := raw.Read(); err != nil || !strings.Contains(string(got), c.out) {
			t.Errorf("%q: %s %v", c.in, got, err)
		}
	}
	dies := r.dial(t)
	s := dies.attach(t, tab)
	dies.Session(s).Post("Runtime.evaluate", map[string]any{"expression": "new Promise(()=>{})", "awaitPromise": true}, nil)
	dies.Abort(errors.New("died"))

	deaf, err := net.Dial("tcp", strings.Split(strings.TrimPrefix(r.server.URL(), "ws://"), "/")[0])
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	u, _ := url.Parse(r.server.URL())
	if _, err := io.WriteString(deaf, "GET "+u.Path+" HTTP/1.1\r\nHost: "+u.Host+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	frame := func(text string) {
		head := []byte{0x81, 0x80 | 126, byte(len(text) >> 8), byte(len(text)), 0, 0, 0, 0}
		if _, err := deaf.Write(append(head, text...)); err != nil {
			t.Fatal(err)
		}
	}
	frame(`{"id":1,"method":"Target.attachToTarget","params":{"flatten":true,"targetId":"` + string(tab) + `"}}` + strings.Repeat(" ", 100))
	buffer := make([]byte, 4096)
	text := ""
	for !strings.Contains(text, `"id":1`) {
		n, err := deaf.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		text += string(buffer[:n])
	}
	_, id, _ := strings.Cut(text, `"sessionId":"`)
	id, _, _ = strings.Cut(id, `"`)
	for i := range 12 { // 24 MB, of which nothing is read
		frame(`{"id":` + string(rune('2'+i%8)) + `,"method":"Runtime.evaluate","params":{"expression":"'x'.repeat(2e6)","returnByValue":true},"sessionId":"` + id + `"}` + strings.Repeat(" ", 100))
	}
	for ctx := deadline(t); r.server.Clients() > 1; time.Sleep(10 * time.Millisecond) { // raw is left
		if ctx.Err() != nil {
			t.Fatalf("%d clients are still connected", r.server.Clients())
		}
		if err := r.browser.Session("").Call(ctx, "Browser.getVersion", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
}
