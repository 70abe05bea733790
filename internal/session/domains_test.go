package session_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// outside is a server that no page may reach. It records requests by path, and everything else that arrives at its ports.
type outside struct {
	port, ice int // the second one gets STUN and ICE

	mu   sync.Mutex
	seen map[string]bool // guarded by mu
}

func (o *outside) saw(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen[what] = true
}

func (o *outside) list() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []string
	for what := range o.seen {
		out = append(out, what)
	}
	slices.Sort(out)
	return out
}

func (o *outside) reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = map[string]bool{}
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	o := &outside{seen: map[string]bool{}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.saw(strings.TrimPrefix(r.URL.Path, "/"))
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			o.saw("TCP")
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	o.port = server.Listener.Addr().(*net.TCPAddr).Port
	o.packets(t, o.port, "QUIC")
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.ice = tcp.Addr().(*net.TCPAddr).Port
	var done sync.WaitGroup
	done.Go(func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return // it was closed
			}
			o.saw("ICE over TCP")
			_ = c.Close()
		}
	})
	t.Cleanup(func() { _ = tcp.Close(); done.Wait() })
	o.packets(t, o.ice, "STUN")
	return o
}

// packets records UDP packets to a port of all addresses.
func (o *outside) packets(t *testing.T, port int, what string) {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{Port: port})
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		b := make([]byte, 2048)
		for {
			if _, _, err := conn.ReadFrom(b); err != nil {
				return // it was closed
			}
			o.saw(what)
		}
	})
	t.Cleanup(func() { _ = conn.Close(); done.Wait() })
}

// leaks is a page that tries to reach OUT (a name) and ADDR (an address); tried is true when its attempts have ended.
const leaks = `<!doctype html><title>leaks</title>
<link rel=prefetch href="http://OUT/prefetch"><link rel=dns-prefetch href="//OUT"><link rel=preconnect href="http://ADDR">
<link rel=preload as=script href="http://ADDR/preload"><link rel=stylesheet href="http://ADDR/stylesheet"><link rel=manifest href="http://OUT/manifest">
<script type=speculationrules>{"prefetch":[{"source":"list","urls":["http://OUT/speculation"],"eagerness":"immediate","referrer_policy":"no-referrer"}]}</script>
<img src="http://ADDR/image"><iframe src="http://OUT/iframe"></iframe><iframe src="/meta"></iframe>
<iframe name=target></iframe><form id=form target=target method=post action="http://ADDR/form"></form>
<iframe name=saved></iframe><a id=download href="http://OUT/download" download target=saved>d</a>
<script>
const gone = e => new Promise(r => { e.onload = e.onerror = e.onclose = () => r() }), soon = ms => new Promise(r => setTimeout(r, ms))
const ways = [
	fetch("http://OUT/fetch", {mode: "no-cors"}), fetch("http://ADDR/keepalive", {mode: "no-cors", keepalive: true}),
	fetch("/redirect", {mode: "no-cors"}), gone(new WebSocket("ws://ADDR/websocket")), gone(new EventSource("http://OUT/eventsource")),
	new Promise(r => { new Worker("/worker.js").onmessage = r }), new Promise(r => { new SharedWorker("/worker.js").port.onmessage = r }),
	navigator.serviceWorker.register("/service.js"), import("http://ADDR/import"), new FontFace("x", "url(http://OUT/font)").load(),
	new WebTransport("https://ADDR/webtransport").ready,
	...["stun:127.0.0.1:ICE", "turn:127.0.0.1:ICE?transport=tcp"].map(async urls => {
		const p = new RTCPeerConnection({iceServers: [{urls, username: "a", credential: "b"}]})
		p.createDataChannel("x")
		const all = new Promise(r => { p.onicegatheringstatechange = () => p.iceGatheringState == "complete" && r() })
		await p.setLocalDescription(await p.createOffer())
		await all
	}),
]
navigator.sendBeacon("http://OUT/beacon", "x")
open("http://ADDR/popup")
form.submit()
download.click()
Promise.race([Promise.allSettled(ways), soon(4000)]).then(() => soon(500)).then(() => { window.tried = true })
</script>`

