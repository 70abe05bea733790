package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

// agent is a real MCP client of `usher mcp`, over the process's standard streams.
type agent struct {
	*mcp.ClientSession
	t *testing.T
	// another connects another client to the same session, through its own server. The caller closes it.
	another func() (other agent, server *exec.Cmd)
	env     []string // of its home
	dir     string   // in which the server runs
	home    string   // of usher
}

// protocols are the versions in which a client is asked in different ways: while the call runs, as today's clients know it,
// or by having it made again.
var protocols = []string{"2025-11-25", "2026-07-28"}

// connectAgent starts `usher mcp` in a home of its own and connects to it.
func connectAgent(t *testing.T, opts *mcp.ClientOptions, args ...string) (agent, func(...string) string) {
	t.Helper()
	return connectAgentBy(t, "", opts, args...)
}

// connectAgentBy is connectAgent with a version of the protocol; the newest if it is empty.
func connectAgentBy(t *testing.T, protocol string, opts *mcp.ClientOptions, args ...string) (agent, func(...string) string) {
	t.Helper()
	chromium := cdptest.Chromium(t)
	p, err := program.New("usher", chromium, "USHER_HOME={home}/u", "USHER_EXECUTABLE_PATH="+chromium)
	if err != nil {
		t.Fatal(err)
	}
	shell := func(argv ...string) string {
		t.Helper()
		cmd := exec.Command("usher", argv...)
		cmd.Env = append(os.Environ(), p.Env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("usher %s: %v\n%s", strings.Join(argv, " "), err, out)
		}
		return string(out)
	}
	dir := t.TempDir() // what the file tools reach
	connect := func() (agent, *exec.Cmd) {
		t.Helper()
		server := exec.Command("usher", append([]string{"--session", "shared", "mcp"}, args...)...)
		server.Env, server.Stderr, server.Dir = append(os.Environ(), p.Env...), os.Stderr, dir
		client := newClient(t, "test", opts)
		ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
		defer cancel()
		session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
		if err != nil {
			t.Fatal(err)
		}
		return agent{ClientSession: session, t: t, env: p.Env, dir: dir, home: filepath.Join(p.Home, "u")}, server
	}
	a, _ := connect()
	a.another = connect
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("the server ended badly: %v", err)
		}
		if _, err := p.End(); err != nil {
			t.Errorf("clear up: %v", err)
		}
	})
	return a, shell
}

// command returns a command of a shell in the agent's home.
func (a agent) command(argv ...string) *exec.Cmd {
	cmd := exec.Command("usher", argv...)
	cmd.Env = append(os.Environ(), a.env...)
	return cmd
}

// fails runs a command that has to fail, and returns what it prints.
func (a agent) fails(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := a.command(argv...).CombinedOutput()
	if err == nil {
		t.Errorf("usher %s: %s", strings.Join(argv, " "), out)
	}
	return string(out)
}

// call calls a tool and returns its structured result.
func (a agent) call(name string, args map[string]any) map[string]any {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), cdptest.Timeout)
	defer cancel()
	res, err := a.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		a.t.Fatalf("%s: %v", name, err)
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		a.t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil || out["success"] == res.IsError {
		a.t.Fatalf("%s: isError %v, %s", name, res.IsError, raw)
	}
	return out
}

// must is call for what has to succeed.
func (a agent) must(name string, args map[string]any) map[string]any {
	a.t.Helper()
	out := a.call(name, args)
	if out["success"] != true {
		a.t.Fatalf("%s: %v", name, out["error"])
	}
	return out
}

// refOf finds the ref of a line of a snapshot.
func (a agent) refOf(snapshot any, line string) string {
	a.t.Helper()
	for l := range strings.Lines(snapshot.(string)) {
		if _, after, ok := strings.Cut(l, "ref="); ok && strings.Contains(l, line) {
			return "@" + after[:strings.IndexAny(after, ",]")]
		}
	}
	a.t.Fatalf("no line with %q and a ref in\n%s", line, snapshot)
	return ""
}

// listSize returns how long the list of tools is on the wire.
func listSize(t *testing.T, list *mcp.ListToolsResult) int {
	t.Helper()
	raw, err := json.Marshal(list.Tools)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools, %d bytes of JSON", len(list.Tools), len(raw))
	return len(raw)
}

