package session_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
)

// TestConnectHolds: connect chooses the browser until the session is closed, also after that browser was started again.
func TestConnectHolds(t *testing.T) {
	chromium := cdptest.Launch(t)
	gate := cdptest.NewGateway(t, chromium, func(*http.Request) int { return 0 })
	c := connect(t)
	address := gate.URL
	if got := fields(t, c.must(t, "connect "+address)); got["launched"] != true || got["reused"] != nil {
		t.Errorf("connect: %v", got)
	}
	if got := fields(t, c.must(t, "connect "+address)); got["reused"] != true {
		t.Errorf("connect again: %v", got)
	}
	c.must(t, "open about:blank")
	if _, err := c.run(t.Context(), "connect 1"); api.CodeOf(err) != api.LaunchConflict || !strings.Contains(api.AsError(err).NextStep(), "`close` first") {
		t.Errorf("connect elsewhere: %v", err)
	}
	gate.Accept(func(*http.Request) int { return http.StatusNotFound })
	chromium.Close()
	eventually(t, "the browser is known to be gone", func() bool {
		_, err := c.run(t.Context(), "get url --timeout 1s")
		return api.CodeOf(err) == api.BrowserCrashed
	})
	if _, err := c.run(t.Context(), "open about:blank"); api.CodeOf(err) != api.AttachFailed {
		t.Errorf("it went on without the browser: %v", err)
	}
	c.must(t, "close")
	if _, err := c.run(t.Context(), "get url"); api.CodeOf(err) != api.BrowserNotRunning {
		t.Errorf("after close: %v", err)
	}
}

// unheard takes no events.
type unheard struct{}

func (unheard) Event(cdp.Event) {}
func (unheard) Flush()          {}
func (unheard) Overflow(string) {}
func (unheard) Closed(error)    {}

// onlyContexts closes the pages of a browser and opens some in n new browser contexts.
func onlyContexts(t *testing.T, chromium *cdptest.Browser, n int) {
	t.Helper()
	direct := cdp.New(chromium.Dial(t), unheard{})
	t.Cleanup(func() { _ = direct.Close() })
	call := func(method string, params map[string]any, result any) {
		t.Helper()
		if err := direct.Session("").Call(t.Context(), method, params, result); err != nil {
			t.Fatal(err)
		}
	}
	pages := func() (ids []string) {
		var got struct {
			Infos []struct {
				ID   string `json:"targetId"`
				Type string `json:"type"`
			} `json:"targetInfos"`
		}
		call("Target.getTargets", nil, &got)
		for _, info := range got.Infos {
			if info.Type == "page" {
				ids = append(ids, info.ID)
			}
		}
		return ids
	}
	before := pages()
	for range n {
		var made struct {
			Context string `json:"browserContextId"`
		}
		call("Target.createBrowserContext", nil, &made)
		call("Target.createTarget", map[string]any{"url": "about:blank?other", "browserContextId": made.Context}, nil)
	}
	for _, id := range before {
		call("Target.closeTarget", map[string]any{"targetId": id}, nil)
	}
	eventually(t, "the pages are closed", func() bool { return len(pages()) == n })
}

// TestConnectWithoutTabs: to connect opens no tab in a browser that has none, and the first command that needs one does. The pages of
// other programs' browser contexts are counted.
func TestConnectWithoutTabs(t *testing.T) {
	chromium := cdptest.Launch(t)
	onlyContexts(t, chromium, 2)
	gate := cdptest.NewGateway(t, chromium, func(*http.Request) int { return 0 })
	c := connect(t)
	c.must(t, "connect "+gate.URL)
	list := c.must(t, "tab list")
	if list.Text != "No tabs" || !strings.HasPrefix(list.Warning, "2 more pages are open in browser contexts") {
		t.Errorf("tab list: %q, warning %q", list.Text, list.Warning)
	}
	if got := c.must(t, "eval 1+1").Text; got != "2" {
		t.Errorf("1+1 is %s", got)
	}
	if got := c.must(t, "tab list").Text; !strings.Contains(got, "about:blank") {
		t.Errorf("tab list: %s", got)
	}
}

