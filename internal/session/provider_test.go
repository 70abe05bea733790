package session_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// rentedKey is the key of the tests. The words that it contains are in no message.
const rentedKey = "bb-5f2a9c"

// rental is a service under test: its API as far as its documentation describes what usher uses.
type rental struct {
	vars func(api string) map[string]string
	// opens and stops are what the API gets; %s in them is the address of the browser, for the answer.
	opens, stops, answer string
	authorized           func(r *http.Request, body string) bool
	// connects reports whether a request to the browser's address has what it needs.
	connects func(r *http.Request) bool
	id       string
}

var rentals = map[string]rental{
	"browserbase": {
		vars: func(api string) map[string]string {
			return map[string]string{"BROWSERBASE_API_KEY": rentedKey, "BROWSERBASE_PROJECT_ID": "p1", "BROWSERBASE_BASE_URL": api, "BROWSERBASE_ADVANCED_STEALTH": "1"}
		},
		opens:      `POST /v1/sessions {"browserSettings":{"advancedStealth":true},"projectId":"p1"}`,
		answer:     `{"id":"s-1","projectId":"p1","connectUrl":"%s?signingKey=` + rentedKey + `","status":"RUNNING"}`,
		stops:      `POST /v1/sessions/s-1 {"projectId":"p1","status":"REQUEST_RELEASE"}`,
		authorized: func(r *http.Request, _ string) bool { return r.Header.Get("X-BB-API-Key") == rentedKey },
		connects:   func(r *http.Request) bool { return r.URL.Query().Get("signingKey") == rentedKey },
		id:         "s-1",
	},
	"browserless": {
		vars: func(api string) map[string]string {
			return map[string]string{"BROWSERLESS_API_KEY": rentedKey, "BROWSERLESS_API_URL": api, "BROWSERLESS_TTL": "60000", "BROWSERLESS_STEALTH": "false"}
		},
		opens:      `POST /session {"browser":"chromium","stealth":false,"ttl":60000}`,
		answer:     `{"id":"s-2","connect":"%s?token=` + rentedKey + `","stop":"%a/e/x/session/s-2?token=` + rentedKey + `"}`,
		stops:      `DELETE /e/x/session/s-2 `,
		authorized: func(r *http.Request, _ string) bool { return r.URL.Query().Get("token") == rentedKey },
		connects:   func(r *http.Request) bool { return r.URL.Query().Get("token") == rentedKey },
		id:         "s-2",
	},
	"browseruse": {
		vars: func(api string) map[string]string {
			return map[string]string{"BROWSER_USE_API_KEY": rentedKey, "BROWSER_USE_API_URL": api, "BROWSER_USE_PROXY_COUNTRY": "none", "BROWSER_USE_ENABLE_RECORDING": "1"}
		},
		opens:      `POST /browsers {"enableRecording":true,"proxyCountryCode":null}`,
		answer:     `{"id":"s-3","status":"active","cdpUrl":"%h"}`, // of HTTP
		stops:      `PATCH /browsers/s-3 {"action":"stop"}`,
		authorized: func(r *http.Request, _ string) bool { return r.Header.Get("X-Browser-Use-API-Key") == rentedKey },
		connects:   func(*http.Request) bool { return true },
		id:         "s-3",
	},
	"kernel": {
		vars: func(api string) map[string]string {
			return map[string]string{"KERNEL_API_KEY": rentedKey, "KERNEL_ENDPOINT": api, "KERNEL_PROFILE_NAME": "work", "KERNEL_STEALTH": "true"}
		},
		opens:      `POST /browsers {"headless":true,"profile":{"name":"work","save_changes":true},"stealth":true,"timeout_seconds":300}`,
		answer:     `{"session_id":"s-4","cdp_ws_url":"%s?jwt=` + rentedKey + `"}`,
		stops:      `DELETE /browsers/s-4 `,
		authorized: func(r *http.Request, _ string) bool { return r.Header.Get("Authorization") == "Bearer "+rentedKey },
		connects:   func(r *http.Request) bool { return r.URL.Query().Get("jwt") == rentedKey },
		id:         "s-4",
	},
	"agentcore": {
		vars: func(api string) map[string]string {
			return map[string]string{
				"AWS_ACCESS_KEY_ID": "AKIDTEST", "AWS_SECRET_ACCESS_KEY": rentedKey, "AWS_SESSION_TOKEN": "st-" + rentedKey,
				"AGENTCORE_REGION": "eu-central-1", "AGENTCORE_PROFILE_ID": "p1", "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE": api,
			}
		},
		opens:      `PUT /browsers/aws.browser.v1/sessions/start {"name":"usher","profileConfiguration":{"profileIdentifier":"p1"},"sessionTimeoutSeconds":3600}`,
		answer:     `{"browserIdentifier":"aws.browser.v1","sessionId":"s-5","streams":{"automationStream":{"streamEndpoint":"%s","streamStatus":"ENABLED"}}}`,
		stops:      `PUT /browsers/aws.browser.v1/sessions/stop?sessionId=s-5 {}`,
		authorized: signedByAWS,
		connects:   func(r *http.Request) bool { return signedByAWS(r, "") },
		id:         "s-5",
	},
}