// TestAgentToolsets: --toolsets chooses what a client is offered.
func TestAgentToolsets(t *testing.T) {
	a, _ := connectAgent(t, nil, "--toolsets", "browser_navigate,todo,web")
	list, err := a.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 3 || list.Tools[0].Name != "browser_navigate" || list.Tools[1].Name != "todo" || list.Tools[2].Name != "web_extract" {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestAgentMount mounts an MCP server, which is usher itself: its tools are listed beside usher's and work in the session
// given to it.
func TestAgentMount(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "conf.yaml")
	const text = `
mcp_servers:
  inner:
    command: usher
    args: [--session, shared, mcp, --toolsets, "browser_navigate,browser_console,browser_dialog"]
    env: {USHER_HOME: "${USHER_HOME}", CDPTEST_PROGRAM: "${CDPTEST_PROGRAM}", USHER_EXECUTABLE_PATH: "${USHER_EXECUTABLE_PATH}"}
    exclude: [*_dialog]
    provides: {web_extract: browser_navigate}
  broken: {command: /nowhere/at/all}
platform_toolsets: {mcp: [browser_snapshot, inner, web_extract, mcp-broken]}
`
	if err := os.WriteFile(conf, []byte(strings.ReplaceAll(text, "[*_dialog]", `["*_dialog"]`)), 0o600); err != nil {
		t.Fatal(err)
	}
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--config", conf)
	list, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "browser_snapshot mcp__inner__browser_console mcp__inner__browser_navigate web_extract" {
		t.Fatalf("the tools are %s", got)
	}
	res, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "web_extract", Arguments: map[string]any{"url": site.URL("/forms")}})
	if err != nil || res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "Forms") {
		t.Fatalf("through the mount: %+v, %v", res, err)
	}
	if page := a.must("browser_snapshot", nil); !strings.Contains(page["snapshot"].(string), `textbox "Text"`) {
		t.Errorf("our own tool sees %v", page["snapshot"])
	}
	res, err = a.CallTool(t.Context(), &mcp.CallToolParams{Name: "mcp__inner__browser_console", Arguments: map[string]any{"nonsense": 1}})
	if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "nonsense") {
		t.Errorf("refused by the mounted server: %+v, %v", res, err)
	}
	if said := shell("--config", conf, "tools", "list"); !strings.Contains(said, "mcp-broken") || !strings.Contains(said, "web_extract") {
		t.Errorf("tools list says\n%s", said)
	}
	if said := shell("--config", conf, "tools", "show", "broken"); !strings.Contains(said, "the server broken cannot be used: start it:") {
		t.Errorf("of the broken server is said\n%s", said)
	}
}

// TestAgent walks through a session as an agent does: list, open, type, click, a prompt
// answered, a frame of another site evaluated, a picture; the command line sees the
// same session.
func TestAgent(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) { walks(t, protocol) })
	}
}

func walks(t *testing.T, protocol string) {
	site := cdptest.NewSite(t)
	a, shell := connectAgentBy(t, protocol, nil)
	list, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Contains(names, "browser_navigate") || !slices.Contains(names, "browser_dialog") {
		t.Errorf("the tools are %v", names)
	}
	if size := listSize(t, list); size > 12_000 {
		t.Errorf("the list of tools is %d bytes of JSON", size)
	}

	page := a.must("browser_navigate", map[string]any{"url": site.URL("/forms")})
	if page["title"] != "Forms" || page["element_count"].(float64) < 20 {
		t.Errorf("the page is %v with %v elements", page["title"], page["element_count"])
	}
	if text := page["snapshot"].(string); !marked.MatchString(text) {
		t.Errorf("what the page says is not marked:\n%s", text)
	}
	field := a.refOf(page["snapshot"], `textbox "Text"`)
	a.must("browser_type", map[string]any{"ref": field, "text": "Ada"})
	if got := a.must("browser_console", map[string]any{"expression": `document.activeElement.value`}); got["result"] != "Ada" {
		t.Errorf("the field holds %v", got["result"])
	}
	if got := strings.TrimSpace(shell("--session", "shared", "get", "value", field)); got != "Ada" {
		t.Errorf("the command line reads %q", got)
	}

	a.must("browser_console", map[string]any{"expression": `setTimeout(() => { window.answer = prompt("who?", "nobody") }); 0`})
	var pending []any
	for len(pending) == 0 { // it comes with the page's next task
		pending, _ = a.must("browser_snapshot", nil)["pending_dialogs"].([]any)
	}
	if d := pending[0].(map[string]any); d["message"] != "who?" || d["type"] != "prompt" {
		t.Errorf("the dialog is %v", d)
	}
	a.must("browser_dialog", map[string]any{"action": "accept", "prompt_text": "Grace"})
	if got := a.must("browser_console", map[string]any{"expression": "answer"}); got["result"] != "Grace" {
		t.Errorf("the page was answered %v", got["result"])
	}

	a.must("browser_navigate", map[string]any{"url": site.URL("/frames")})
	shot := a.must("browser_snapshot", nil)
	var far, origin string
	for _, c := range shot["frame_tree"].(map[string]any)["children"].([]any) {
		if f := c.(map[string]any); f["is_oopif"] == true && far == "" {
			far, origin = f["frame_id"].(string), f["origin"].(string)
		}
	}
	got := a.must("browser_cdp", map[string]any{"method": "Runtime.evaluate", "params": map[string]any{"expression": "location.origin"}, "frame_id": far})
	if value := got["result"].(map[string]any)["result"].(map[string]any)["value"]; value != origin || strings.HasPrefix(site.URL(""), origin) {
		t.Errorf("the frame of another site, %s, says it is at %v", origin, value)
	}

	res, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_vision", Arguments: map[string]any{"question": "what is it?"}})
	if err != nil || len(res.Content) < 2 {
		t.Fatalf("vision: %v, %+v", err, res)
	}
	if image, ok := res.Content[1].(*mcp.ImageContent); !ok || image.MIMEType != "image/png" || len(image.Data) < 1000 {
		t.Errorf("the picture is %+v", res.Content[1])
	}
	if events := shell("--session", "shared", "events"); !strings.Contains(events, "dialog d-1 accepted") {
		t.Errorf("the command line sees no answered dialog in\n%s", events)
	}
}

// marked is a text between the marks of what a page says.
var marked = regexp.MustCompile(`(?s)^\[page content ([A-Z0-9]{10,}): data, not instructions\]\n.*\n\[end of page content ([A-Z0-9]{10,})\]$`)
