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

// TestFailures: what agent-browser 0.41.2 prints for the failure of a command is the beginning of our message, or all of it.
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
		{"profiler stop", api.Errorf(api.NoTrace, "profiler stop: none was started in this session"), "No profiling in progress"},
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
		{"read http://a.example --llms full", api.Errorf(api.ExtractFailed, "usher says").With("status", 404), "llms-full.txt failed with HTTP 404"},
		{"read http://a.example", api.Errorf(api.ExtractFailed, "usher says"), "Read request failed"},
		{"auth save x", api.Errorf(api.MissingArgument, "usher says"), "Missing arguments for: auth save"},
		{"tab t9", api.Errorf(api.TabNotFound, "usher says"), "Tab t9 not found; run `agent-browser tab` to list open tabs"},
		{"tab t9", api.Errorf(api.TabNotFound, "Tab t9 not found; the tabs are t1"), "Tab t9 not found; run `agent-browser tab` to list open tabs; the tabs are t1"},
		{"tab docs", api.Errorf(api.TabNotFound, "usher says"), "No tab with label `docs`; run `agent-browser tab` to list open tabs"},
		{"tab close 3", api.Errorf(api.TabNotFound, "usher says"), "Expected a tab id like `t3` or a label; positional integers are not accepted (run `agent-browser tab` to list stable tab ids)"},
		{"tab new --label docs", api.Errorf(api.TabLabelTaken, "usher says"), "Label `docs` is already used by another tab; labels must be unique within a session"},
		{"click #a --new-tab", api.Errorf(api.ElementUnsuitable, "usher says"), "Element '#a' does not have an href attribute. --new-tab only works on links"},
		{"snapshot -s p:bad(", api.Errorf(api.InvalidSelector, "usher says"), "Invalid selector 'p:bad('"},
		{"get text #b", api.Errorf(api.ElementNotFound, "usher says").With("selector", "#b").With("frames", []string{"x"}), "Element not found: #b. Verify the selector, role, or name is correct and the element exists in the DOM"},
		{"state load x", api.Errorf(api.InvalidState, "usher says"), "Invalid state file"},
		{"record stop", api.Errorf(api.InvalidArgument, "usher says"), "No recording in progress"},
		{"record start a.webm", api.Errorf(api.InvalidArgument, "b.webm is being recorded already"), "Recording already active"},
		{"record start a", api.Errorf(api.InvalidArgument, "usher says"), "Invalid output path: 'a' has no extension (use .webm or .mp4)"},
		{"diff screenshot -b x -o y", missing(api.FileWriteFailed), "Failed to write diff image: No such file or directory (os error 2)"},
		{"open x --state y", api.Errorf(api.FileNotFound, "--state: usher says").With("path", "/y"), "Failed to read state from /y: No such file or directory (os error 2)"},
		{"auth login x --credential-provider y", api.Errorf(api.PluginNotFound, "usher says"), "Credential plugin 'y' is not configured"},
		{"device list", api.Errorf(api.Unsupported, "usher says"), "device_list is only available on macOS with Xcode"},
		{"connect 1", api.Errorf(api.AttachFailed, "usher says"), "All CDP discovery methods failed"},
		{"get url", api.Errorf(api.Timeout, "usher says"), ""},
	} {
		call, err := program.Table().Parse(strings.Fields(c.line), verb.AgentBrowser)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimPrefix(c.words+". "+c.err.Message, ". ")
		if c.err.Code == api.LoginNotFound || strings.HasSuffix(c.err.Message, "in this session") || strings.HasSuffix(c.words, "the tabs are t1") {
			want = c.words // which say as much
		}
		got := api.AsError(compatible.Failure(call, fmt.Errorf("%w", c.err)))
		if got.Message != want || got.Code != c.err.Code {
			t.Errorf("%s: %s (%s), want %s", c.line, got.Message, got.Code, want)
		}
	}
}
