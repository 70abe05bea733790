package webmcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/webmcp"
)

func TestMain(m *testing.M) { cdptest.Run(m) }

// shop opens the page with tools in a browser with WebMCP.
func shop(t *testing.T, query string) *commandtest.Session {
	t.Helper()
	s := commandtest.NewIn(t, cdptest.Launch(t, "--enable-features=WebMCP"))
	t.Cleanup(s.Context.Invocations.End)
	s.Run(t, "open", cdptest.NewSite(t).URL("/tools"+query))
	return s
}

func invoked(t *testing.T, s *commandtest.Session, words ...string) webmcp.Invocation {
	t.Helper()
	return commandtest.Data[webmcp.Invocation](t, s.Run(t, append([]string{"webmcp"}, words...)...))
}

// TestTools: tools are listed and called, whatever the page has done to document.modelContext.
func TestTools(t *testing.T) {
	s := shop(t, "?shop")
	got := s.Run(t, "webmcp", "list")
	listed := commandtest.Data[webmcp.Listed](t, got)
	names := ""
	for _, tool := range listed.Tools {
		names += tool.Name + " "
	}
	if names != "asks fails leaves never sum " || !listed.Untrusted || !listed.Experimental {
		t.Errorf("the tools are %s: %+v", names, listed)
	}
	sum := listed.Tools[len(listed.Tools)-1]
	if a := sum.Annotations; a.ReadOnly == nil || !*a.ReadOnly || !strings.Contains(string(sum.InputSchema), `"required"`) || !strings.HasPrefix(sum.Origin, "http://127.0.0.1:") {
		t.Errorf("the tool is %+v", sum)
	}
	if !strings.Contains(got.Text, "\n  Adds two numbers\n  http://127.0.0.1:") {
		t.Errorf("the text is\n%s", got.Text)
	}
	if text := s.Run(t, "webmcp", "list", "sum").Text; !strings.Contains(text, `"required"`) || strings.Contains(text, "never") {
		t.Errorf("one tool:\n%s", text)
	}
	if out := invoked(t, s, "invoke", "sum", "--params", `{"a":20,"b":22}`); out.Status != "completed" || out.RawStatus != "Completed" ||
		!strings.Contains(string(out.Output), "?shop 42") || out.Error != nil {
		t.Errorf("sum: %+v %s", out, out.Output)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "p.json"), []byte(`{"a":1,"b":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := invoked(t, s, "invoke", "sum", "--params", "@p.json"); !strings.Contains(string(out.Output), "?shop 3") {
		t.Errorf("with a file: %s", out.Output)
	}
	for line, want := range map[string]struct {
		code api.Code
		says string
	}{
		"webmcp list nothing":                      {api.ToolNotRegistered, "nothing"},
		"webmcp invoke nothing":                    {api.ToolNotRegistered, "nothing"},
		"webmcp invoke fails":                      {api.PageToolFailed, "no tea today"},
		"webmcp invoke never --timeout 200ms":      {api.Timeout, "did not answer within 200ms"},
		"webmcp invoke leaves":                     {api.PageToolFailed, "page changed"},
		"webmcp invoke sum --params @missing.json": {api.FileNotFound, "missing.json"},
		"webmcp result 1":                          {api.NoInvocation, "1"},
		"webmcp cancel 1":                          {api.NoInvocation, "1"},
	} {
		if _, err := s.Try(t, strings.Fields(line)...); api.CodeOf(err) != want.code || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%s: %s %v", line, api.CodeOf(err), err)
		}
		s.Run(t, "open", strings.Replace(listed.Tools[0].Origin+"/tools?shop", "//tools", "/tools", 1))
	}
	s.Settings.Compatible = true // under agent-browser's name a tool that fails is a result
	if out := invoked(t, s, "invoke", "fails"); out.Status != "failed" || out.RawStatus != "Error" || out.Error == nil || !strings.Contains(*out.Error, "no tea today") {
		t.Errorf("fails: %+v", out)
	}
}

// TestDetached: a tool that was not waited for can be asked for, cancelled, and has a deadline.
func TestDetached(t *testing.T) {
	s := shop(t, "")
	one := invoked(t, s, "invoke", "never", "--detach")
	if one.Status != "pending" || one.InvocationID == "" {
		t.Errorf("detached: %+v", one)
	}
	s.Run(t, "wait", "--text", "called")
	if now := invoked(t, s, "result", one.InvocationID, "--timeout", "100ms"); now.Status != "pending" {
		t.Errorf("it is %+v", now)
	}
	if now := invoked(t, s, "cancel", one.InvocationID); now.Status != "canceled" || now.RawStatus != "Canceled" {
		t.Errorf("cancelled: %+v", now)
	}
	if _, err := s.Try(t, "webmcp", "cancel", one.InvocationID); api.CodeOf(err) != api.InvocationEnded {
		t.Errorf("cancelled again: %v", err)
	}
	late := invoked(t, s, "invoke", "never", "--detach", "--timeout", "300ms")
	began := time.Now()
	if _, err := s.Try(t, "webmcp", "result", late.InvocationID); api.CodeOf(err) != api.Timeout {
		t.Errorf("after its deadline: %v (%s)", err, time.Since(began))
	}
	left := invoked(t, s, "invoke", "never", "--detach")
	s.Run(t, "reload")
	if _, err := s.Try(t, "webmcp", "result", left.InvocationID); api.CodeOf(err) != api.PageToolFailed || !strings.Contains(err.Error(), "page changed") {
		t.Errorf("after another page: %v", err)
	}
	// A dialog of the tool is reported, and the tool goes on when it is answered.
	_, err := s.Try(t, "webmcp", "invoke", "asks")
	if api.CodeOf(err) != api.DialogOpen {
		t.Fatalf("a tool with a dialog: %v", err)
	}
	id, _ := api.AsError(err).Data["invocationId"].(string)
	s.Run(t, "dialog", "accept")
	if out := invoked(t, s, "result", id); string(out.Output) != `{"answer":true}` {
		t.Errorf("after the dialog: %+v %s", out, out.Output)
	}
}

// TestFrames: the tools of frames are found, in the process of the page and in others, and called in their own frame.
func TestFrames(t *testing.T) {
	s := shop(t, "?frames")
	s.Run(t, "wait", "--load", "load")
	frames := map[string]bool{}
	for _, tool := range commandtest.Data[webmcp.Listed](t, s.Run(t, "webmcp", "list", "sum")).Tools {
		frames[tool.FrameID] = true
	}
	if len(frames) != 3 { // the fourth is denied by permissions policy
		t.Errorf("frames with tools: %v", frames)
	}
	params := []string{"invoke", "sum", "--params", `{"a":1,"b":1}`}
	for frame, want := range map[string]string{"": "?frames 2", "near": "?near 2", "far": "?far 2"} {
		words := params
		if frame != "" {
			words = append(params, "--frame", frame)
		}
		if out := invoked(t, s, words...); !strings.Contains(string(out.Output), want) {
			t.Errorf("in %s: %s", frame, out.Output)
		}
	}
	if _, err := s.Try(t, append([]string{"webmcp"}, append(params, "--frame", "denied")...)...); api.CodeOf(err) != api.ToolNotRegistered {
		t.Errorf("in the frame without tools: %v", err)
	}
}

// TestWithoutWebMCP: without the browser's feature that is said.
func TestWithoutWebMCP(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/tools"))
	if _, err := s.Try(t, "webmcp", "list"); api.CodeOf(err) != api.Unsupported {
		t.Errorf("list: %v", err)
	}
	s.Settings.Compatible = true
	if got := s.Run(t, "webmcp", "list").Text; got != "No WebMCP tools registered on the current page" {
		t.Errorf("list under agent-browser's name: %s", got)
	}
}
