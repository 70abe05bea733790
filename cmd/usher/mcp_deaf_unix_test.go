//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestAgentAndDeafPlugin: a call of a plugin that has stopped reading fails at the plugin's deadline, however large it
// is, and so does the next one. The plugin is ended and restarted.
func TestAgentAndDeafPlugin(t *testing.T) {
	dir := t.TempDir()
	script := `read hello; echo '{"type":"manifest","protocol":1,"tools":[{"name":"deaf_note","inputSchema":{"type":"object"}}]}'; echo started >> ` + dir + `/starts; exec sleep 1000`
	conf := "plugins:\n  deaf:\n    command: sh\n    args: [-c, " + strings.ReplaceAll("'"+strings.ReplaceAll(script, "'", "''")+"'", "\n", " ") + "]\n    timeout: 1s\n"
	path := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	a, _ := connectAgent(t, nil, "--config", path, "--toolsets", "deaf")
	ctx, cancel := context.WithTimeout(t.Context(), 2*cdptest.Timeout)
	defer cancel()
	var told []string
	for !strings.Contains(strings.Join(told, "\n"), "it is unresponsive") && !t.Failed() {
		res, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "deaf_note", Arguments: map[string]any{"text": strings.Repeat("x", 1<<20)}})
		if err != nil || !res.IsError {
			t.Fatalf("the call ended with %+v, %v after %d others", res, err, len(told))
		}
		told = append(told, res.Content[0].(*mcp.TextContent).Text)
	}
	if !strings.Contains(told[0], "took longer than 1s and was cancelled") {
		t.Errorf("the first call was told %s", told[0])
	}
	for len(started(t, dir)) < 2 && ctx.Err() == nil {
		_, _ = a.CallTool(ctx, &mcp.CallToolParams{Name: "deaf_note"}) // what it says is the same
	}
	if n := len(started(t, dir)); n < 2 {
		t.Errorf("the plugin was started %d times", n)
	}
}

func started(t *testing.T, dir string) []string {
	raw, err := os.ReadFile(filepath.Join(dir, "starts"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(raw))
}
