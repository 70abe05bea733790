// Package tooltest calls tools of agents in tests, without an MCP server.
package tooltest

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/tool"
)

// Host returns a host whose files are in a directory of the test.
func Host(t *testing.T) *tool.Host {
	t.Helper()
	dir := t.TempDir()
	return &tool.Host{Session: "s", Roots: []string{filepath.Join(dir, "open")}, StateDir: filepath.Join(dir, "state"), ArtifactDir: filepath.Join(dir, "artifacts")}
}

// Call calls one of tools by name and returns the data of its result as JSON, or the error's message.
func Call(t *testing.T, tools []tool.Tool, h *tool.Host, name, args string) string {
	t.Helper()
	i := slices.IndexFunc(tools, func(o tool.Tool) bool { return o.Name == name })
	if i < 0 {
		t.Fatalf("there is no tool %s", name)
	}
	parsed, err := tools[i].Parse(jsontext.Value(args))
	if err != nil {
		return err.Error()
	}
	res := tools[i].Call(t.Context(), h, parsed)
	if failed, ok := res.Value.(*tool.FailureData); ok {
		return failed.Error
	}
	return string(res.Data.JSON())
}
