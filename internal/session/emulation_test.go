package session_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
)

// sees compares the value of an expression in the page.
func (c *client) sees(t *testing.T, script, want string) {
	t.Helper()
	if got := strings.Trim(fmt.Sprint(fields(t, c.must(t, "eval "+script))["result"]), `"`); got != want {
		t.Errorf("%s is %s, want %s", script, got, want)
	}
}

// TestSetHolds: what a set command changed holds for the page, for later tabs, for pop-ups, and against the environment
// until that changes.
func TestSetHolds(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.env["USHER_COLOR_SCHEME"] = "light"
	const script = `[innerWidth,matchMedia("(prefers-color-scheme:dark)").matches,matchMedia("print").matches,Intl.DateTimeFormat().resolvedOptions().timeZone,navigator.language,(0.5).toLocaleString()].join("|")`
	c.must(t, "set viewport 640 480") // starts the browser
	c.must(t, "open "+site.URL("/small"))
	for _, line := range []string{"set media dark print", "set timezone asia/tokyo", "set locale de-DE"} {
		c.must(t, line)
	}
	const want = "640|true|true|Asia/Tokyo|de-DE|0,5"
	c.sees(t, script, want)
	c.must(t, "tab new "+site.URL("/small"))
	c.sees(t, script, want)
	c.must(t, "eval window.open('/small'),1")
	c.must(t, "tab t3")
	c.sees(t, script, want)
	// The pop-up is in the process of its opener, whose end resets time zone and locale in Chromium.
	c.must(t, "tab close t2")
	c.must(t, "tab t3")
	c.sees(t, script, want)

	c.env["USHER_COLOR_SCHEME"] = "dark"
	c.env["USHER_TIMEZONE"] = "Europe/Paris"
	c.sees(t, script, "640|true|true|Europe/Paris|de-DE|0,5")
	c.must(t, "set media light screen")
	c.must(t, "set timezone default")
	c.must(t, "set locale default")
	c.sees(t, script, "640|false|false|UTC|en-US|0.5")
}

// TestSetDevice: a device has its size, touch screen and User-Agent with the browser's version, the client hints agree,
// also in a worker, and default ends it.
func TestSetDevice(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	before := fmt.Sprint(fields(t, c.must(t, "eval navigator.userAgent"))["result"])
	got := fields(t, c.must(t, "set device pixel 7"))
	if got["device"] != "Pixel 7" || got["width"] != 412.0 || got["height"] != 839.0 || got["deviceScaleFactor"] != 2.625 || got["mobile"] != true || got["touch"] != true {
		t.Errorf("%v", got)
	}
	agent := fmt.Sprint(got["userAgent"])
	_, version, _ := strings.Cut(agent, "Chrome/")
	version, _, _ = strings.Cut(version, " ")
	if !strings.Contains(agent, "Pixel 7") || version == "" || !strings.Contains(before, "Chrome/"+version+" ") {
		t.Errorf("the User-Agent is %s, the browser's own %s", agent, before)
	}
	const hints = `(async()=>{const d=navigator.userAgentData;return [d.mobile,d.platform,(await d.getHighEntropyValues(["model"])).model,d.brands.some(b=>b.version=="` + "%s" + `"),navigator.platform].join()})()`
	major, _, _ := strings.Cut(version, ".")
	c.sees(t, fmt.Sprintf(hints, major), "true,Android,Pixel 7,true,Linux armv81")
	const inWorker = `new Promise(done=>{const w=new Worker(URL.createObjectURL(new Blob(["postMessage(navigator.userAgent)"])));w.onmessage=e=>done(e.data)})`
	c.sees(t, inWorker, agent)
	c.sees(t, "'ontouchstart' in window", "false") // of the document from before
	c.must(t, "reload")
	c.sees(t, "'ontouchstart' in window", "true")
	c.sees(t, "[screen.width,screen.height,matchMedia('(pointer:coarse)').matches,innerWidth>970].join()", "412,915,true,true")

	c.must(t, "set viewport 600x500")
	c.sees(t, "Math.round(visualViewport.width*visualViewport.scale)", "600")
	c.must(t, "set viewport 500 400")
	c.sees(t, "[Math.round(visualViewport.width*visualViewport.scale),navigator.maxTouchPoints>0].join()", "500,true")
	c.must(t, "set device default")
	c.sees(t, "[innerWidth>1000,navigator.maxTouchPoints,navigator.userAgent].join()", "true,0,"+before)
}

