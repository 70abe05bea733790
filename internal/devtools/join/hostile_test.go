package join_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// TestBrowserSessions: a further CDP session of the browser gives access to no more than the client's own.
func TestBrowserSessions(t *testing.T) {
	r := newRig(t, "")
	mine, foreign := r.open(t, r.own, r.site.URL("/small")), r.open(t, r.other, r.site.URL("/frames"))
	c := r.dial(t)
	further := c.call(t, "", "Target.attachToBrowserTarget", nil)["sessionId"].(string)
	again := c.call(t, further, "Target.attachToBrowserTarget", nil)["sessionId"].(string)
	for _, s := range []string{further, again} {
		for _, method := range []string{"Tracing.start", "Fetch.enable", "Security.setIgnoreCertificateErrors", "Browser.crash"} {
			c.refused(t, s, method, map[string]any{"ignore": true}, "not available over the endpoint")
		}
		c.refused(t, s, "Target.attachToTarget", map[string]any{"targetId": foreign, "flatten": true}, "No target with given id")
		c.call(t, s, "Storage.setCookies", map[string]any{"cookies": []any{map[string]any{"name": "n" + s, "value": "v", "url": r.site.URL("/small")}}})
		c.call(t, s, "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	}
	var cookies struct {
		Cookies []struct {
			Name string `json:"name"`
		} `json:"cookies"`
	}
	r.must(t, "Storage.getCookies", map[string]any{"browserContextId": r.own}, &cookies)
	if len(cookies.Cookies) != 2 {
		t.Errorf("cookies of the session: %+v", cookies)
	}
	r.must(t, "Storage.getCookies", nil, &cookies)
	if len(cookies.Cookies) != 0 {
		t.Errorf("cookies of the browser's default context: %+v", cookies)
	}
	var window struct {
		ID int64 `json:"windowId"`
	}
	r.must(t, "Browser.getWindowForTarget", map[string]any{"targetId": foreign}, &window)
	c.refused(t, "", "Browser.setWindowBounds", map[string]any{"windowId": window.ID, "bounds": map[string]any{"windowState": "minimized"}}, "window not found")
	r.must(t, "Browser.getWindowForTarget", map[string]any{"targetId": mine}, &window)
	c.call(t, "", "Browser.getWindowBounds", map[string]any{"windowId": window.ID})
	c.refused(t, "", "Browser.cancelDownload", map[string]any{"guid": "g", "browserContextId": r.other}, "browser context")
	late := r.open(t, r.other, r.site.URL("/small"))
	c.seen(t, "Target.attachedToTarget", string(mine))
	for _, hidden := range []model.TargetID{foreign, late} {
		if ev, ok := c.has("Target.attachedToTarget", string(hidden)); ok {
			t.Errorf("the client was told: %s", ev.Params)
		}
	}
}

// TestBrowserTarget: a client that discovers all targets finds that of the browser, attached as in a browser of its own. Puppeteer makes
// CDP sessions of the browser with it.
func TestBrowserTarget(t *testing.T) {
	r := newRig(t, "")
	c := r.dial(t)
	target := c.call(t, "", "Target.getTargetInfo", nil)["targetInfo"].(map[string]any)["targetId"].(string)
	c.call(t, "", "Target.setDiscoverTargets", map[string]any{"discover": true, "filter": []any{map[string]any{}}})
	if ev := c.seen(t, "Target.targetCreated", target); !strings.Contains(string(ev.Params), `"attached":true`) {
		t.Errorf("the browser's target: %s", ev.Params)
	}
	further := c.attach(t, model.TargetID(target))
	c.call(t, further, "Browser.getVersion", nil)
	c.refused(t, further, "Browser.crash", nil, "not available over the endpoint")
}

// TestOwnWorld: usher's own script context does not exist for clients.
func TestOwnWorld(t *testing.T) {
	r := newRig(t, "")
	tab := r.open(t, r.own, r.site.URL("/small"))
	c := r.dial(t)
	s := c.attach(t, tab)
	c.call(t, s, "Runtime.enable", nil)
	c.call(t, s, "Page.enable", nil)
	c.call(t, s, "Page.reload", nil)
	c.seen(t, "Page.loadEventFired", "")
	c.call(t, s, "Page.createIsolatedWorld", map[string]any{"frameId": tab, "worldName": "theirs"})
	c.seen(t, "Runtime.executionContextCreated", `"name":"theirs"`)
	if ev, ok := c.has("Runtime.executionContextCreated", `"name":"usher"`); ok {
		t.Errorf("the client was told: %s", ev.Params)
	}
}

// TestPopupWaits: a popup runs when usher and all clients that attach with waitForDebuggerOnStart are ready.
func TestPopupWaits(t *testing.T) {
	r := newRig(t, "")
	tab := r.open(t, r.own, r.site.URL("/small"))
	idle, one, two := r.dial(t), r.dial(t), r.dial(t)
	idle.call(t, "", "Target.setDiscoverTargets", map[string]any{"discover": true})
	for _, c := range []*client{one, two} {
		c.call(t, "", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	}
	s := one.attach(t, tab)
	one.Session(s).Post("Runtime.evaluate", map[string]any{"expression": "open('').alert('early')", "userGesture": true}, nil)
	running := make(chan error, 2)
	for _, c := range []*client{two, one} {
		ev := c.seen(t, "Target.attachedToTarget", `"openerId":"`+string(tab))
		var attached struct {
			SessionID string `json:"sessionId"`
		}
		if err := json.Unmarshal(ev.Params, &attached); err != nil {
			t.Fatal(err)
		}
		for range 20 { // it takes its time
			c.call(t, "", "Browser.getVersion", nil)
		}
		c.call(t, attached.SessionID, "Page.enable", nil)
		c.Session(attached.SessionID).Post("Runtime.runIfWaitingForDebugger", nil, func(_ jsontext.Value, err error) { running <- err })
	}
	for range 2 { // the dialog stops the page before it can answer both; Playwright waits for the answer
		select {
		case err := <-running:
			if err != nil {
				t.Error(err)
			}
		case <-deadline(t).Done():
			t.Fatal("a client does not know that the popup runs")
		}
	}
	one.seen(t, "Page.javascriptDialogOpening", "early")
	two.seen(t, "Page.javascriptDialogOpening", "early")
	r.await(t, "usher sees the dialog", func(s *model.State) bool { return len(s.Dialogs) == 1 })

	// One that leaves, or never says that it is ready, stops nobody for good.
	two.call(t, "", "Target.createTarget", map[string]any{"url": r.site.URL("/frames")})
	one.Close()
	r.await(t, "the new page is ready", func(s *model.State) bool {
		for _, tab := range s.Tabs {
			if strings.HasSuffix(tab.URL, "/frames") && tab.Ready {
				return true
			}
		}
		return false
	})
}

// deaf opens a WebSocket at a path of the endpoint, from which nothing is read later.
func (r *rig) deaf(t *testing.T, path string) (conn net.Conn, frame func(text string)) {
	t.Helper()
	u, err := url.Parse(r.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	if conn, err = net.Dial("tcp", u.Host); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: "+u.Host+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return conn, func(text string) {
		text += strings.Repeat(" ", 130)
		head := []byte{0x81, 0x80 | 126, byte(len(text) >> 8), byte(len(text)), 0, 0, 0, 0}
		if _, err := conn.Write(append(head, text...)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDeafClients: a client that does not read is disconnected, over a page's address too, and does not stop the endpoint from ending.
func TestDeafClients(t *testing.T) {
	r := newRig(t, "")
	tab := r.open(t, r.own, r.site.URL("/small"))
	token := r.server.URL()[strings.LastIndexByte(r.server.URL(), '/')+1:]
	path := "/devtools/page/" + string(tab) + "?token=" + token
	_, frame := r.deaf(t, path)
	const large = `,"method":"Runtime.evaluate","params":{"expression":"'x'.repeat(2e6)","returnByValue":true}}`
	for i := range 12 { // 24 MB
		frame(fmt.Sprintf(`{"id":%d`, i+2) + large)
	}
	for ctx := deadline(t); r.server.Clients() > 0; time.Sleep(10 * time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatal("the client is still connected")
		}
	}
	conn, frame := r.deaf(t, path)
	for i := range 5 { // less than the limit, more than the system's buffers
		frame(fmt.Sprintf(`{"id":%d`, i+2) + large)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil { // the handshake
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() { r.server.Close(); close(closed) }()
	select {
	case <-closed:
	case <-deadline(t).Done():
		t.Fatal("the endpoint does not end")
	}
}

// TestSameName: a second download with the name of an earlier one takes its place, as in Chromium.
func TestSameName(t *testing.T) {
	r := newRig(t, "")
	tab := r.open(t, r.own, r.site.URL("/small"))
	c := r.dial(t)
	s, dir := c.attach(t, tab), t.TempDir()
	c.call(t, "", "Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": dir, "eventsEnabled": true})
	for i := range 2 {
		text := fmt.Sprintf("content%d", i)
		c.call(t, s, "Runtime.evaluate", map[string]any{"expression": `{const a=document.createElement("a");a.href="data:text/plain,` + text + `";a.download="name.txt";a.click()}`})
		r.await(t, "the download has ended", func(s *model.State) bool {
			return len(s.Downloads) == i+1 && s.Downloads[i].State == model.DownloadCompleted
		})
		ev := c.seen(t, "Browser.downloadProgress", r.browser.State().Downloads[i].GUID+`","totalBytes":8,"receivedBytes":8,"state":"completed"`)
		path := filepath.Join(dir, "name.txt")
		if !strings.Contains(string(ev.Params), `"filePath":"`+path+`"`) {
			t.Errorf("%s, want the path %s", ev.Params, path)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q %v, want %q", got, err, text)
		}
	}
}

// TestFrameStarts: a frame in another process runs as soon as the client lets it, with what the client has set up there. Chromium attaches one
// after the other to it, each when the one before has let it run, so nobody else needs to be waited for.
func TestFrameStarts(t *testing.T) {
	r := newRig(t, "")
	tab := r.open(t, r.own, r.site.URL("/small"))
	clients := []*client{r.dial(t), r.dial(t)}
	for _, c := range clients {
		c.call(t, c.attach(t, tab), "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	}
	began := time.Now()
	r.browser.Session(r.browser.State().Tabs[tab].Session).Post("Page.navigate", map[string]any{"url": r.site.URL("/frames?name=other&depth=0")}, nil)
	for i, c := range clients {
		ev := c.seen(t, "Target.attachedToTarget", `"type":"iframe"`)
		var attached struct {
			SessionID string `json:"sessionId"`
			Waiting   bool   `json:"waitingForDebugger"`
		}
		if err := json.Unmarshal(ev.Params, &attached); err != nil || !attached.Waiting {
			t.Fatalf("%s: %v", ev.Params, err)
		}
		c.call(t, attached.SessionID, "Page.enable", nil)
		c.call(t, attached.SessionID, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": fmt.Sprintf("globalThis.seen = (globalThis.seen ?? '') + %d", i)})
		c.call(t, attached.SessionID, "Runtime.runIfWaitingForDebugger", nil)
		if i == len(clients)-1 {
			for value := any(nil); value != "01"; {
				if took := time.Since(began); took > 4*time.Second { // it was let run after 5 s, at the latest
					t.Fatalf("the frame does not run after %v: %v", took, value)
				}
				got := c.call(t, attached.SessionID, "Runtime.evaluate", map[string]any{"expression": "globalThis.seen", "returnByValue": true})
				value = got["result"].(map[string]any)["value"]
			}
		}
	}
}

// TestOthersLoad: a client that attaches to everything with waitForDebuggerOnStart stops no page of another session.
func TestOthersLoad(t *testing.T) {
	r := newRig(t, "")
	r.open(t, r.own, r.site.URL("/small"))
	c := r.dial(t)
	c.call(t, "", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	other := r.open(t, r.other, "about:blank")
	for _, path := range []string{"/small", "/frames"} { // each in another process than the page before, and with frames in others
		r.browser.Session(r.browser.State().Tabs[other].Session).Post("Page.navigate", map[string]any{"url": r.site.URL(path)}, nil)
		r.await(t, path+" has loaded", func(s *model.State) bool {
			f := s.MainFrame(other)
			return f != nil && f.Loaded && strings.HasSuffix(f.URL, path)
		})
	}
}

// TestDetachedFirst: a client is told of the end of a session before a command for it is refused. Playwright takes the error for one of the page
// otherwise.
func TestDetachedFirst(t *testing.T) {
	r := newRig(t, "")
	conn, err := wire.Dial(deadline(t), r.server.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	write := func(text string) bool { return conn.Write([]byte(text)) == nil }
	for range 20 {
		tab := r.open(t, r.own, "about:blank")
		write(fmt.Sprintf(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":%q,"flatten":true}}`, tab))
		session, detached, refused := "", false, make(chan struct{})
		for ended := false; !ended; {
			msg, err := conn.Read()
			if err != nil {
				t.Fatal(err)
			}
			var m struct {
				ID      int    `json:"id"`
				Method  string `json:"method"`
				Session string `json:"sessionId"`
				Result  struct {
					SessionID string `json:"sessionId"`
				} `json:"result"`
				Error struct {
					Code int `json:"code"`
				} `json:"error"`
			}
			if err := json.Unmarshal(msg, &m); err != nil {
				t.Fatal(err)
			}
			switch {
			case m.ID == 1:
				session = m.Result.SessionID
				go func() {
					for id := 2; ; id++ {
						select {
						case <-refused:
							return
						default:
							write(fmt.Sprintf(`{"id":%d,"method":"Page.enable","sessionId":%q}`, id, session))
						}
					}
				}()
				r.browser.Session("").Post("Target.closeTarget", map[string]any{"targetId": tab}, nil)
			case m.Method == "Target.detachedFromTarget":
				detached = true
			case m.Session == session && m.Error.Code == -32001:
				if !detached {
					t.Errorf("refused before the client was told: %s", msg)
				}
				close(refused)
				ended = true
			}
		}
	}
}
