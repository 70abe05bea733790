package compatible_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run/compatible"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
)

// TestFailures: what agent-browser 0.41.2 prints for the failure of a command is the beginning of our message.
func TestFailures(t *testing.T) {
	t.Parallel()
	missing := func(code api.Code) *api.Error {
		return api.Errorf(code, "usher says: %w", fs.ErrNotExist).With("path", "/none/x")
	}
	for _, c := range []struct {
		line  string
		err   *api.Error
		words string
	}{
		{"trace stop", api.Errorf(api.NoTrace, "usher says"), "No tracing in progress"},
		{"profiler stop", api.Errorf(api.NoTrace, "usher says"), "No profiling in progress"},
		{"trace start", api.Errorf(api.TraceActive, "usher says"), "Tracing already active"},
		{"profiler start", api.Errorf(api.TraceActive, "usher says"), "Profiling/tracing already active"},
		{"trace stop x", missing(api.FileWriteFailed), "Failed to write trace to /none/x: No such file or directory (os error 2)"},
		{"profiler stop x", missing(api.FileWriteFailed), "Failed to write profile to /none/x: No such file or directory (os error 2)"},
		{"network har stop x", missing(api.FileWriteFailed), "Failed to write HAR: No such file or directory (os error 2)"},
		{"network har stop x", api.Errorf(api.FileWriteFailed, "usher says: %w", fs.ErrPermission), "Failed to write HAR: Permission denied (os error 13)"},
		{"state load x", missing(api.FileNotFound), "Failed to read state from /none/x: No such file or directory (os error 2)"},
		{"state show x", missing(api.FileNotFound), "Failed to read state file: No such file or directory (os error 2)"},
		{"diff screenshot -b x", missing(api.FileNotFound), "Failed to read baseline: No such file or directory (os error 2)"},
		{"a11y -s #none", api.Errorf(api.ElementNotFound, "usher says"), "No element matches selector: #none"},
		{"read http://a.example", api.Errorf(api.ExtractFailed, "usher says").With("status", 404), "Read failed with HTTP 404"},
		{"read http://a.example --llms index", api.Errorf(api.ExtractFailed, "usher says").With("status", 404), "llms.txt failed with HTTP 404"},
		{"read http://a.example --require-md", api.Errorf(api.ExtractFailed, "usher says").With("contentType", "text/html"), "Expected text/markdown, got text/html"},
		{"auth login x", api.Errorf(api.LoginNotFound, "usher says"), "Auth profile 'x' not found"},
		{"get url", api.Errorf(api.Timeout, "usher says"), ""},
	} {
		call, err := program.Table().Parse(strings.Fields(c.line), verb.AgentBrowser)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimPrefix(c.words+". "+c.err.Message, ". ")
		got := api.AsError(compatible.Failure(call, fmt.Errorf("%w", c.err)))
		if got.Message != want || got.Code != c.err.Code {
			t.Errorf("%s: %s (%s), want %s", c.line, got.Message, got.Code, want)
		}
	}
}