// TestConnectToTheContextInUse: a browser whose pages are all in one browser context, which another program made, is used with that.
func TestConnectToTheContextInUse(t *testing.T) {
	chromium := cdptest.Launch(t)
	onlyContexts(t, chromium, 1)
	gate := cdptest.NewGateway(t, chromium, func(*http.Request) int { return 0 })
	c := connect(t)
	c.must(t, "connect "+gate.URL)
	if got := c.must(t, "tab list"); !strings.Contains(got.Text, "about:blank?other") || got.Warning != "" {
		t.Errorf("tab list: %q, warning %q", got.Text, got.Warning)
	}
	c.must(t, "tab new")
	if got := strings.Count(c.must(t, "tab list").Text, "[t"); got != 2 {
		t.Errorf("%d tabs, want 2", got)
	}
	c.must(t, "close")
	c.must(t, "connect "+gate.URL)
	if got := strings.Count(c.must(t, "tab list").Text, "[t"); got != 2 {
		t.Errorf("%d tabs after close, want 2: they are not the session's to close", got)
	}
}

// TestHeadersOfAnAddress: --cdp-headers are sent with the discovery and the WebSocket, to no other origin, and no message
// shows them.
func TestHeadersOfAnAddress(t *testing.T) {
	const secret = "tok-5f2a9c"
	headers := `{"authorization":"Bearer ` + secret + `","X-Key":"` + secret + `"}`
	gate := cdptest.NewGateway(t, cdptest.Launch(t), func(r *http.Request) int {
		if r.Header.Get("Authorization") != "Bearer "+secret || r.Header.Get("X-Key") != secret {
			return http.StatusUnauthorized
		}
		return 0
	})
	c := connect(t)
	_, err := c.run(t.Context(), "connect "+gate.URL)
	if e := api.AsError(err); e == nil || e.Code != api.AttachFailed || !strings.Contains(e.Error(), "401") {
		t.Fatalf("without headers: %v", err)
	}
	c.env["USHER_CDP_HEADERS"] = headers
	c.must(t, "connect "+gate.URL)
	if got := c.must(t, "eval 1+1").Text; got != "2" {
		t.Errorf("1+1 is %s", got)
	}
	for _, r := range gate.Requests()[1:] {
		if r.Header.Get("X-Key") != secret {
			t.Errorf("%s %s came without the headers", r.Method, r.URL)
		}
	}
	c.must(t, "close")
	c.must(t, "open about:blank --cdp "+gate.URL)
	c.env["USHER_CDP_HEADERS"] = strings.ReplaceAll(headers, secret, "tok-77e1")
	if got := c.must(t, "eval 1"); !strings.Contains(got.Warning, "cdp-headers") || strings.Contains(got.Warning, "tok-") {
		t.Errorf("other headers: %q", got.Warning)
	}
	c.must(t, "close")
	// The server quotes what it got.
	c.env["USHER_CDP_HEADERS"] = headers
	gate.Accept(func(*http.Request) int { return http.StatusForbidden })
	for _, at := range []string{gate.URL, gate.WebSocket} {
		if _, err := c.run(t.Context(), "open about:blank --cdp "+at); api.CodeOf(err) != api.AttachFailed || strings.Contains(err.Error(), secret) {
			t.Errorf("refused: %v", err)
		}
	}
}