// TestSetReachesFrames: frames in other processes have the device, too.
func TestSetReachesFrames(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	c.must(t, "eval new Promise(r=>{const f=document.body.appendChild(document.createElement('iframe'));f.name='other';f.onload=()=>r(1);f.src='"+site.Cross("/small")+"'})")
	for _, line := range []string{"set timezone Asia/Tokyo", "set locale de-DE", "set useragent Test/1", "set media dark"} {
		c.must(t, line)
	}
	const script = ` [Intl.DateTimeFormat().resolvedOptions().timeZone,navigator.language,navigator.userAgent,matchMedia("(prefers-color-scheme:dark)").matches].join()`
	c.sees(t, "--frame other"+script, "Asia/Tokyo,de-DE,Test/1,true")
	c.sees(t, script, "Asia/Tokyo,de-DE,Test/1,true")
}

// TestSetGeolocation: the page reads the position, and may, unless the permissions say otherwise.
func TestSetGeolocation(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small")+" --permissions camera=allow")
	if got := fields(t, c.must(t, "set geo 52.5 -13.25 7")); got["permission"] != "granted" || got["latitude"] != 52.5 || got["longitude"] != -13.25 {
		t.Errorf("%v", got)
	}
	const where = `new Promise(done=>navigator.geolocation.getCurrentPosition(p=>done([p.coords.latitude,p.coords.longitude,p.coords.accuracy].join()),e=>done(e.code)))`
	c.sees(t, where, "52.5,-13.25,7")
	c.sees(t, `navigator.permissions.query({name:"camera"}).then(p=>p.state)`, "granted")
	c.must(t, "set permissions geolocation=deny")
	c.sees(t, where, "1")
	if res := c.must(t, "set geo 1 2"); !strings.Contains(res.Warning, "denies") {
		t.Errorf("the warning is %q", res.Warning)
	}
}

// TestSetHeaders: extra headers go to every origin, and beside those of one; {} removes them. The login
// is the password's, whatever it ends in.
func TestSetHeaders(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]string{} // guarded by mu
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.Host+r.URL.Path] = r.Header.Get("X-Team") + "," + r.Header.Get("X-One") + "," + r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/ask" && r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	c := connect(t)
	c.must(t, `set headers {"X-Team":"qa"}`)
	c.must(t, `set credentials ada s@https://x:y`)
	open := func(host, path, want string, flags string) {
		t.Helper()
		c.must(t, "open http://"+host+":"+port+path+" "+flags)
		mu.Lock()
		defer mu.Unlock()
		if got := seen[host+":"+port+path]; got != want {
			t.Errorf("%s%s was sent %q, want %q", host, path, got, want)
		}
	}
	open("127.0.0.1", "/a", "qa,1,", `--headers {"X-One":"1"}`)
	open("localhost", "/b", "qa,,", "")
	open("localhost", "/ask", "qa,,Basic YWRhOnNAaHR0cHM6Ly94Onk=", "")
	c.must(t, "set headers {}")
	open("127.0.0.1", "/c", ",1,", "")
}

// TestSetRefuses: bad values are refused before anything is changed.
func TestSetRefuses(t *testing.T) {
	for line, word := range map[string]string{
		"set device iPhoen":                   "iPhone",
		"set timezone Europe/Berln":           "Europe/Berlin",
		"set locale deutschland":              "language tag",
		"set viewport 0 10":                   "viewport",
		"set viewport 100":                    "height",
		"set geo 91 0":                        "latitude",
		"set geo 1":                           "longitude",
		"set media sepia":                     "sepia",
		"set headers []":                      "JSON",
		"set permissions juggling=allow":      "juggling",
		"set credentials a:b c":               "colon",
		"set viewport 10 10 --viewport 20x20": "different values",
	} {
		_, err := program.Table().Parse(strings.Fields(line), verb.Usher)
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v, want a word about %s", line, err, word)
		}
	}
}

