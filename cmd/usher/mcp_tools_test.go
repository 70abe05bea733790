package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
)

// callResult is the structured content of agent-browser's tools.
type callResult struct {
	ExitCode int `json:"exitCode"`
	Response struct {
		Success bool   `json:"success"`
		Data    any    `json:"data"`
		Error   string `json:"error"`
		Code    string `json:"code"`
	} `json:"response"`
	Stdout *string `json:"stdout"`
}

// run calls one of agent-browser's tools, and returns the text of the result and its structured content.
func (a agent) run(name string, args map[string]any) (text string, out callResult) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), cdptest.Timeout)
	defer cancel()
	res, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "agent_browser_" + name, Arguments: args})
	if err != nil {
		a.t.Fatalf("%s: %v", name, err)
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil || res.IsError == out.Response.Success || res.IsError != (out.ExitCode != 0) || out.Stdout == nil || *out.Stdout != "" {
		a.t.Fatalf("%s: %v, isError %v: %s", name, err, res.IsError, raw)
	}
	return res.Content[0].(*mcp.TextContent).Text, out
}

// ran is run for what has to succeed; it returns the text.
func (a agent) ran(name string, args map[string]any) string {
	a.t.Helper()
	text, out := a.run(name, args)
	if !out.Response.Success {
		a.t.Fatalf("%s %v: %s", name, args, out.Response.Error)
	}
	return text
}

// TestAgentBrowserTools: agent-browser's tools over MCP.
func TestAgentBrowserTools(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--tools", "core,network", "--allow-private-urls")
	list, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if size := listSize(t, list); len(list.Tools) != 38 || size > 18_000 {
		t.Errorf("%d tools, %d bytes", len(list.Tools), size)
	}
	if slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return !strings.HasPrefix(tool.Name, "agent_browser_") }) {
		t.Error("tools of toolsets are listed")
	}
	a.ran("open", map[string]any{"url": site.URL("/forms")})
	page := a.ran("snapshot", map[string]any{"interactive": true})
	if !strings.HasPrefix(page, "[page content ") || !strings.Contains(page, "[end of page content") {
		t.Errorf("the page's text has no marks: %s", page)
	}
	field := a.refOf(page, `textbox "Text"`)
	a.ran("fill", map[string]any{"selector": field, "text": "--session=other"})
	if out := shell("--session", "shared", "get", "value", field); strings.TrimSpace(out) != "--session=other" {
		t.Errorf("the field has %q", out)
	}
	a.ran("open", map[string]any{"url": site.URL("/small")})
	if text := a.ran("get_text", map[string]any{"selector": "h1"}); !strings.Contains(text, "Small") {
		t.Errorf("get_text: %s", text)
	}
	a.ran("click", map[string]any{"selector": "h1", "extraArgs": []string{"--timeout", "9s"}})
	a.ran("open", map[string]any{"url": site.URL("/links?n=2000")})
	if text, out := a.run("snapshot", nil); len(text) > 16_000 || !strings.Contains(text, "cut off after") {
		t.Errorf("a long snapshot has %d bytes: %.200s", len(text), text)
	} else if raw, err := json.Marshal(out.Response.Data); err != nil || len(raw) > 50_000 {
		t.Errorf("the data of a long snapshot have %d bytes, %v", len(raw), err)
	}
	if text := a.ran("eval", map[string]any{"script": "6*7"}); !strings.Contains(text, "\n42\n") {
		t.Errorf("eval: %s", text)
	}
}

// TestAgentBrowserToolsFail: what fails, and what agents cannot do.
func TestAgentBrowserToolsFail(t *testing.T) {
	a, _ := connectAgent(t, nil, "--tools", "all")
	list, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if size := listSize(t, list); size > 66_000 || slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return strings.Contains(tool.Name, "_stream_") }) {
		t.Errorf("%d bytes", size)
	}
	for _, c := range []struct {
		name string
		args map[string]any
		code string
	}{
		{"get_text", map[string]any{"selector": "h1"}, "browser_not_running"},
		{"open", map[string]any{"url": "http://169.254.169.254/"}, "url_blocked"},
		{"open", map[string]any{"url": "about:blank", "extraArgs": []string{"--executable-path", "/bin/true"}}, "guard_refused"},
		{"open", map[string]any{"url": "about:blank", "extraArgs": []string{"--site-guard=false"}}, "guard_refused"},
		{"batch", map[string]any{"commands": [][]string{{"--proxy", "http://x", "open", "about:blank"}}}, "guard_refused"},
		{"confirm", map[string]any{"id": "c1"}, "guard_refused"},
		{"stream_enable", nil, "unsupported"},
		{"wait_ms", map[string]any{"ms": 20000, "timeoutMs": 1}, "timeout"},
	} {
		if c.name == "wait_ms" {
			a.ran("open", map[string]any{"url": "about:blank"})
		}
		if text, out := a.run(c.name, c.args); out.Response.Code != c.code {
			t.Errorf("%s %v: %q, %s; want %s", c.name, c.args, out.Response.Code, text, c.code)
		}
	}
	if text, out := a.run("batch", map[string]any{"commands": [][]string{{"get", "url"}, {"get", "text", "#none"}}}); out.ExitCode != 1 || !strings.Contains(text, "element_not_found") {
		t.Errorf("batch: %+v, %s", out, text)
	}
	if text := a.ran("skills_list", nil); !strings.Contains(text, "core") {
		t.Errorf("skills_list: %s", text)
	}
}