// signedByAWS checks a signature from the point of view of the server.
func signedByAWS(r *http.Request, body string) bool {
	var scope, names, signature string
	_, err := fmt.Sscanf(strings.ReplaceAll(r.Header.Get("Authorization"), ",", ""), "AWS4-HMAC-SHA256 Credential=AKIDTEST/%s SignedHeaders=%s Signature=%s", &scope, &names, &signature)
	if err != nil || !strings.HasSuffix(scope, "/eu-central-1/bedrock-agentcore/aws4_request") || !strings.Contains(names, "host") || !strings.Contains(names, "x-amz-security-token") {
		return false
	}
	headers := ""
	for name := range strings.SplitSeq(names, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		headers += name + ":" + value + "\n"
	}
	hash := sha256.Sum256([]byte(body))
	canonical := sha256.Sum256([]byte(r.Method + "\n" + r.URL.Path + "\n" + r.URL.RawQuery + "\n" + headers + "\n" + names + "\n" + hex.EncodeToString(hash[:])))
	key := []byte("AWS4" + rentedKey)
	for word := range strings.SplitSeq(scope, "/") {
		key = hmacOf(key, word)
	}
	key = hmacOf(key, "AWS4-HMAC-SHA256\n"+r.Header.Get("X-Amz-Date")+"\n"+scope+"\n"+hex.EncodeToString(canonical[:]))
	return hex.EncodeToString(key) == signature
}

