package main

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
)

// configFile writes a configuration.
func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAgentIsConfirmed: a tool under confirm_tools runs only after the person has allowed it, and not at all if the
// client cannot ask.
func TestAgentIsConfirmed(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) { asksIsConfirmed(t, protocol) })
	}
}

func asksIsConfirmed(t *testing.T, protocol string) {
	file := configFile(t, "confirm_tools: [browser_c?p, 'browser_console']\n")
	asked, decision, action := "", "allow", "accept"
	a, _ := connectAgentBy(t, protocol, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked = req.Params.Message
			return &mcp.ElicitResult{Action: action, Content: map[string]any{"decision": decision}}, nil
		},
	}, "--config", file)
	a.must("browser_navigate", map[string]any{"url": "about:blank"})
	if asked != "" {
		t.Fatalf("asked for a tool that is on no list: %s", asked)
	}
	set := map[string]any{"expression": "window.was = 1; 5"}
	if got := a.must("browser_console", set); got["result"] != 5.0 || !strings.Contains(asked, "browser_console") || !strings.Contains(asked, "window.was") {
		t.Errorf("the result is %v, the person was asked %q", got, asked)
	}
	tail := "window.was = 2; 6"
	if got := a.must("browser_console", map[string]any{"expression": strings.Repeat("// nothing happens here\n", 100) + tail}); got["result"] != 6.0 || !strings.Contains(asked, tail) {
		t.Errorf("the result is %v, the person was asked %q", got, asked)
	}
	asked = ""
	if got := a.call("browser_console", map[string]any{"expression": "window.was = 3;" + strings.Repeat(" ", 20_000) + strings.Repeat("//", 10_000)}); got["code"] != "not_confirmed" || asked != "" {
		t.Errorf("more than can be shown: %v, asked %q", got, asked)
	}
	if got := a.must("browser_console", map[string]any{"expression": "window.was"}); got["result"] != 2.0 {
		t.Errorf("what was not shown was done: %v", got)
	}
	for _, no := range [][2]string{{"accept", "deny"}, {"decline", "allow"}, {"cancel", ""}} {
		action, decision = no[0], no[1]
		got := a.call("browser_cdp", map[string]any{"method": "Page.navigate", "params": map[string]any{"url": "data:,gone"}})
		if got["code"] != "not_confirmed" || !strings.Contains(asked, "data:,gone") {
			t.Errorf("%v: %v, asked %q", no, got, asked)
		}
	}
	action, decision = "accept", "allow"
	if got := a.must("browser_console", map[string]any{"expression": "location.href"}); got["result"] != "about:blank" {
		t.Errorf("a call that was denied was made: the page is %v", got["result"])
	}

	alone, _ := connectAgent(t, nil, "--config", file)
	if got := alone.call("browser_cdp", map[string]any{"method": "Browser.getVersion"}); got["code"] != "not_confirmed" || !strings.Contains(got["error"].(string), "elicitation") {
		t.Errorf("with nobody to ask: %v", got)
	}
}

// TestReplacedToolsAreConfirmed: a tool of a server is asked about under its own name, also where it stands in under
// another.
func TestReplacedToolsAreConfirmed(t *testing.T) {
	file := configFile(t, `
mcp_servers:
  inner:
    command: usher
    args: [mcp, --toolsets, todo]
    env: {USHER_HOME: "${USHER_HOME}", CDPTEST_PROGRAM: "${CDPTEST_PROGRAM}"}
    provides: {memory: todo}
toolsets: [memory, inner]
confirm_tools: ["mcp__inner__*"]
`)
	a, _ := connectAgent(t, nil, "--config", file)
	for _, name := range []string{"memory", "mcp__inner__todo"} {
		res, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{}})
		if err != nil || !res.IsError {
			t.Fatalf("%s: %+v, %v", name, res, err)
		}
		raw, err := json.Marshal(res)
		if err != nil || !strings.Contains(string(raw), "needs the person's confirmation") {
			t.Errorf("%s: %s, %v", name, raw, err)
		}
	}
}