// TestMCPCall: the tools without a client.
func TestMCPCall(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil, "--toolsets", "todo")
	call := func(exit int, stdin string, argv ...string) (line map[string]any) {
		t.Helper()
		cmd := exec.Command("usher", append([]string{"--session", "shared", "--allow-private-urls", "mcp", "call"}, argv...)...)
		cmd.Env, cmd.Stdin = append(os.Environ(), a.env...), strings.NewReader(stdin)
		out, err := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != exit {
			t.Errorf("%v: exit status %d, %v: %s", argv, got, err, out)
		}
		if err := json.Unmarshal(out, &line); err != nil || strings.Count(string(out), "\n") != 1 {
			t.Fatalf("%v: %v: %s", argv, err, out)
		}
		if meta, _ := line["_meta"].(map[string]any); meta["agentBrowserVersion"] == nil {
			t.Errorf("%v: %s", argv, out)
		}
		return line
	}
	opened := call(0, "", "agent_browser_open", fmt.Sprintf(`{"url":%q}`, site.URL("/small")))
	if keys := slices.Sorted(maps.Keys(opened)); !slices.Equal(keys, []string{"_meta", "content", "isError", "structuredContent"}) || opened["isError"] != false {
		t.Errorf("%v", opened)
	}
	if got := fmt.Sprint(call(0, `{"selector":"h1"}`, "agent_browser_get_text", "-")["content"]); !strings.Contains(got, "Small") {
		t.Error(got)
	}
	if got := call(1, "", "agent_browser_get_text", `{"selector":"#none"}`); got["isError"] != true {
		t.Errorf("%v", got)
	}
	for _, c := range []struct{ want, name, args string }{
		{"Did you mean agent_browser_get_text?", "agent_browser_get_txt", "{}"},
		{"there is no argument", "agent_browser_get_text", `{"selecto":"h1"}`},
		{"selector is missing", "agent_browser_get_text", `{}`},
		{"--config: agents cannot set this flag", "agent_browser_get_url", `{"extraArgs":["--config","/x"]}`},
		{"not a JSON object", "agent_browser_get_text", `h1`},
	} {
		failed, _ := call(2, "", c.name, c.args)["error"].(map[string]any)
		if failed["code"] != -32602.0 || !strings.Contains(fmt.Sprint(failed["message"]), c.want) {
			t.Errorf("%s %s: %v", c.name, c.args, failed)
		}
	}
	call(2, "", "agent_browser_console", "--tools", "core")
	call(0, "", "agent_browser_console", "--tools", "debug")
}

// TestAgentBrowserToolsByName: under the name agent-browser, the tools are the default, and work in the session of the command line.
func TestAgentBrowserToolsByName(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil, "--toolsets", "todo")
	run := func(argv ...string) string {
		t.Helper()
		cmd := exec.Command("agent-browser", argv...)
		cmd.Env = append(os.Environ(), append(a.env, "AGENT_BROWSER_EXECUTABLE_PATH="+cdptest.Chromium(t))...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", argv, err, out)
		}
		return string(out)
	}
	server := exec.Command("agent-browser", "mcp")
	server.Env = append(os.Environ(), append(a.env, "AGENT_BROWSER_EXECUTABLE_PATH="+cdptest.Chromium(t))...)
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	defer cancel()
	session, err := newClient(t, "test", nil).Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := agent{ClientSession: session, t: t}
	list, err := session.ListTools(ctx, nil)
	if err != nil || len(list.Tools) != 29 {
		t.Errorf("%d tools, %v", len(list.Tools), err)
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "agent_browser_tools_profiles"})
	if err != nil || !strings.HasPrefix(res.Content[0].(*mcp.TextContent).Text, "Active: core\ncore: 29 tools") {
		t.Errorf("%+v, %v", res, err)
	}
	run("open", site.URL("/small"))
	if text := other.ran("get_url", nil); !strings.Contains(text, "/small") {
		t.Errorf("the tools work in another session: %s", text)
	}
	if out := run("mcp", "call", "agent_browser_get_title"); !strings.Contains(out, `"lifecycle"`) {
		t.Errorf("the result is not in agent-browser's form: %s", out)
	}
	run("close")
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}