// inside serves the page and its parts, and returns host and port.
func inside(t *testing.T, o *outside) string {
	t.Helper()
	fill := strings.NewReplacer("OUT", fmt.Sprintf("localhost:%d", o.port), "ADDR", fmt.Sprintf("127.0.0.1:%d", o.port), "ICE", fmt.Sprint(o.ice))
	worker := `const s = () => (self.onconnect = e => e.ports[0].postMessage(1)); s(); fetch("http://OUT/NAME", {mode: "no-cors"}).catch(() => {}).then(() => self.postMessage && self.postMessage(1))`
	pages := map[string][2]string{
		"/": {"text/html", leaks}, "/meta": {"text/html", `<meta http-equiv=refresh content="0;url=http://OUT/meta">`},
		"/worker.js":  {"text/javascript", strings.ReplaceAll(worker, "NAME", "worker")},
		"/service.js": {"text/javascript", `oninstall = e => e.waitUntil(fetch("http://OUT/serviceworker", {mode: "no-cors"}).catch(() => {}))`},
		"/small":      {"text/html", `<title>small</title><a id=plain href="http://OUT/link">p</a><a id=tls href="https://OUT/link">t</a><a id=hop href="/redirect">h</a>`},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/redirect" {
			http.Redirect(w, r, fill.Replace("http://OUT/redirect"), http.StatusFound)
			return
		}
		page := pages[r.URL.Path]
		w.Header().Set("Content-Type", page[0])
		_, _ = w.Write([]byte(fill.Replace(page[1])))
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// TestAllowedDomains: the requests of a page that tries every way out do not arrive. The same page in a session without
// a list shows that they would.
func TestAllowedDomains(t *testing.T) {
	o := newOutside(t)
	host := inside(t, o)
	c := connect(t)
	c.must(t, "--session free open http://"+host+"/ --timeout 20s")
	ways := []string{"QUIC", "STUN", "ICE over TCP", "TCP", "beacon", "download", "eventsource", "fetch", "font", "form", "iframe", "image", "import", "keepalive", "meta",
		"popup", "prefetch", "preload", "redirect", "serviceworker", "speculation", "stylesheet", "websocket", "worker"}
	missing := ways
	for until := time.Now().Add(cdptest.Timeout); len(missing) > 0 && time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		seen := o.list()
		missing = slices.DeleteFunc(slices.Clone(ways), func(w string) bool { return slices.Contains(seen, w) })
	}
	if len(missing) > 0 {
		t.Fatalf("without a list, the page does not reach the server by %v", missing)
	}
	c.must(t, "--session free close")
	o.reset()

	c.must(t, "--allowed-domains "+host+" open http://"+host+"/ --timeout 20s")
	c.must(t, "tab t1")
	c.must(t, "wait --fn window.tried --timeout 20s")
	requests := fmt.Sprint(c.must(t, "network requests").Text)
	for _, path := range []string{"image", "fetch", "iframe", "websocket", "popup", "redirect", "form"} {
		if !strings.Contains(requests, "/"+path+" ") {
			t.Errorf("the page did not try %s: %s", path, requests)
		}
	}
	if n := strings.Count(requests, "blocked (allowed-domains)"); n < 12 {
		t.Errorf("%d requests are reported as blocked: %s", n, requests)
	}
	if seen := o.list(); len(seen) > 0 {
		t.Errorf("with a list, the server outside sees %v", seen)
	}
}