// TestHeadersStayAtTheirOrigin: a redirect to another origin is followed without the headers.
func TestHeadersStayAtTheirOrigin(t *testing.T) {
	gate := cdptest.NewGateway(t, cdptest.Launch(t), func(*http.Request) int { return 0 })
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") == "" {
			http.Error(w, "no key", http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, gate.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer away.Close()
	c := connect(t)
	path := strings.TrimPrefix(gate.WebSocket, "ws"+strings.TrimPrefix(gate.URL, "http"))
	for _, at := range []string{"ws" + strings.TrimPrefix(away.URL, "http") + path + "?token=k", away.URL + "?token=k"} {
		_, err := c.run(t.Context(), `connect `+at+` --cdp-headers {"x-key":"k"}`)
		if err != nil && api.CodeOf(err) != api.AttachFailed {
			t.Errorf("%s: %v", at, err)
		}
		c.must(t, "close")
	}
	if len(gate.Requests()) == 0 {
		t.Fatal("no redirect was followed")
	}
	for _, r := range gate.Requests() {
		if r.Header.Get("X-Key") != "" || r.Referer() != "" {
			t.Errorf("%s %s got the headers of another origin, or its address: %v", r.Method, r.URL, r.Header)
		}
	}
}

// TestConnectInTime: the time that the caller gives holds for an endpoint that accepts the connection and says nothing, and
// the error says what was found there.
func TestConnectInTime(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		for err == nil {
			_, _, err = conn.Read(context.Background())
		}
	}))
	defer silent.Close()
	c := connect(t)
	at := "ws" + strings.TrimPrefix(silent.URL, "http") + "/devtools/browser/x"
	for _, line := range []string{"connect " + at, "get url --cdp " + at} {
		began := time.Now()
		_, err := c.run(t.Context(), line+" --timeout 1s")
		e := api.AsError(err)
		if e == nil || e.Code != api.AttachFailed || !strings.Contains(e.Message, at) || !strings.Contains(e.Message, "did not answer in time") || !strings.Contains(e.Hint, "Check the address") {
			t.Errorf("%s: %v", line, err)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("%s took %v", line, took)
		}
	}
}

// TestConnectToAServerThatDenies: an answer 401 is named, with what may be missing, and what the address contains is not
// shown, even if the server quotes it.
func TestConnectToAServerThatDenies(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.Header.Get("Authorization"), http.StatusUnauthorized)
	}))
	defer server.Close()
	_, err := connect(t).run(t.Context(), "connect http://ada:p-5f2a9c@"+strings.TrimPrefix(server.URL, "http://"))
	e := api.AsError(err)
	if e == nil || e.Code != api.AttachFailed || !strings.Contains(e.Message, "401 Unauthorized") || !strings.Contains(e.Hint, "USHER_CDP_HEADERS") || strings.Contains(e.Message, "Start the browser") {
		t.Fatalf("%v", err)
	}
	if strings.Contains(e.Sentence(), "5f2a9c") || strings.Contains(e.Sentence(), base64.StdEncoding.EncodeToString([]byte("ada:p-5f2a9c"))) {
		t.Errorf("%s", e.Sentence())
	}
}

