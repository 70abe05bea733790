package cdptest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func TestMain(m *testing.M) { Run(m, http.DefaultClient.CloseIdleConnections) }

// window is one page of the shared browser, spoken to over its own WebSocket.
type window struct {
	t    *testing.T
	conn *websocket.Conn
	id   int

	thrown jsontext.Value // what a script of the page threw, the last if many
}

// open opens address in a page of its own that closes with the test, and waits for its load event.
func open(t *testing.T, browser *Browser, address string) *window {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, fmt.Sprintf("http://127.0.0.1:%d/json/new?%s", browser.Port, url.QueryEscape(address)), nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var target struct {
		ID  string `json:"id"`
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.UnmarshalRead(reply.Body, &target); err != nil {
		t.Fatal(err)
	}
	conn, _, err := websocket.Dial(t.Context(), target.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	w := &window{t: t, conn: conn}
	t.Cleanup(func() { _ = conn.CloseNow() })
	// Runtime.enable tells what was thrown before, too.
	if _, refused := w.call("Runtime.enable", map[string]any{}); refused != nil {
		t.Fatalf("Runtime.enable: %s", refused)
	}
	w.until(`document.readyState === 'complete' && location.href !== 'about:blank'`)
	return w
}

// eval returns the value of an expression as JSON.
func (w *window) eval(expression string) string {
	w.t.Helper()
	value, refused := w.ask(expression)
	if refused != nil {
		w.t.Fatalf("%s: %s", expression, refused)
	}
	return value
}

// ask is eval for a page that may leave while it is asked, which makes
// Chromium refuse the call: the refusal is given back.
func (w *window) ask(expression string) (value string, refused jsontext.Value) {
	w.t.Helper()
	var evaluated struct {
		Result struct {
			Value jsontext.Value `json:"value"`
		} `json:"result"`
		Thrown jsontext.Value `json:"exceptionDetails"`
	}
	reply, refused := w.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true})
	if refused != nil {
		return "", refused
	}
	if err := json.Unmarshal(reply, &evaluated); err != nil {
		w.t.Fatal(err)
	}
	if evaluated.Thrown != nil {
		w.t.Fatalf("%s threw %s", expression, evaluated.Thrown)
	}
	return string(evaluated.Result.Value), nil
}

// call gives the result of a command, or the error the browser answered with.
func (w *window) call(method string, params map[string]any) (result, refused jsontext.Value) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), Timeout)
	defer cancel()
	w.id++
	call, err := json.Marshal(map[string]any{"id": w.id, "method": method, "params": params})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.conn.Write(ctx, websocket.MessageText, call); err != nil {
		w.t.Fatal(err)
	}
	for {
		_, text, err := w.conn.Read(ctx)
		if err != nil {
			w.t.Fatalf("%s: %v", method, err)
		}
		var message struct {
			ID     int            `json:"id"`
			Method string         `json:"method"`
			Params jsontext.Value `json:"params"`
			Result jsontext.Value `json:"result"`
			Error  jsontext.Value `json:"error"`
		}
		if err := json.Unmarshal(text, &message); err != nil {
			w.t.Fatal(err)
		}
		if message.Method == "Runtime.exceptionThrown" {
			w.thrown = message.Params
		}
		if message.ID == w.id {
			return message.Result, message.Error
		}
	}
}

// until waits for an expression to be true.
func (w *window) until(expression string) {
	w.t.Helper()
	for deadline := time.Now().Add(Timeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if value, _ := w.ask(expression); value == "true" {
			return
		}
	}
	w.t.Fatalf("never true: %s, at %s", expression, w.eval("location.href + ' ' + document.documentElement.outerHTML.slice(0, 500)"))
}

func (w *window) expect(expression, want string) {
	w.t.Helper()
	if got := w.eval(expression); got != want {
		w.t.Errorf("%s is %s, want %s", expression, got, want)
	}
}

// actionable selects what a person could act on in the index page.
const actionable = `a[href], button, input, select, textarea, summary, [role=switch], [role=slider], [role=spinbutton], ` +
	`[role=combobox], div[role=checkbox], [contenteditable], #card, #focusable`