// TestRefusedDomains: commands that would leave the allowed domains fail and name the host.
func TestRefusedDomains(t *testing.T) {
	const notAllowed = "Domain 'localhost' is not in the allowed domains list"
	o := newOutside(t)
	host := inside(t, o)
	c := connect(t)
	refused := func(line, name string) {
		t.Helper()
		_, err := c.run(t.Context(), line)
		if api.CodeOf(err) != api.DomainNotAllowed || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", line, err)
		}
	}
	out := fmt.Sprintf("localhost:%d", o.port)
	refused("--allowed-domains "+host+" open http://"+out+"/", "'localhost'")
	c.must(t, "--allowed-domains "+host+" open http://"+host+"/small")
	for _, line := range []string{"open http://" + out + "/", "open https://" + out + "/", "tab new http://" + out + "/", "open http://" + host + "/redirect"} {
		refused(line, "'localhost'") // without the flag, the session keeps its list
	}
	refused(fmt.Sprintf("open http://127.0.0.1:%d/", o.port), fmt.Sprintf("'127.0.0.1:%d'", o.port))
	refused("open file:///etc/hosts", "file: addresses")
	for _, link := range []string{"#plain", "#tls", "#hop"} {
		c.must(t, "open http://"+host+"/small")
		said := c.must(t, "click "+link).Warning // the refusal is told once, with the result that it comes before
		for deadline := time.Now().Add(cdptest.Timeout); !strings.Contains(said, notAllowed) && time.Now().Before(deadline); {
			said += c.must(t, "wait 100").Warning
		}
		if !strings.Contains(said, notAllowed) {
			t.Errorf("click %s: the warnings are %q", link, said)
		}
	}
	if _, err := c.run(t.Context(), `cdp Target.createBrowserContext {"proxyServer":"direct://"} --browser-target`); api.CodeOf(err) != api.MethodRefused {
		t.Errorf("a browser context without the proxy: %v", err)
	}
	if _, err := c.run(t.Context(), "web extract http://"+out+"/extract"); err == nil || !strings.Contains(err.Error(), "not in the allowed domains list") {
		t.Errorf("web extract: %v", err)
	}
	if seen := o.list(); len(seen) > 0 {
		t.Errorf("the server outside sees %v", seen)
	}

	// A page that was refused has no login form, and no address of its own to change.
	c.must(t, "open http://"+host+"/small")
	c.stdin = "s3cret\n"
	c.must(t, "auth save out --url http://"+out+"/redirect --username ada --password-stdin")
	c.must(t, "auth save inside --url http://"+host+"/redirect --username ada --password-stdin")
	refused("auth login out", "'localhost'")
	refused("auth login inside", "'localhost'")
	refused("pushstate /x", "'localhost'")

	// The list can be changed while the browser runs.
	c.must(t, "--allowed-domains "+host+",localhost open http://"+out+"/now")
	c.must(t, "open http://"+host+"/small")
	c.must(t, "--allowed-domains "+host+" get url")
	refused("open http://"+out+"/", "'localhost'")
	if !slices.Contains(o.list(), "now") {
		t.Errorf("after the list was changed, the server sees %v", o.list())
	}

	// What cannot be restricted is refused.
	c.must(t, "--session open open about:blank")
	if _, err := c.run(t.Context(), "--session open --allowed-domains x.org get url"); api.CodeOf(err) != api.LaunchConflict {
		t.Errorf("a list for a browser without the proxy: %v", err)
	}
	for _, flags := range []string{"--cdp 9222", "--auto-connect", "--cdp-port 0", "--args --proxy-server=direct://", "--args --load-extension=/x", "--proxy http://u:p@127.0.0.1:1"} {
		if _, err := c.run(t.Context(), "--session other --allowed-domains x.org "+flags+" open http://x.org/"); api.CodeOf(err) != api.InvalidArgument {
			t.Errorf("%s: %v", flags, err)
		}
	}
	if _, err := c.run(t.Context(), "--allowed-domains https://x.org/ get url"); err == nil || !strings.Contains(err.Error(), "write its host, x.org") {
		t.Errorf("an address as a domain: %v", err)
	}
}
