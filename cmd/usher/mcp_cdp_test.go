package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestAgentRawCDP: what agents could read and write past the guard by calls of the protocol, and what they go on using.
func TestAgentRawCDP(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--blocked-sites", "localhost")
	shell("--session", "person", "open", site.URL("/small"))
	other := ""
	for line := range strings.Lines(shell("--session", "person", "cdp", "Target.getTargetInfo")) {
		if _, after, ok := strings.Cut(line, `"targetId": "`); ok {
			other = strings.Trim(after, "\",\n")
		}
	}
	a.must("browser_navigate", map[string]any{"url": site.URL("/frames")})
	dir := t.TempDir()
	call := func(method string, params map[string]any, more ...string) map[string]any {
		args := map[string]any{"method": method, "params": params}
		if len(more) == 2 {
			args[more[0]] = more[1]
		}
		return a.call("browser_cdp", args)
	}
	for _, row := range []struct {
		method string
		params map[string]any
		code   string
	}{
		{"DOM.setFileInputFiles", map[string]any{"files": []string{"/etc/passwd"}, "nodeId": 1}, "method_refused"},
		{"Page.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": dir}, "method_refused"},
		{"Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": dir}, "method_refused"},
		{"Target.attachToTarget", map[string]any{"targetId": other, "flatten": false}, "tab_not_found"},
		{"Target.sendMessageToTarget", map[string]any{"targetId": other, "message": "{}"}, "method_refused"},
		{"Target.getTargetInfo", map[string]any{"targetId": other}, "tab_not_found"},
		{"Network.loadNetworkResource", map[string]any{"url": site.URL("/small"), "options": map[string]any{}}, "method_refused"},
		{"Page.captureSnapshot", nil, "url_blocked"},
		{"Page.captureScreenshot", nil, "url_blocked"},
		{"DOM.getDocument", map[string]any{"depth": -1, "pierce": true}, "url_blocked"},
		{"Accessibility.getFullAXTree", nil, "url_blocked"},
		{"DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{}}, "url_blocked"},
		{"Page.createIsolatedWorld", map[string]any{"frameId": other}, "method_refused"},
		{"Page.navigate", map[string]any{"url": "file:///etc/passwd"}, "url_blocked"},
		{"Runtime.evaluate", map[string]any{"expression": "1", "contextId": 9999}, "method_refused"},
	} {
		if got := call(row.method, row.params); got["code"] != row.code {
			t.Errorf("%s: %v, wanted %s", row.method, got, row.code)
		}
	}
	if got := call("Runtime.evaluate", map[string]any{"expression": "1"}, "target_id", other); got["code"] != "tab_not_found" {
		t.Errorf("another session's target: %v", got)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("written: %v, %v", files, err)
	}
	targets := call("Target.getTargets", nil)
	infos := targets["result"].(map[string]any)["targetInfos"].([]any)
	for _, i := range infos {
		if info := i.(map[string]any); info["targetId"] == other || strings.Contains(info["url"].(string), "localhost") {
			t.Errorf("told of %v", info)
		}
	}
	if len(infos) == 0 {
		t.Errorf("no target is told: %v", targets)
	}
	for _, method := range []string{"Browser.getVersion", "Page.getNavigationHistory", "Network.getCookies", "Network.getAllCookies", "Page.getLayoutMetrics", "Page.reload"} {
		if got := call(method, nil); got["success"] != true {
			t.Errorf("%s: %v", method, got)
		}
	}
	if out := a.call("browser_cdp", map[string]any{"method": "Runtime.evaluate", "params": map[string]any{"expression": "6*7"}}); out["success"] != true {
		t.Errorf("evaluate: %v", out)
	}
	if out := shell("--session", "shared", "get", "url"); !strings.Contains(out, "/frames") {
		t.Errorf("the page is %s", out)
	}
}

