package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestAgentBadArguments gives every tool there is what its schema does not allow: the answer is
// a result that says what to do, and the server goes on.
func TestAgentBadArguments(t *testing.T) {
	a, _ := connectAgent(t, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	}, "--toolsets", "all")
	list, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) < 22 {
		t.Errorf("only %d tools", len(list.Tools))
	}
	values := []any{nil, true, -1, 1e300, "", "\x00\u202e\uFFFD", strings.Repeat("x", 1<<20), []any{}, map[string]any{"a": []any{nil}}}
	for _, tool := range list.Tools {
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Properties map[string]struct{ Type string }
			Required   []string
		}
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		calls := []any{map[string]any{"no such argument": 1}, []any{1}, "text", 7}
		for name := range schema.Properties {
			for _, v := range values {
				calls = append(calls, map[string]any{name: v})
			}
		}
		for _, args := range calls {
			ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
			res, err := a.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: args})
			cancel()
			shown, _ := json.Marshal(args)
			if err != nil {
				t.Fatalf("%s %.200s: %v", tool.Name, shown, err)
			}
			if res.IsError && len(res.Content) == 0 {
				t.Errorf("%s %.200s: a failure without a word", tool.Name, shown)
			}
		}
	}
	a.must("browser_navigate", map[string]any{"url": "about:blank"})
}

// TestAgentIsTold: a client that is subscribed to the session's state is notified of a dialog.
func TestAgentIsTold(t *testing.T) {
	site := cdptest.NewSite(t)
	updated := make(chan string, 1000)
	a, shell := connectAgent(t, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { updated <- req.Params.URI },
	})
	const uri = "usher://session/status"
	if err := a.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil { // before there is a browser
		t.Fatal(err)
	}
	for range 2 { // the person starts the browser, and once more when it was closed; the agent calls nothing
		shell("--session", "shared", "open", site.URL("/small"))
		shell("--session", "shared", "close")
	}
	shell("--session", "shared", "open", site.URL("/small"))
	shell("--session", "shared", "eval", "setTimeout(() => confirm('sure?'), 300); 0")
	deadline := time.After(cdptest.Timeout)
	for told := false; !told; {
		select {
		case got := <-updated:
			if got != uri {
				t.Errorf("told of %s", got)
			}
			read, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				t.Fatal(err)
			}
			told = strings.Contains(read.Contents[0].Text, `"message":"sure?"`)
		case <-deadline:
			t.Fatal("nobody told of the dialog")
		}
	}
	a.must("browser_dialog", map[string]any{"action": "dismiss"})
	shell("daemon", "stop")
	for range 40 { // as long as a new one would take to come up, several times over
		if out := shell("daemon", "status"); !strings.HasPrefix(out, "No daemon") {
			t.Fatalf("the daemon was stopped, and started again for whoever was subscribed: %s", out)
		}
	}
}

// TestAgentCancels: a call that is given up is given up in the browser too, and the
// server goes on.
func TestAgentCancels(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/small")})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "browser_console", Arguments: map[string]any{"expression": "void fetch('/echo'), new Promise(() => {})"}})
		ended <- err
	}()
	for deadline := time.Now().Add(cdptest.Timeout); len(site.Requests("/echo")) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the script did not begin")
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	a.must("browser_console", map[string]any{"expression": "1"})
}