func TestPagesBehaveAsDocumented(t *testing.T) {
	site := NewSite(t)
	browser := Shared(t)

	t.Run("index has 47 elements to act on", func(t *testing.T) {
		open(t, browser, site.URL("/")).expect(fmt.Sprintf("document.querySelectorAll(%q).length", actionable), "47")
	})
	t.Run("as many buttons as asked for", func(t *testing.T) {
		open(t, browser, site.URL("/buttons?n=5000")).expect("document.querySelectorAll('button').length", "5000")
	})
	t.Run("names under localhost reach the site and differ in site", func(t *testing.T) {
		w := open(t, browser, site.Named("a", "/nest?inner="+site.Named("b", "/small")))
		w.until("inner.contentDocument === null") // of another site, so out of reach
		if len(site.Requests("/small")) == 0 {
			t.Error("the frame at b.localhost was never asked for")
		}
	})
	t.Run("frames nest across sites", func(t *testing.T) {
		open(t, browser, site.URL("/frames")).expect("frames.length", "7")
		for _, name := range []string{"name=same", "name=cross&depth=2", "name=depth2&depth=1", "name=depth1&depth=0"} {
			if !asked(site, "/frame", name) {
				t.Errorf("no frame asked for %s", name)
			}
		}
	})
	t.Run("shadow trees, open, closed and declared", func(t *testing.T) {
		w := open(t, browser, site.URL("/shadow"))
		w.expect("document.getElementById('open').shadowRoot.getElementById('in-open').textContent", `"Open button"`)
		w.expect("document.getElementById('closed').shadowRoot", "null")
		w.expect("declared.shadowRoot.getElementById('in-declared').textContent", `"Declared button"`)
	})
	t.Run("a late element comes", func(t *testing.T) {
		open(t, browser, site.URL("/late?ms=100")).until("document.getElementById('added') !== null")
	})
	t.Run("a strict policy lets its script run and stops eval", func(t *testing.T) {
		open(t, browser, site.URL("/csp")).expect("state.textContent", `"script ran"`)
	})
	t.Run("fetches all answer", func(t *testing.T) {
		w := open(t, browser, site.URL("/fetches?n=300&auto"))
		w.until("document.title === 'All answered'")
		w.expect("state.textContent", `"done 300 failed 0"`)
		if n := len(site.Requests("/echo")); n != 300 {
			t.Errorf("%d requests arrived, want 300", n)
		}
	})
	t.Run("the watcher sees an attribute set", func(t *testing.T) {
		w := open(t, browser, site.URL("/mutations"))
		w.until("typeof newNames === 'function'")
		w.expect("touched.filter(line => line.startsWith('attributes')).length", "0")
		w.expect("b.dataset.mark = 1, new Promise(done => setTimeout(() => done(touched.join())))", `"attributes document BUTTON data-mark"`)
	})
	t.Run("redirects end at a page", func(t *testing.T) {
		open(t, browser, site.URL("/redirect?n=4")).expect("location.pathname", `"/small"`)
	})
	t.Run("the restless page loads anew", func(t *testing.T) {
		open(t, browser, site.URL("/restless?ms=50")).until("location.search.includes('load=3')")
	})
}

// TestEveryPageLoads opens each embedded page that loads by itself and looks for script errors in it.
func TestEveryPageLoads(t *testing.T) {
	site := NewSite(t)
	browser := Shared(t)
	files, err := pages.ReadDir("pages")
	if err != nil {
		t.Fatal(err)
	}
	// These never finish loading, or open a dialog while they do: that is what they are for.
	endless := map[string]bool{"slow": true, "blocked": true, "dialog-on-load": true, "restless": true}
	for _, file := range files {
		name, isPage := strings.CutSuffix(file.Name(), ".html")
		if !isPage || endless[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := open(t, browser, site.URL("/"+name))
			w.until("document.title !== '' && document.body?.childElementCount > 0") // some pages go on to another one
			if w.thrown != nil {
				t.Errorf("a script of the page threw: %s", w.thrown)
			}
		})
	}
}

// TestThrownErrorFailsThePage proves that TestEveryPageLoads could fail.
func TestThrownErrorFailsThePage(t *testing.T) {
	w := open(t, Shared(t), NewSite(t).URL("/console?auto"))
	for deadline := time.Now().Add(Timeout); w.thrown == nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the page threw while it loaded and nobody saw it")
		}
		w.eval("1") // what was thrown, in a task of its own, comes before the answer to a call after it
	}
}

func TestResponses(t *testing.T) {
	site := NewSite(t)
	for path, want := range map[string]int{"/status/404": 404, "/status/500": 500, "/status/99": 400, "/none": 404, "/login": 401, "/small": 200} {
		reply := get(t, http.DefaultClient, site.URL(path))
		if reply.StatusCode != want {
			t.Errorf("%s answers %d, want %d", path, reply.StatusCode, want)
		}
	}
	reply := get(t, http.DefaultClient, site.URL("/file/report.csv"))
	body, err := io.ReadAll(reply.Body)
	if err != nil || string(body) != Attachment {
		t.Errorf("the report is %q, %v", body, err)
	}
	if _, err := io.ReadAll(get(t, http.DefaultClient, site.URL("/file/failing.bin")).Body); err == nil {
		t.Error("the failing file arrived whole")
	}
}

func TestSecureIsSignedByTheAuthority(t *testing.T) {
	site := NewSite(t)
	certificate, err := os.ReadFile(site.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(certificate) {
		t.Fatal("the authority's file holds no certificate")
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	t.Cleanup(client.CloseIdleConnections)
	if reply := get(t, client, site.Secure("/small")); reply.StatusCode != http.StatusOK {
		t.Errorf("https answers %d", reply.StatusCode)
	}
}

func TestQueryIsEscaped(t *testing.T) {
	site := NewSite(t)
	body, err := io.ReadAll(get(t, http.DefaultClient, site.URL("/frame?name=%3Cscript%3E%27%22%60")).Body)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(body), "Frame <script>") || !strings.Contains(string(body), "Frame &lt;script&gt;") {
		t.Errorf("the query went into the page as it was: %s", body)
	}
}

// TestParentDeathPipe starts and closes a browser: neither its process nor its profile remains.
func TestParentDeathPipe(t *testing.T) {
	browser := Launch(t)
	browser.Close()
	if _, err := os.Stat(browser.Profile); !os.IsNotExist(err) {
		t.Errorf("the profile is still there: %v", err)
	}
	if browser.command.ProcessState == nil {
		t.Error("the process was not waited for")
	}
}

func get(t *testing.T, client *http.Client, address string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reply.Body.Close() })
	return reply
}

func asked(site *Site, path, query string) bool {
	for _, r := range site.Requests(path) {
		if r.Query == query {
			return true
		}
	}
	return false
}