// crash kills the session's browser, and returns when commands say so.
func (c *client) crash(t *testing.T) {
	t.Helper()
	info := fields(t, c.must(t, "session info"))
	browser, err := os.FindProcess(int(info["browser"].(map[string]any)["pid"].(float64)))
	if err != nil || browser.Kill() != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; {
		_, err := c.run(t.Context(), "get url")
		if api.CodeOf(err) == api.BrowserCrashed || api.CodeOf(err) == api.ConfirmationRequired { // of another launch
			break
		}
		if time.Since(began) > cdptest.Timeout {
			t.Fatal("the end of the browser was not noticed")
		}
	}
}

// TestOptionsSurviveACrash: after the browser crashed the session has the options that commands gave it.
func TestOptionsSurviveACrash(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	c.must(t, "set device iPhone 15")
	c.crash(t)
	c.must(t, "open "+site.URL("/small"))
	c.sees(t, "[devicePixelRatio,navigator.userAgent.includes('iPhone')].join()", "3,true")
}

// TestPushState: the address changes within the document, routers hear of it, and another origin is refused.
func TestPushState(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	c.must(t, "eval addEventListener('popstate',()=>window.heard=location.search),0")
	if got := fields(t, c.must(t, "pushstate ?tab=2"))["url"]; got != site.URL("/small?tab=2") {
		t.Errorf("the address is %v", got)
	}
	c.sees(t, "heard", "?tab=2")
	if _, err := c.run(t.Context(), "pushstate "+site.Cross("/small")); err == nil || !strings.Contains(err.Error(), "another origin") {
		t.Errorf("another origin: %v", err)
	}
	c.sees(t, "[location.href,heard].join()", site.URL("/small?tab=2")+",?tab=2")
}

// TestSetOffline: requests fail and navigator.onLine is false, also in a later tab, until off.
func TestSetOffline(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	const script = "fetch('/echo').then(()=>'yes',()=>'no').then(x=>x+navigator.onLine)"
	if got := fields(t, c.must(t, "set offline"))["offline"]; got != true {
		t.Errorf("offline: %v", got)
	}
	c.sees(t, script, "nofalse")
	c.must(t, "tab new")
	if _, err := c.run(t.Context(), "open "+site.URL("/small")); err == nil || !strings.Contains(err.Error(), "ERR_INTERNET_DISCONNECTED") {
		t.Errorf("a later tab: %v", err)
	}
	c.must(t, "tab t1")
	if got := fields(t, c.must(t, "set offline off"))["offline"]; got != false {
		t.Errorf("online: %v", got)
	}
	c.sees(t, script, "yestrue")
}

// TestSetOfflineDuringLogin: a tab that waits for HTTP authentication does not delay the network conditions, and has them
// when that is answered.
func TestSetOfflineDuringLogin(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	if _, err := c.run(t.Context(), "open "+site.URL("/login")); api.CodeOf(err) != api.InterruptionOpen {
		t.Fatal(err)
	}
	res := c.must(t, "set offline --timeout 5s")
	if fields(t, res)["offline"] != true || !strings.Contains(res.Warning, "when i-1 is answered: the server requests HTTP authentication") {
		t.Errorf("%+v %q", res.Data, res.Warning)
	}
	if got := c.must(t, "network throttle").Text; got != "Network: offline" {
		t.Errorf("the conditions are %s", got)
	}
	c.must(t, "tab new")
	c.must(t, "network throttle slow-3g --timeout 5s")
	c.must(t, "set offline --timeout 5s")
	c.must(t, "tab t1")
	c.must(t, "interrupt answer i-1 dismiss")
	c.sees(t, "navigator.onLine", "false")
}