// TestAgentOverHTTP: requests without the token, with another Host, or with the Origin of a web page are refused. With
// the token, tools work as over standard streams.
func TestAgentOverHTTP(t *testing.T) {
	a, shell := connectAgent(t, nil) // its home is what is served
	var where struct{ Data struct{ URL, Token string } }
	if err := json.Unmarshal([]byte(shell("--json", "mcp", "http")), &where, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	post := func(change func(*http.Request)) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, where.Data.URL, bytes.NewReader([]byte(hello)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", "Bearer "+where.Data.Token)
		change(req)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
		says   string
	}{
		"right":           {func(*http.Request) {}, 200, `"name":"usher"`},
		"no token":        {func(r *http.Request) { r.Header.Del("Authorization") }, 401, "usher mcp http"},
		"wrong token":     {func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401, "wrong"},
		"token in query":  {func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + where.Data.Token }, 200, "usher"},
		"small letters":   {func(r *http.Request) { r.Header.Set("Authorization", "bearer "+where.Data.Token) }, 200, "usher"},
		"another scheme":  {func(r *http.Request) { r.Header.Set("Authorization", "Basic "+where.Data.Token) }, 401, "wrong"},
		"another name":    {func(r *http.Request) { r.Host = "evil.example" }, 403, "Host"},
		"a page's origin": {func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403, "evil.example"},
		"unknown toolset": {func(r *http.Request) { r.URL.RawQuery = "toolsets=brwser" }, 400, "browser"},
		"bad session":     {func(r *http.Request) { r.URL.RawQuery = "session=../x" }, 400, "session"},
		"bad form":        {func(r *http.Request) { r.URL.RawQuery = "results=xml" }, 400, "structured"},
		"wrong parameter": {func(r *http.Request) { r.URL.RawQuery = "toolset=web" }, 400, "toolsets"},
		"a page's fetch":  {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403, "page"},
		"a user's fetch":  {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") }, 200, "usher"},
		"null origin":     {func(r *http.Request) { r.Header.Set("Origin", "null") }, 403, "null"},
	} {
		if status, body := post(c.change); status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}

	client := newClient(t, "web", nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: where.Data.URL + "?session=shared&token=" + where.Data.Token, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	over := agent{ClientSession: session, t: t}
	a.must("browser_navigate", map[string]any{"url": "about:blank"})
	a.must("browser_console", map[string]any{"expression": "var mark = 'seen'"})
	if got := over.must("browser_console", map[string]any{"expression": "mark"}); got["result"] != "seen" {
		t.Errorf("the other agent's session has %v", got["result"])
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	shell("mcp", "http", "--stop")
	if _, err := http.Get(where.Data.URL); err == nil {
		t.Error("it still listens")
	}
}

// TestAgentLogin: the person gives a login that a page asks for, and the agent sees the
// page and not the login. A screenshot that a call saved can be read as a resource.
func TestAgentLogin(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) { asksLogin(t, protocol) })
	}
}

func asksLogin(t *testing.T, protocol string) {
	site := cdptest.NewSite(t)
	asked := ""
	a, _ := connectAgentBy(t, protocol, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked = req.Params.Message
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"username": "usher", "password": "secret"}}, nil
		},
	})
	page := a.must("browser_navigate", map[string]any{"url": site.URL("/login")})
	if page["title"] != "Inside" || !strings.Contains(asked, "fixtures") {
		t.Errorf("the page is %v, the person was asked %q", page["title"], asked)
	}
	if raw, _ := json.Marshal(page); strings.Contains(string(raw), "secret") {
		t.Errorf("the agent was told the password: %s", raw)
	}
	path := a.must("browser_vision", map[string]any{"question": "?"})["screenshot_path"].(string)
	_, below, _ := strings.Cut(path, "/artifacts/")
	read, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "usher://artifact/" + below})
	if err != nil || len(read.Contents[0].Blob) < 1000 || read.Contents[0].MIMEType != "image/png" {
		t.Errorf("the screenshot as a resource: %v, %+v", err, read)
	}
	for _, outside := range []string{"../config.yaml", "../../../../../etc/passwd", "none.png"} {
		if _, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "usher://artifact/" + outside}); err == nil {
			t.Errorf("%s was read", outside)
		}
	}
}

// TestAgentFiles: what the client opened can be reached, and nothing else; a question
// to the person is answered by the client.
func TestAgentFiles(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) { asksFiles(t, protocol) })
	}
}

func asksFiles(t *testing.T, protocol string) {
	a, _ := connectAgentBy(t, protocol, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "blue"}}, nil
		},
	}, "--toolsets", "file,clarify,session_search")
	if got := a.must("clarify", map[string]any{"question": "which?", "choices": []string{"red", "blue"}}); got["answer"] != "blue" {
		t.Errorf("the answer is %v", got)
	}
	if got := a.call("read_file", map[string]any{"path": "/etc/passwd"}); got["code"] != "permission_denied" {
		t.Errorf("outside of the roots: %v", got)
	}
}