// TestInheritedOrigins: a document without its own URL has the origin of its creator and is refused with it: an opener
// that a refused page navigates to about:blank and writes into, and a window that a refused frame opens.
func TestInheritedOrigins(t *testing.T) {
	secret := "TOPSECRET"
	own := map[string]string{
		"/write":  `opener.location = "about:blank"; setTimeout(() => opener.document.write("<title>done</title><h1>` + secret + `</h1>"), 500)`,
		"/script": `opener.location = "about:blank"; setTimeout(() => { opener.location = 'javascript:"<h1>` + secret + `</h1>"' }, 500)`,
		"/window": `const w = open("about:blank", "window"); w.document.write("<h1>` + secret + `</h1>"); w.document.close()`,
	}
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		refused := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
		if script, ok := own[r.URL.Path]; ok {
			fmt.Fprintf(w, "<!doctype html><script>setTimeout(() => { %s }, 3000)</script>", script) // once the page that opened it counts as settled
		} else if path := r.URL.Query().Get("opens"); path != "" {
			fmt.Fprintf(w, `<!doctype html><title>Opens</title><script>open(%q)</script>`, refused+path)
		} else if path := r.URL.Query().Get("frames"); path != "" {
			fmt.Fprintf(w, `<!doctype html><title>Frames</title><iframe src=%q></iframe>`, refused+path)
		} else {
			fmt.Fprint(w, `<!doctype html><title>Plain</title><iframe src="about:blank"></iframe><iframe sandbox src="about:blank"></iframe><button>Fine</button>`)
		}
	}))
	defer server.Close()
	a, shell := connectAgent(t, nil, "--blocked-sites", "localhost")
	for _, path := range []string{"/write", "/script"} {
		a.call("browser_navigate", map[string]any{"url": server.URL + "/?opens=" + path})
		shell("--session", "shared", "wait", "--fn", "document.body && document.body.innerText.includes('"+secret+"')", "--timeout", "20s")
		for name, args := range map[string]map[string]any{
			"browser_snapshot": {"full": true}, "browser_console": {"expression": "document.body.innerText"},
			"browser_cdp": {"method": "Runtime.evaluate", "params": map[string]any{"expression": "document.body.innerText"}},
		} {
			if got := a.call(name, args); got["code"] != "url_blocked" || strings.Contains(fmt.Sprint(got), secret) {
				t.Errorf("%s after %s: %v", name, path, got)
			}
		}
	}
	a.call("browser_navigate", map[string]any{"url": server.URL + "/?frames=/window"})
	target := ""
	for deadline := time.Now().Add(cdptest.Timeout); target == "" && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		for entry := range strings.SplitSeq(shell("--session", "shared", "--json", "tab", "list"), "{") {
			if _, after, ok := strings.Cut(entry, `"targetId":"`); ok && strings.Contains(entry, `"url":"about:blank"`) {
				target, _, _ = strings.Cut(after, `"`)
			}
		}
	}
	for _, method := range []string{"Runtime.evaluate", "DOM.getDocument", "Page.captureScreenshot"} {
		params := map[string]any{}
		if method == "Runtime.evaluate" {
			params["expression"] = "document.documentElement.outerHTML"
		}
		if got := a.call("browser_cdp", map[string]any{"method": method, "params": params, "target_id": target}); got["code"] != "url_blocked" {
			t.Errorf("%s in the window %q of a refused frame: %v", method, target, got)
		}
	}
	a.must("browser_navigate", map[string]any{"url": server.URL + "/"})
	if got := a.must("browser_snapshot", map[string]any{"full": true}); !strings.Contains(got["snapshot"].(string), "Fine") {
		t.Errorf("a page with empty frames of its own: %v", got)
	}
	a.must("browser_cdp", map[string]any{"method": "Page.captureScreenshot"})
	for _, params := range []map[string]any{{"rate": 1e6}, {"rate": 21}} {
		if got := a.call("browser_cdp", map[string]any{"method": "Emulation.setCPUThrottlingRate", "params": params}); got["code"] != "method_refused" {
			t.Errorf("slowed down by %v: %v", params, got)
		}
	}
	a.must("browser_cdp", map[string]any{"method": "Emulation.setCPUThrottlingRate", "params": map[string]any{"rate": 2}})
	a.must("browser_cdp", map[string]any{"method": "Emulation.setCPUThrottlingRate", "params": map[string]any{"rate": 1}})
}