func hmacOf(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// service is a server that speaks the API of a provider, and hands out the address of a real browser.
type service struct {
	url  string
	gate *cdptest.Gateway

	mu    sync.Mutex
	asked []string // guarded by mu
}

func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

// count returns how many requests begin so.
func (s *service) count(prefix string) int {
	n := 0
	for _, r := range s.requests() {
		if strings.HasPrefix(r, prefix) {
			n++
		}
	}
	return n
}

func serveRental(t *testing.T, r rental, chromium *cdptest.Browser) *service {
	t.Helper()
	s := &service{gate: cdptest.NewGateway(t, chromium, func(req *http.Request) int {
		if !r.connects(req) {
			return http.StatusUnauthorized
		}
		return 0
	})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, err := io.ReadAll(req.Body)
		if err != nil || !r.authorized(req, string(raw)) {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		query := req.URL.Query()
		query.Del("token")
		query.Del("force")
		line := req.Method + " " + req.URL.Path
		if len(query) > 0 {
			line += "?" + query.Encode()
		}
		s.mu.Lock()
		s.asked = append(s.asked, line+" "+string(raw))
		s.mu.Unlock()
		fmt.Fprint(w, strings.NewReplacer("%s", s.gate.WebSocket, "%h", s.gate.URL, "%a", s.url).Replace(r.answer))
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// TestProviders: with each provider a session is created, driven, listed and stopped, and its key is shown nowhere.
func TestProviders(t *testing.T) {
	site := cdptest.NewSite(t)
	for name, r := range rentals {
		t.Run(name, func(t *testing.T) {
			s := serveRental(t, r, cdptest.Launch(t))
			c := connect(t)
			delete(c.env, "USHER_ARGS")
			for k, v := range r.vars(s.url) {
				c.env[k] = v
			}
			var said []string
			run := func(line string) string {
				res := c.must(t, line)
				data, err := json.Marshal(res.Data)
				if err != nil {
					t.Fatal(err)
				}
				said = append(said, res.Text, res.Warning, string(data))
				return res.Text
			}
			if _, err := c.run(t.Context(), "get url --provider "+name); api.CodeOf(err) != api.BrowserNotRunning {
				t.Errorf("get url before open: %v", err)
			}
			run("open " + site.URL("/forms") + " -p " + name)
			if got := run("eval document.title"); got == `""` || got == "" {
				t.Errorf("the title is %s", got)
			}
			run("tab new " + site.URL("/small"))
			if info := run("session info"); !strings.Contains(info, "rented at "+name+", session "+r.id) {
				t.Errorf("session info: %s", info)
			}
			if list := run("session list"); !strings.Contains(list, "default ("+name+" "+r.id+")") {
				t.Errorf("session list: %s", list)
			}
			endpoint := run("get cdp-url")
			if !strings.HasPrefix(endpoint, "ws://127.0.0.1:") {
				t.Errorf("get cdp-url: %s", endpoint)
			}
			_, missing := c.run(t.Context(), "upload #file /etc/hostname")
			said = append(said, endpoint, fmt.Sprint(missing))
			if text := run("close"); text != "✓ Browser closed" {
				t.Errorf("close: %s", text)
			}
			if got, want := strings.Join(s.requests(), "\n"), r.opens+"\n"+r.stops; got != want {
				t.Errorf("the requests were\n%s\nwant\n%s", got, want)
			}
			if all := strings.Join(said, "\n"); strings.Contains(all, "5f2a9c") {
				t.Errorf("the key is in\n%s", all)
			}
		})
	}
}

// TestRentedBrowserIsLost: the loss is reported, the session at the provider is stopped, and another is started only by open.
func TestRentedBrowserIsLost(t *testing.T) {
	chromium, r := cdptest.Launch(t), rentals["kernel"]
	s := serveRental(t, r, chromium)
	c := connect(t)
	c.env["USHER_PROVIDER"], c.env["USHER_AUTO_RECOVER"] = "kernel", "true"
	for k, v := range r.vars(s.url) {
		c.env[k] = v
	}
	if res := c.must(t, "open about:blank"); !strings.Contains(res.Warning, "USHER_ARGS") {
		t.Errorf("the warning is %q", res.Warning)
	}
	s.gate.Accept(func(*http.Request) int { return http.StatusGone })
	chromium.Close()
	var lost *api.Error
	eventually(t, "the browser is known to be gone", func() bool {
		_, err := c.run(t.Context(), "get url --timeout 1s")
		lost = api.AsError(err)
		return lost != nil && lost.Code == api.BrowserCrashed
	})
	if !strings.Contains(lost.Message, "session s-4 at kernel has ended: its address answers HTTP 410") || !strings.Contains(lost.Hint, "starts another session at kernel, which costs money") {
		t.Errorf("%s (%s)", lost.Message, lost.Hint)
	}
	eventually(t, "the session is stopped", func() bool { return s.count("DELETE /browsers/s-4") == 1 })
	if n := s.count("POST /browsers"); n != 1 {
		t.Errorf("%d sessions were created", n)
	}
	other := cdptest.Launch(t)
	s.gate.WebSocket = other.WebSocketURL
	c.must(t, "open about:blank")
	if n := s.count("POST /browsers"); n != 2 {
		t.Errorf("%d sessions were created, want another", n)
	}
}

// TestRentedBrowserRefuses: the session of a browser that cannot be reached is stopped.
func TestRentedBrowserRefuses(t *testing.T) {
	for name, r := range rentals {
		s := serveRental(t, r, cdptest.Launch(t))
		s.gate.Accept(func(*http.Request) int { return http.StatusForbidden })
		c := connect(t)
		for k, v := range r.vars(s.url) {
			c.env[k] = v
		}
		_, err := c.run(t.Context(), "open about:blank --provider "+name)
		e := api.AsError(err)
		if e == nil || e.Code != api.ProviderFailed || !strings.Contains(e.Message, "403") || !strings.Contains(e.Message, r.id) || strings.Contains(e.Sentence(), "5f2a9c") {
			t.Errorf("%s: %v", name, err)
		}
		if got, want := strings.Join(s.requests(), "\n"), r.opens+"\n"+r.stops; got != want {
			t.Errorf("%s: the requests were\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestCloseRepeatsAStop: close fails if the provider does not stop the session, and the next close stops it.
func TestCloseRepeatsAStop(t *testing.T) {
	r := rentals["browserbase"]
	works := r.authorized
	var broken atomic.Bool
	r.authorized = func(q *http.Request, body string) bool { return !broken.Load() && works(q, body) }
	s := serveRental(t, r, cdptest.Launch(t))
	c := connect(t)
	for k, v := range r.vars(s.url) {
		c.env[k] = v
	}
	c.must(t, "open about:blank --provider browserbase")
	broken.Store(true)
	for _, line := range []string{"close", "close", "close --all"} {
		_, err := c.run(t.Context(), line)
		if e := api.AsError(err); e == nil || e.Code != api.ProviderFailed || !strings.Contains(e.Message, "stop Browserbase session s-1") || !strings.Contains(e.Hint, "repeat `close`") {
			t.Errorf("%s: %v", line, err)
		}
	}
	if res := c.must(t, "close --session other"); !strings.Contains(res.Warning, "stop Browserbase session s-1") {
		t.Errorf("of another session: %q", res.Warning)
	}
	broken.Store(false)
	if res := c.must(t, "close"); !strings.Contains(res.Warning, "s-1") || s.count("POST /v1/sessions/s-1") != 1 {
		t.Errorf("%q, %q; the requests were %q", res.Text, res.Warning, s.requests())
	}
	if res := c.must(t, "close"); res.Warning != "" || s.count("POST /v1/sessions/s-1") != 1 {
		t.Errorf("%q, %q; the requests were %q", res.Text, res.Warning, s.requests())
	}
}

// TestSourcesOfBrowsers: what cannot be had, or not together, is refused before anything starts.
func TestSourcesOfBrowsers(t *testing.T) {
	c := connect(t)
	c.env["KERNEL_API_KEY"], c.env["KERNEL_ENDPOINT"] = rentedKey, "http://127.0.0.1:1"
	for line, want := range map[string]struct {
		code api.Code
		text string
	}{
		"open about:blank --provider ios":                                           {api.Unsupported, "Xcode and Appium"},
		"swipe up --provider ios":                                                   {api.Unsupported, "Xcode and Appium"},
		"open about:blank --provider safari":                                        {api.Unsupported, "safaridriver"},
		"open about:blank --engine obscura":                                         {api.Unsupported, "not supported"},
		"open about:blank --provider kernel --cdp 9222":                             {api.InvalidArgument, "cannot be used together"},
		"open about:blank --provider kernel --engine lightpanda":                    {api.InvalidArgument, "cannot be used together"},
		"open about:blank --provider kernel --args --mute-audio":                    {api.InvalidArgument, "--args"},
		"open about:blank --provider kernel --proxy http://p:1":                     {api.InvalidArgument, "--proxy"},
		"open about:blank --provider kernel --profile /tmp/p":                       {api.InvalidArgument, "--profile"},
		"open about:blank --provider kernel --cdp-port 0":                           {api.InvalidArgument, "--cdp-port"},
		"--session listed open about:blank --provider kernel --allowed-domains a.b": {api.InvalidArgument, "--allowed-domains"},
		"open about:blank --provider kernel":                                        {api.ProviderFailed, "refused"},
	} {
		_, err := c.run(t.Context(), line)
		if api.CodeOf(err) != want.code || !strings.Contains(fmt.Sprint(err), want.text) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if _, err := c.run(t.Context(), "open about:blank --engine lightpanda"); api.CodeOf(err) != api.BrowserNotFound || !strings.Contains(err.Error(), `"lightpanda"`) {
		t.Errorf("the program of Chromium in the environment: %v", err)
	}
	c.env["USHER_PROVIDER"] = "kernel"
	chromium := cdptest.Launch(t)
	c.must(t, fmt.Sprintf("open about:blank --cdp %d", chromium.Port))
	if _, err := c.run(t.Context(), "open about:blank --provider nonsense"); api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), "Unknown provider 'nonsense'. Supported: agentcore") {
		t.Errorf("an unknown provider, while the session has a browser: %v", err)
	}
	if _, err := c.run(t.Context(), "connect 1"); api.CodeOf(err) != api.LaunchConflict || !strings.HasPrefix(err.Error(), "connect 1 needs another browser") {
		t.Errorf("connect, while the session has a browser: %v", err)
	}
	c.must(t, "close")
	c.must(t, "open about:blank --provider local")
}

// TestRentedBrowserThatDoesNotAct: the session of a browser that accepts the connection and ends it is stopped, and the
// error names it.
func TestRentedBrowserThatDoesNotAct(t *testing.T) {
	r := rentals["kernel"]
	s := serveRental(t, r, cdptest.Launch(t))
	deaf := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if conn, err := websocket.Accept(w, q, nil); err == nil {
			_, _, _ = conn.Read(q.Context())
			_ = conn.CloseNow()
		}
	}))
	defer deaf.Close()
	s.gate.WebSocket = "ws" + strings.TrimPrefix(deaf.URL, "http") + "/x"
	c := connect(t)
	for k, v := range r.vars(s.url) {
		c.env[k] = v
	}
	_, err := c.run(t.Context(), "open about:blank --provider kernel")
	if e := api.AsError(err); e == nil || e.Code != api.ProviderFailed || e.Data["remoteSession"] != "s-4" || !strings.Contains(e.Hint, "was stopped") || strings.Contains(e.Sentence(), "5f2a9c") {
		t.Errorf("%v", err)
	}
	if n := s.count("DELETE /browsers/s-4"); n != 1 {
		t.Errorf("it was stopped %d times", n)
	}
}
