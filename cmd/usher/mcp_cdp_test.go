package main

import (
	"os"
	"strings"
	"testing"

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
