package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestAgentBrowser: the tool agent_browser over MCP, with content and details.
func TestAgentBrowser(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--toolsets", "agent_browser", "--allow-private-urls")
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	defer cancel()
	list, err := a.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name == "agent_browser" && tool.OutputSchema == nil {
			t.Error("it has no output schema")
		}
	}
	args := func(words ...string) map[string]any { return map[string]any{"args": words} }
	open := a.must("agent_browser", args("open", site.URL("/small")))
	if open["sessionName"] != "shared" || open["successCategory"] != "completed" {
		t.Errorf("%v", open)
	}
	shot := a.must("agent_browser", args("snapshot", "-i"))
	if refs, ok := shot["refSnapshot"].(map[string]any); !ok || shot["refSnapshotRevision"] != 1.0 {
		t.Errorf("%v", refs)
	}
	res, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "agent_browser", Arguments: args("click", "@e999")})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, c := range res.Content {
		text += c.(*mcp.TextContent).Text + "\n"
	}
	begin, end := strings.Index(text, "[page content"), strings.Index(text, "[end of page content")
	next := strings.Index(text, "Next actions:")
	if !res.IsError || begin < 0 || end < begin || next < end || !strings.Contains(text, "failureCategory: stale-ref") {
		t.Errorf("isError %v: %s", res.IsError, text)
	}
	for _, flag := range [][]string{{"--executable-path", "/bin/true"}, {"--site-guard=false"}, {"--args", "--x"}, {"--extension", "/tmp"}} {
		got := a.call("agent_browser", args(append(flag, "get", "title")...))
		if got["failureCategory"] != "policy-blocked" {
			t.Errorf("%v: %v", flag, got)
		}
	}
	if out := shell("--session", "shared", "get", "url"); !strings.Contains(out, "/small") {
		t.Errorf("a person does not see the session: %s", out)
	}
	if got := a.call("agent_browser", map[string]any{"args": []string{"close"}, "qa": map[string]any{"url": "x"}}); got["failureCategory"] != "validation-error" {
		t.Errorf("%v", got)
	}
	guarded, err := a.CallTool(ctx, &mcp.CallToolParams{Meta: mcp.Meta{"usher/user-prompt": "Do not submit the form"}, Name: "agent_browser", Arguments: args("press", "Enter")})
	if err != nil || !guarded.IsError {
		t.Errorf("the user's words are not heeded: %v %v", guarded, err)
	}
}

// TestAgentBrowserContinues: a client that starts its server again goes on in its session; one that is gone leaves none.
func TestAgentBrowserContinues(t *testing.T) {
	site := cdptest.NewSite(t)
	first, _ := connectAgent(t, nil, "--toolsets", "agent_browser", "--allow-private-urls")
	connect := func() *mcp.ClientSession {
		t.Helper()
		server := exec.Command("usher", "mcp", "--toolsets", "agent_browser", "--allow-private-urls")
		server.Env, server.Stderr, server.Dir = append(os.Environ(), first.env...), os.Stderr, first.dir
		ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
		defer cancel()
		session, err := newClient(t, "again", nil).Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return session
	}
	call := func(s *mcp.ClientSession, words ...string) map[string]any {
		t.Helper()
		return agent{ClientSession: s, t: t}.must("agent_browser", map[string]any{"args": words})
	}
	one := connect()
	name := call(one, "open", site.URL("/small"))["sessionName"]
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	two := connect()
	defer two.Close()
	got := call(two, "get", "url")
	if got["sessionName"] != name || !strings.HasPrefix(name.(string), "agent-") || !strings.Contains(fmt.Sprint(got["data"]), "/small") {
		t.Errorf("%v, then %v", name, got)
	}
}
