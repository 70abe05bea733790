package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
)

// browser calls the tool browser, and returns the texts of its content without marks, an image as its type, and the
// structured result.
func (a agent) browser(args map[string]any) (content []string, data map[string]any) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), cdptest.Timeout)
	defer cancel()
	res, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "browser", Arguments: args})
	if err != nil {
		a.t.Fatalf("browser %v: %v", args, err)
	}
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			content = append(content, unmarked(c.Text))
		case *mcp.ImageContent:
			content = append(content, c.MIMEType+" "+string(c.Data))
		}
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, &data)
	}
	if err != nil || data["success"] == res.IsError {
		a.t.Fatalf("browser %v: isError %v, %s, %v", args, res.IsError, raw, err)
	}
	return content, data
}

// unmarked returns a text without the lines that mark what pages say.
func unmarked(text string) string {
	var lines []string
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "[page content ") && !strings.HasPrefix(l, "[end of page content ") {
			lines = append(lines, strings.TrimSuffix(l, "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

// opens calls open, which has to succeed.
func (a agent) opens(args map[string]any) map[string]any {
	a.t.Helper()
	args["action"] = "open"
	_, data := a.browser(args)
	if data["success"] != true {
		a.t.Fatalf("open %v: %v", args, data)
	}
	return data
}

// runs runs code, which has to succeed, and returns its result as text.
func (a agent) runs(name, code string) string {
	a.t.Helper()
	_, data := a.browser(map[string]any{"action": "run", "name": name, "code": code})
	if data["success"] != true {
		a.t.Fatalf("run %s: %v", code, data)
	}
	return data["result"].(string)
}

const codeTools = "browser,code"

// TestBrowserTool walks through open, run and close, and checks content and structured results.
func TestBrowserTool(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--toolsets", codeTools)
	list, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if raw, err := json.Marshal(tool); tool.Name == "browser" && (err != nil || len(raw) > 3_000) {
			t.Errorf("the tool is %d bytes of the list, %v", len(raw), err)
		}
	}
	url := site.URL("/forms")
	content, data := a.browser(map[string]any{"action": "open", "url": url, "viewport": map[string]any{"width": 900, "height": 600}})
	want := "Opened tab \"main\" on headless (hidden)\nURL: " + url + "\nTitle: Forms"
	if strings.Join(content, "|") != want || data["result"] != want || data["name"] != "main" || data["action"] != "open" || data["browser"] != "headless" || data["url"] != url {
		t.Errorf("open: %q, %v", content, data)
	}
	if v := data["viewport"].(map[string]any); v["width"] != 900.0 || v["height"] != 600.0 || v["scale"] != 1.0 {
		t.Errorf("the viewport is %v", v)
	}
	if out := shell("--session", "shared", "tab", "list"); strings.Count(out, "[t") != 1 || !strings.Contains(out, "main") {
		t.Errorf("the command line sees\n%s", out)
	}
	content, data = a.browser(map[string]any{"action": "open", "url": site.URL("/small")})
	if !strings.HasPrefix(content[0], "Reused tab") || data["url"] != site.URL("/small") {
		t.Errorf("open again: %q, %v", content, data)
	}
	content, data = a.browser(map[string]any{"action": "run", "code": `display("first"); console.log("said", 1); display({b: 1, a: [2]});
		display({type: "image", data: "aGk=", mimeType: "image/png"}); console.warn("careful"); return {z: 1, a: await page.title()}`})
	texts := []string{"first", "said 1", "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}", "image/png hi", "[warn] careful", "{\n  \"z\": 1,\n  \"a\": \"Small\"\n}"}
	if got := strings.Join(content, "|"); got != strings.Join(texts, "|") {
		t.Errorf("the content is %q", content)
	}
	if got, want := data["result"], strings.Join(append(texts[:3:3], texts[4:]...), "\n"); got != want || data["action"] != "run" || data["browser"] != "headless" || data["url"] != site.URL("/small") {
		t.Errorf("the result is %q, wanted %q: %v", got, want, data)
	}
	for code, want := range map[string]string{
		"return 'a \\n b'": "a \n b", "return null": "null", "return [1, 'x']": "[\n  1,\n  \"x\"\n]", "return 10n": "10", "": "",
		"const quiet = 1": `Ran code on tab "main"`, "return 0": "0", "return ''": "",
	} {
		if code == "" {
			continue
		}
		if content, data := a.browser(map[string]any{"action": "run", "code": code}); strings.Join(content, "|") != want || data["result"] != want {
			t.Errorf("%s: %q, %v", code, content, data)
		}
	}
	if content, data = a.browser(map[string]any{"action": "close", "name": "other"}); content[0] != `No tab named "other"` || data["success"] != true || data["action"] != "close" {
		t.Errorf("close of none: %q, %v", content, data)
	}
	a.opens(map[string]any{"name": "second tab", "url": url})
	if got := a.runs("second tab", "return tab.url()"); got != url {
		t.Errorf("the second tab is at %s", got)
	}
	if content, _ = a.browser(map[string]any{"action": "close"}); content[0] != `Closed tab "main"` {
		t.Errorf("close: %q", content)
	}
	if _, data = a.browser(map[string]any{"action": "run", "code": "return 1"}); data["code"] != "tab_not_found" || !strings.Contains(data["error"].(string), `"main" is not alive. Reopen it`) {
		t.Errorf("run after close: %v", data)
	}
	if content, data = a.browser(map[string]any{"action": "close", "all": true}); content[0] != "Closed 1 tab" || data["result"] != "Closed 1 tab" {
		t.Errorf("close all: %q, %v", content, data)
	}
	if out := shell("session", "list"); strings.Contains(out, "shared") {
		t.Errorf("the browser outlives its last tab: %s", out)
	}
}

// TestBrowserToolErrors: each mistake gets an error with its place and the next step, and the tab stays usable.
func TestBrowserToolErrors(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil, "--toolsets", codeTools)
	if _, data := a.browser(map[string]any{"action": "run", "code": "return 1"}); data["code"] != "tab_not_found" {
		t.Errorf("run before open: %v", data)
	}
	a.opens(map[string]any{"url": site.URL("/small")})               // starts the browser
	a.opens(map[string]any{"url": site.URL("/forms"), "timeout": 0}) // less than the least, which counts then
	for _, c := range []struct {
		args map[string]any
		code string
		says string
		line float64
	}{
		{map[string]any{"action": "run"}, "missing_argument", "needs code", 0},
		{map[string]any{"action": "run", "code": " \n"}, "missing_argument", "needs code", 0},
		{map[string]any{"action": "run", "code": "let a = 1;\nlet b = ;"}, "evaluation_failed", "SyntaxError", 2},
		{map[string]any{"action": "run", "code": "console.log('so far');\nnull.x"}, "evaluation_failed", "TypeError", 2},
		{map[string]any{"action": "run", "code": "assert(1 > 2, 'no order')"}, "evaluation_failed", "no order", 1},
		{map[string]any{"action": "run", "code": "assert(false)"}, "evaluation_failed", "ssertion", 1},
		{map[string]any{"action": "run", "code": "require('fs')"}, "evaluation_failed", "require", 1},
		{map[string]any{"action": "run", "code": "await tab.click('#nowhere', {timeout: 200})"}, "element_not_found", "#nowhere", 0},
		{map[string]any{"action": "run", "code": "await page.evaluate(() => { throw new Error('of the page') })"}, "evaluation_failed", "of the page", 0},
		{map[string]any{"action": "run", "code": "while (true) {}", "timeout": 1}, "timeout", "did not finish within 1 s", 0},
		{map[string]any{"action": "run", "code": "await page.evaluate(() => { while (true) {} })", "timeout": 1}, "timeout", "The tab can be used again", 0},
		{map[string]any{"action": "run", "code": "await new Promise(() => {})", "timeout": 1}, "timeout", "", 0},
		{map[string]any{"action": "open", "app": map[string]any{}}, "invalid_argument", "path, the executable of an app, or cdp_url", 0},
		{map[string]any{"action": "open", "app": map[string]any{"port": 1}}, "invalid_argument", "app", 0},
		{map[string]any{"action": "open", "viewport": map[string]any{"width": -1, "height": 5}}, "invalid_argument", "viewport", 0},
		{map[string]any{"action": "open", "wait_until": "soon"}, "invalid_argument", "networkidle2", 0},
		{map[string]any{"action": "fly"}, "invalid_argument", "open, run or close", 0},
		{map[string]any{"action": "open", "app": map[string]any{"cdp_url": "http://127.0.0.1:1"}}, "launch_conflict", `bound to a different browser (headless (hidden)). Close it first`, 0},
		{map[string]any{"action": "open", "name": "x", "app": map[string]any{"cdp_url": "http://169.254.169.254"}}, "url_blocked", "is a cloud metadata service", 0},
		{map[string]any{"action": "open", "name": "x", "app": map[string]any{"cdp_url": "ws://metadata.google.internal/devtools/browser/1"}}, "url_blocked", "it is a cloud metadata service", 0},
		{map[string]any{"action": "open", "name": "x", "app": map[string]any{"cdp_url": "http://127.0.0.1:1/"}}, "attach_failed", "http://127.0.0.1:1", 0},
		{map[string]any{"action": "open", "name": "x", "app": map[string]any{"path": "nowhere/at/all"}}, "file_not_found", "nowhere/at/all", 0},
		{map[string]any{"action": "open", "name": "x", "app": map[string]any{"path": "/bin"}}, "invalid_argument", "is a directory", 0},
		{map[string]any{"action": "open", "name": "x", "app": map[string]any{"path": "/bin/true"}}, "launch_failed", "offered no debugging port", 0},
		{map[string]any{"action": "open", "name": "x", "app": map[string]any{"path": "/bin/sh", "args": []string{"--remote-debugging-address=0.0.0.0"}}}, "invalid_argument", "usher chooses", 0},
	} {
		content, data := a.browser(c.args)
		if data["code"] != c.code || !strings.Contains(data["error"].(string), c.says) || c.line > 0 && data["line"] != c.line {
			t.Errorf("%v: %v, wanted %s, %q in line %v", c.args, data, c.code, c.says, c.line)
		}
		if all := strings.Join(content, "\n"); !strings.Contains(all, c.says) || !strings.HasPrefix(all, "error: ") {
			t.Errorf("%v: the content is %q", c.args, content)
		}
		if code, _ := c.args["code"].(string); strings.HasPrefix(code, "console") && (data["output"] != "so far" || !strings.Contains(strings.Join(content, "\n"), "so far")) {
			t.Errorf("%v: the output before is %v, %q", c.args, data["output"], content)
		}
		if got := a.runs("main", "return await page.title()"); got != "Forms" {
			t.Errorf("after %v: the page is %q", c.args, got)
		}
	}
	if _, data := a.browser(map[string]any{"action": "close", "name": "x"}); data["result"] != `No tab named "x"` {
		t.Errorf("what failed to open left %v", data)
	}
}

// TestBrowserToolTogether: runs in two tabs go on side by side, a tab runs one at a time, and a cancelled call ends its run.
func TestBrowserToolTogether(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil, "--toolsets", codeTools)
	opened := make(chan map[string]any)
	for _, name := range []string{"a", "b"} {
		go func() {
			_, data := a.browser(map[string]any{"action": "open", "name": name, "url": site.URL("/small")})
			opened <- data
		}()
	}
	for range 2 {
		if data := <-opened; data["success"] != true {
			t.Fatal(data)
		}
	}
	ended := make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "browser", Arguments: map[string]any{"action": "run", "name": "a", "timeout": 300,
			"code": "await page.evaluate(() => { document.title = 'running' }); await page.evaluate(() => new Promise(() => {}))"}})
		ended <- err
	}()
	for deadline := time.Now().Add(cdptest.Timeout); a.must("browser_tabs", map[string]any{"action": "list"}) != nil && time.Now().Before(deadline); {
		if tabs := a.must("browser_tabs", map[string]any{"action": "list"}); strings.Contains(string(encoded(t, tabs)), `"running"`) {
			break
		}
	}
	if got := a.runs("b", "return await page.title()"); got != "Small" {
		t.Errorf("the other tab is %q", got)
	}
	if _, data := a.browser(map[string]any{"action": "run", "name": "a", "code": "return 1"}); data["code"] != "tab_busy" || !strings.Contains(data["error"].(string), `"a" is busy`) {
		t.Errorf("a second run: %v", data)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the cancelled call succeeded")
	}
	for deadline := time.Now().Add(cdptest.Timeout); ; {
		_, data := a.browser(map[string]any{"action": "run", "name": "a", "code": "return await page.title()"})
		if data["result"] == "running" {
			break
		}
		if data["code"] != "tab_busy" || time.Now().After(deadline) {
			t.Fatalf("after the cancelled run: %v", data)
		}
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestBrowserToolDialogs: the policy for dialogs holds for its tab alone, can change, and ends with the tab.
func TestBrowserToolDialogs(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--toolsets", codeTools)
	a.opens(map[string]any{"name": "yes", "url": site.URL("/small"), "dialogs": "accept"})
	a.opens(map[string]any{"name": "no", "url": site.URL("/small"), "dialogs": "dismiss"})
	a.opens(map[string]any{"name": "none", "url": site.URL("/small")})
	const ask = "return await page.evaluate(() => { window.asked = (window.asked || 0) + 1; return [confirm('sure?'), window.asked] })"
	if yes, no := a.runs("yes", ask), a.runs("no", ask); !strings.Contains(yes, "true") || !strings.Contains(no, "false") {
		t.Errorf("the answers are %s and %s", yes, no)
	}
	if _, data := a.browser(map[string]any{"action": "run", "name": "none", "code": ask}); data["code"] != "dialog_open" {
		t.Errorf("without a policy: %v", data)
	}
	a.opens(map[string]any{"name": "none", "dialogs": "accept"}) // answers the one that waits, too
	if data := a.opens(map[string]any{"name": "yes", "dialogs": "dismiss"}); !strings.HasPrefix(data["result"].(string), "Reused") {
		t.Errorf("the policy changed: %v", data)
	}
	if got := a.runs("yes", ask); !strings.Contains(got, "false") || !strings.Contains(got, "2") {
		t.Errorf("with the new policy: %s", got)
	}
	if got := a.runs("none", ask); !strings.Contains(got, "true") {
		t.Errorf("with a policy: %s", got)
	}
	a.browser(map[string]any{"action": "close", "name": "yes"})
	if out := shell("--session", "shared", "dialog", "rule"); strings.Count(out, "tab=") != 2 {
		t.Errorf("the rules are\n%s", out)
	}
}