// TestConnectWaitsForThePort: a browser that opens its port a moment later is found.
func TestConnectWaitsForThePort(t *testing.T) {
	chromium := cdptest.Launch(t)
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := port.Addr().String()
	if err := port.Close(); err != nil {
		t.Fatal(err)
	}
	c := connect(t)
	done := make(chan error, 1)
	go func() {
		_, err := c.run(t.Context(), "connect http://"+at)
		done <- err
	}()
	time.Sleep(300 * time.Millisecond) // the first attempt fails, or else this shows nothing
	late, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", chromium.Port)})}
	go func() { _ = server.Serve(late) }()
	defer server.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestOptionsInARunningBrowser: the options with which a session begins hold in the tabs that a running browser has, as in
// later ones, and a tab behind another behaves as if it had the focus. A tab that cannot answer gets them later.
func TestOptionsInARunningBrowser(t *testing.T) {
	site := cdptest.NewSite(t)
	chromium := cdptest.Launch(t)
	before := connect(t)
	at := fmt.Sprintf(" --cdp %d", chromium.Port)
	before.must(t, "open "+site.URL("/small")+at)
	const script = `[navigator.userAgent,innerWidth,matchMedia("(prefers-color-scheme:dark)").matches,Intl.DateTimeFormat().resolvedOptions().timeZone,navigator.language].join("|")`
	const given = " --user-agent A/1 --viewport 640x480 --color-scheme dark --timezone Asia/Tokyo --locale de-DE"
	const want = "A/1|640|true|Asia/Tokyo|de-DE"
	for _, line := range []string{fmt.Sprintf("connect %d", chromium.Port), "open " + site.URL("/small") + at} {
		c := connect(t)
		c.must(t, line+given)
		c.sees(t, script, want)
		c.must(t, "tab new "+site.URL("/small"))
		c.sees(t, script, want)
		c.must(t, "tab t1")
		before.must(t, "tab new about:blank")
		c.sees(t, "[document.hasFocus(),document.visibilityState].join()", "true,visible")
		before.must(t, "tab close")
		c.must(t, "close")
	}
	before.must(t, "eval setTimeout(alert),1")
	c := connect(t)
	c.must(t, fmt.Sprintf("connect %d", chromium.Port)+given)
	before.must(t, "dialog accept")
	c.sees(t, script, want)

	// A page that crashed before does not hold up the others, and the error about it says what to do.
	before.must(t, "tab new "+site.URL("/forms"))
	if _, err := before.run(t.Context(), "cdp Page.crash"); err == nil {
		t.Error("the page did not crash")
	}
	later := connect(t)
	later.must(t, fmt.Sprintf("connect %d", chromium.Port)+given)
	ids := map[string]string{}
	for _, tab := range fields(t, later.must(t, "tab list"))["tabs"].([]any) {
		one := tab.(map[string]any)
		ids[fmt.Sprint(one["url"])] = fmt.Sprint(one["tabId"])
	}
	later.must(t, "tab "+ids[site.URL("/forms")])
	if _, err := later.run(t.Context(), "get title --timeout 1s"); api.CodeOf(err) != api.RendererUnresponsive || !strings.Contains(api.AsError(err).Hint, "`tab close`") {
		t.Errorf("the page that crashed: %v", err)
	}
	later.must(t, "tab "+ids[site.URL("/small")])
	later.sees(t, script, want)
}

// TestSessionsOfOneRunningBrowser: what a session changed in a running browser ends with it, and another session of that
// browser then has its own options.
func TestSessionsOfOneRunningBrowser(t *testing.T) {
	site := cdptest.NewSite(t)
	chromium := cdptest.Launch(t)
	c := connect(t)
	at := fmt.Sprintf(" connect %d", chromium.Port)
	c.must(t, "--session a"+at)
	c.must(t, "--session b"+at)
	c.must(t, "--session a tab new "+site.URL("/small"))
	c.must(t, "--session b tab new "+site.URL("/small"))
	c.must(t, "--session a addinitscript window.fromA=1")
	c.must(t, "--session a network route **/forms --abort")
	c.must(t, "--session a --user-agent A/1 set offline on")
	c.must(t, "--session a close")
	c.must(t, "--session b open "+site.URL("/forms"))
	c.sees(t, `--session b [typeof(fromA),navigator.userAgent=="A/1",navigator.onLine].join()`, "undefined,false,true")
	c.must(t, "--session a"+at+" --user-agent A/2")
	c.must(t, "--session b --user-agent B/1 tab new "+site.URL("/small"))
	c.must(t, "--session a close")
	c.must(t, "--session b reload")
	c.sees(t, "--session b navigator.userAgent", "B/1")
}

// TestLaunchOptionsForARunningBrowser: what a running browser cannot have is refused as a flag, and otherwise left out with
// a warning.
func TestLaunchOptionsForARunningBrowser(t *testing.T) {
	chromium := cdptest.Launch(t)
	c := connect(t)
	delete(c.env, "USHER_ARGS")
	line := fmt.Sprintf("open about:blank --cdp %d", chromium.Port)
	for _, flag := range []string{"--proxy http://127.0.0.1:1", "--profile /tmp/p", "--args --mute-audio", "--executable-path /bin/false"} {
		if _, err := c.run(t.Context(), line+" "+flag); api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), "not for a running browser; nothing was started") {
			t.Errorf("%s: %v", flag, err)
		}
	}
	c.env["USHER_PROXY"] = "http://127.0.0.1:1"
	if res := c.must(t, line); res.Warning != "not applied to a running browser: USHER_PROXY" {
		t.Errorf("the warning is %q", res.Warning)
	}
}