// TestAgentVisionModel: a client whose model sees no pictures, and has none to ask, gets the answer of the configured
// model.
func TestAgentVisionModel(t *testing.T) {
	var body, authorization string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body, authorization = string(raw), r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"c-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"a small page"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(service.Close)
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil, "--images", "ask", "--config", configFile(t, "vision_model: {url: "+service.URL+"/v1/, model: looker, key: k-1}\n"))
	a.must("browser_navigate", map[string]any{"url": site.URL("/small")})
	got := a.must("browser_vision", map[string]any{"question": "what is there?"})
	picture, err := os.ReadFile(got["screenshot_path"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if got["analysis"] != "a small page" || authorization != "Bearer k-1" || !strings.Contains(body, `"looker"`) ||
		!strings.Contains(body, "what is there?") || !strings.Contains(body, "data:image/png;base64,"+base64.StdEncoding.EncodeToString(picture)) {
		t.Errorf("the result is %v; asked was, as %s: %.300s", got, authorization, body)
	}
}

// TestAgentSwitches: what is switched while an agent is served reaches it, and a file that makes no sense changes nothing.
func TestAgentSwitches(t *testing.T) {
	file := configFile(t, "{}\n")
	changed := make(chan struct{}, 10)
	a, shell := connectAgent(t, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	}, "--config", file)
	has := func(name string) bool {
		list, err := a.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(list.Tools, func(d *mcp.Tool) bool { return d.Name == name })
	}
	if !has("browser_cdp") {
		t.Fatal("browser_cdp is not listed")
	}
	for len(changed) > 0 {
		<-changed
	}
	shell("--config", file, "tools", "disable", "browser_cdp", "--platform", "mcp")
	a.must("browser_navigate", map[string]any{"url": "about:blank"}) // after a call the client is notified
	select {
	case <-changed:
	case <-time.After(cdptest.Timeout):
		t.Fatal("the client was not told")
	}
	if has("browser_cdp") {
		t.Error("browser_cdp is still listed")
	}
	if err := os.WriteFile(file, []byte("toolsets: [nonsense]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if has("browser_cdp") || !has("browser_click") {
		t.Error("a file that makes no sense changed something")
	}
	if err := os.WriteFile(file, []byte("toolsets: [todo]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if has("browser_click") || !has("todo") {
		t.Error("the new selection is not in force")
	}
}

// TestAgentGetsConfigurationChanges: a client is notified at once of tools that are switched, and of servers that are
// added or removed in the configuration, without making a call.
func TestAgentGetsConfigurationChanges(t *testing.T) {
	const inner = `
mcp_servers:
  inner:
    command: usher
    args: [mcp, --toolsets, todo]
    env: {USHER_HOME: "${USHER_HOME}", CDPTEST_PROGRAM: "${CDPTEST_PROGRAM}"}
`
	file := configFile(t, "toolsets: [todo]\n")
	changed := make(chan struct{}, 100)
	a, shell := connectAgent(t, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	}, "--config", file)
	write := func(text string) func() {
		return func() {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range []struct {
		do   func()
		told bool // before anything is asked
		want string
	}{
		{func() {}, false, "todo"},
		{write(inner + "toolsets: [todo, inner]\n"), false, "todo"}, // it waits for the person
		{func() { shell("--config", file, "tools", "trust", "inner") }, true, "mcp__inner__todo todo"},
		{write("# moved down\n" + inner + "toolsets: [inner]\n"), true, "mcp__inner__todo"},
		{write("toolsets: [browser_click, inner]\n"), false, "mcp__inner__todo"}, // of nothing that is configured: what was said before holds
		{write("toolsets: [browser_click]\n"), true, "browser_click"},
		{func() { shell("--config", file, "tools", "enable", "todo", "--platform", "mcp") }, true, "browser_click todo"},
	} {
		step.do()
		deadline := time.After(cdptest.Timeout)
		wait := func(so string) {
			select {
			case <-changed:
			case <-deadline:
				t.Fatalf("nobody told of %s: %s", step.want, so)
			}
		}
		if step.told {
			wait("nothing was called")
		}
		for got := ""; got != step.want; {
			list, err := a.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			if got = strings.Join(names, " "); got == step.want {
				break
			}
			wait("the tools are " + got)
		}
	}
}

// TestAgentMountOverHTTP: an MCP server of the configuration serves those who come over HTTP, each under its own session,
// and ends with the serving.
func TestAgentMountOverHTTP(t *testing.T) {
	file := configFile(t, `
mcp_servers:
  inner:
    command: usher
    args: [mcp, --toolsets, todo]
    env: {USHER_HOME: "${USHER_HOME}", CDPTEST_PROGRAM: "${CDPTEST_PROGRAM}"}
toolsets: [todo, inner]
confirm_tools: [todo]
`)
	_, shell := connectAgent(t, nil) // its home is what is served
	var where struct{ Data struct{ URL, Token string } }
	if err := json.Unmarshal([]byte(shell("--json", "--config", file, "mcp", "http")), &where, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		client := newClient(t, name, nil)
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: where.Data.URL + "?session=" + name + "&token=" + where.Data.Token, DisableStandaloneSSE: true,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		over := agent{ClientSession: session, t: t}
		list, err := session.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 2 {
			t.Fatalf("%s: %v, %+v", name, err, list)
		}
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "mcp__inner__todo", Arguments: map[string]any{
			"todos": []map[string]any{{"id": "1", "content": "by " + name, "status": "pending"}}}})
		if err != nil || res.IsError {
			t.Errorf("%s through the mount: %v %+v", name, err, res)
		}
		if got := over.call("todo", nil); got["code"] != "not_confirmed" {
			t.Errorf("%s, a tool to be confirmed: %v", name, got)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	shell("mcp", "http", "--stop")
	shell("daemon", "stop")
}