// TestAgentReadsAgain: a second snapshot has the changes only, and stays within its budget.
func TestAgentReadsAgain(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/rows?n=200")})
	whole := a.must("browser_snapshot", nil)["snapshot"].(string)
	a.must("browser_console", map[string]any{"expression": "document.querySelector('td').textContent = 'changed here'; 0"})
	shell("--session", "shared", "snapshot", "--compact") // each reader has its own baseline
	again := a.must("browser_snapshot", map[string]any{"delta": true})
	if text := again["snapshot"].(string); again["delta"] != true || !strings.Contains(text, "changed here") || len(text) > len(whole)/10 {
		t.Errorf("delta %v, %d of %d bytes:\n%s", again["delta"], len(text), len(whole), text)
	}
	short := a.must("browser_snapshot", map[string]any{"budget": 300})
	if text := short["snapshot"].(string); short["truncated"] != true || len(text) > 1200+200 { // with the marks around what a page says
		t.Errorf("truncated %v, %d bytes", short["truncated"], len(text))
	}
}

// TestAgentFlags: what a model writes is never a flag of the command behind a tool, by
// which it could run a program of its choice or leave the site guard.
func TestAgentFlags(t *testing.T) {
	a, shell := connectAgent(t, nil, "--toolsets", "browser,web")
	mark := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n: > "+mark+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	flag := "--executable-path=" + program
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{"browser_navigate", map[string]any{"url": flag}}, {"browser_press", map[string]any{"key": flag}},
		{"browser_click", map[string]any{"ref": flag}}, {"browser_type", map[string]any{"ref": "e1", "text": flag}},
		{"browser_cdp", map[string]any{"method": flag}}, {"browser_cdp", map[string]any{"method": "Page.reload", "frame_id": flag}},
		{"browser_cdp", map[string]any{"method": "Page.reload", "target_id": flag}}, {"browser_dialog", map[string]any{"action": "accept", "dialog_id": flag}},
		{"browser_dialog", map[string]any{"action": "accept", "prompt_text": flag}}, {"web_extract", map[string]any{"urls": []string{flag}}},
	} {
		if got := a.call(call.tool, call.args); got["success"] == true {
			t.Errorf("%s %v: %v", call.tool, call.args, got)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("%s %v started the program", call.tool, call.args)
		}
	}
	a.must("browser_navigate", map[string]any{"url": "about:blank"})
	if got := a.must("browser_console", map[string]any{"expression": "'" + flag + "'"}); got["result"] != flag {
		t.Errorf("an expression with a flag in it is %v", got["result"])
	}
	if out := shell("--session", "shared", "get", "url"); !strings.Contains(out, "about:blank") {
		t.Errorf("the page is %s", out)
	}
}

// TestAgentResourcesAreGuarded: resources do not contain text of refused pages, and secrets in them are redacted.
func TestAgentResourcesAreGuarded(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/small")})
	shell("--session", "shared", "eval", "console.log('sk-ant-api03-' + 'abcdefghij'.repeat(9)); 0")
	read, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "usher://session/console"})
	if err != nil {
		t.Fatal(err)
	}
	if read.CacheScope != "private" {
		t.Errorf("what the console says may be kept by others: %q", read.CacheScope)
	}
	if text := read.Contents[0].Text; strings.Contains(text, "abcdefghijabcdefghij") || !strings.Contains(text, "sk-ant") {
		t.Errorf("the console reads %s", text)
	}
}

// TestAgentServerFlags: flags that the server was started with hold for what its agent does.
func TestAgentServerFlags(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil, "--blocked-sites", "localhost,*.example.com", "--viewport=600x400", "--user-agent", "Agent 7")
	a.must("browser_navigate", map[string]any{"url": site.URL("/small")})
	if got := a.must("browser_console", map[string]any{"expression": "[innerWidth, innerHeight, navigator.userAgent].join()"}); got["result"] != "600,400,Agent 7" {
		t.Errorf("the page sees %v", got["result"])
	}
	for _, url := range []string{site.Cross("/small"), "https://shop.example.com/"} {
		if out := a.call("browser_navigate", map[string]any{"url": url}); out["code"] != "url_blocked" {
			t.Errorf("%s: %v", url, out)
		}
	}
}
