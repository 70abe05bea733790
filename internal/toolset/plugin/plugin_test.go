package plugin

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
)

// pluginVariable makes the test binary a plugin.
const pluginVariable = "USHER_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if how := os.Getenv(pluginVariable); how != "" {
		behave(how)
		return
	}
	goleak.VerifyTestMain(m)
}

// orphan exits and leaves a child process, on systems that support it.
var orphan = func() { os.Exit(7) }

// behave is a plugin as described in docs/plugins.md, correct except for how. It uses none of the tested code.
func behave(how string) {
	const tools = `{"name":"note_add","description":"Keep a note.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},` +
		`{"name":"browser_click","inputSchema":{"type":"object"}},{"name":"todo","inputSchema":{"type":"object"},"readOnly":true},` +
		`{"name":"bad","inputSchema":{"type":"array"}},{"name":"die","inputSchema":{"type":"object"}},{"name":"wait","inputSchema":{"type":"object"}},` +
		`{"name":"grow","inputSchema":{"type":"object"}},{"name":"long","inputSchema":{"type":"object"}},{"name":"ignore","inputSchema":{"type":"object"}},` +
		`{"name":"orphan","inputSchema":{"type":"object"}}`
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan() // hello
	switch how {
	case "crash":
		fmt.Fprintln(os.Stderr, "no database")
		os.Exit(5)
	case "mute":
		_, _ = io.Copy(io.Discard, os.Stdin) // it reads and never answers
		return
	case "garbage":
		say("ready!")
	case "future":
		say(`{"type":"manifest","protocol":2,"tools":[]}`)
	case "long":
		say("%s", strings.Repeat("x", 17<<20))
	case "flood":
		for {
			say("")
		}
	}
	say(`{"type":"manifest","protocol":1,"description":"notes","tools":[%s]}`, tools)
	if how == "deaf" {
		for { // it runs, and reads nothing
			time.Sleep(time.Hour)
		}
	}
	for lines.Scan() {
		var m struct {
			Type, Tool string
			ID         int
			Arguments  struct{ Text string }
		}
		if err := json.Unmarshal(lines.Bytes(), &m, json.MatchCaseInsensitiveNames(true)); err != nil {
			os.Exit(6)
		}
		switch m.Type + " " + m.Tool {
		case "call note_add":
			say(`{"type":"progress","id":%d,"text":"working"}`, m.ID)
			say(`{"type":"result","id":%d,"text":"kept: %s"}`, m.ID, m.Arguments.Text)
		case "call todo":
			say(`{"type":"result","id":%d,"data":{"items":[1,2]}}`, m.ID)
		case "call orphan":
			orphan()
		case "call die":
			os.Exit(7)
		case "call long":
			say(`{"type":"result","id":%d,"text":"%s"}`, m.ID, strings.Repeat("x", 100_000))
		case "call grow":
			say(`{"type":"manifest","protocol":1,"tools":[{"name":"grown","inputSchema":{"type":"object"}},%s]}`, tools)
			say(`{"type":"error","id":%d,"message":"grown, but sorry"}`, m.ID)
		case "cancel ":
			fmt.Fprintf(os.Stderr, "cancelled %d\n", m.ID)
			say(`{"type":"result","id":%d,"text":"too late"}`, m.ID)
		case "call ignore":
			_, _ = io.Copy(io.Discard, os.Stdin)
			return
		}
	}
}

func start(t *testing.T, how string, changed func()) *Plugin {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if changed == nil {
		changed = func() {}
	}
	p := New(&config.Server{Name: "notes", Command: self, Env: map[string]string{pluginVariable: how}, Provides: map[string]string{"todo": "todo"},
		Timeout: cdptest.Timeout, StartTimeout: cdptest.Timeout}, "test", func(name string) bool { return name == "browser_click" || name == "todo" }, changed)
	t.Cleanup(p.Close)
	return p
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	t.Cleanup(cancel)
	return ctx
}

func (p *Plugin) names() string {
	var names []string
	for _, own := range p.Tools() {
		names = append(names, own.Name)
	}
	return strings.Join(names, " ")
}

func (p *Plugin) run(ctx context.Context, t *testing.T, name, args string) (*tool.Result, []string, error) {
	t.Helper()
	for _, own := range p.Tools() {
		if own.Name == name {
			parsed, err := own.Parse(jsontext.Value(args))
			if err != nil {
				t.Fatal(err)
			}
			var steps []string
			res, err := own.Run(ctx, &tool.Host{ArtifactDir: t.TempDir(), Progress: func(s string) { steps = append(steps, s) }}, parsed)
			return res, steps, err
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil, nil, nil
}

func TestPlugin(t *testing.T) {
	t.Parallel()
	var told atomic.Int32
	p := start(t, "well", func() { told.Add(1) })
	if err := p.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if p.names() != "note_add todo die wait grow long ignore orphan" || !strings.Contains(p.Set().Doc, "notes; not offered: 2") {
		t.Errorf("it has %s; %s", p.names(), p.Set().Doc)
	}
	if todo := p.Tools()[1]; !todo.Traits.Is(tool.ReadOnly) {
		t.Error("a tool with readOnly does not have the trait ReadOnly")
	}
	res, steps, err := p.run(testContext(t), t, "note_add", `{"text":"milk"}`)
	if err != nil || res.Text != "kept: milk" || len(steps) != 1 || steps[0] != "working" {
		t.Errorf("%+v after %q, %v", res, steps, err)
	}
	if res, _, err = p.run(testContext(t), t, "todo", "{}"); err != nil || res.Text != `{"items":[1,2]}` {
		t.Errorf("data: %+v, %v", res, err)
	}
	if res, _, err = p.run(testContext(t), t, "long", "{}"); err != nil || len(res.Text) > 16_000 || !strings.Contains(res.Text, "of 100000 bytes") {
		t.Errorf("long: %v", err)
	}

	ctx, cancel := context.WithCancel(testContext(t))
	gaveUp := make(chan error, 1)
	go func() {
		_, _, err := p.run(ctx, t, "wait", "{}")
		gaveUp <- err
	}()
	cancel()
	if err := <-gaveUp; err == nil || api.AsError(err).Code != api.Cancelled {
		t.Errorf("given up: %v", err)
	}

	before := told.Load()
	if _, _, err := p.run(testContext(t), t, "grow", "{}"); err == nil || api.AsError(err).Code != api.ToolFailed || !strings.Contains(err.Error(), "sorry") {
		t.Errorf("an error of the plugin: %v", err)
	}
	if !strings.HasPrefix(p.names(), "grown ") || told.Load() == before {
		t.Errorf("after its manifest changed it has %s", p.names())
	}

	if _, _, err := p.run(testContext(t), t, "die", "{}"); err == nil || api.AsError(err).Code != api.ToolUnavailable || !strings.Contains(err.Error(), "exit status 7") {
		t.Errorf("died: %v", err)
	}
	if _, _, err := p.run(testContext(t), t, "note_add", `{}`); err != nil {
		t.Errorf("after it died: %v", err)
	}

	// A plugin that exceeds a call's deadline and sends nothing more counts as hanging.
	p.conf.Timeout = 200 * time.Millisecond
	if _, _, err := p.run(testContext(t), t, "ignore", "{}"); err == nil || api.AsError(err).Code != api.Timeout {
		t.Errorf("ignored: %v", err)
	}
	p.conf.Timeout = cdptest.Timeout
	if _, _, err := p.run(testContext(t), t, "note_add", "{}"); err == nil || !strings.Contains(err.Error(), "it is unresponsive") {
		t.Errorf("the call behind it: %v", err)
	}
	if _, _, err := p.run(testContext(t), t, "note_add", "{}"); err != nil {
		t.Errorf("after it was started again: %v", err)
	}
}

func TestMisbehavingPlugins(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"crash": "it ended with exit status 5; it said: no database", "mute": "it sent no manifest within 500ms",
		"garbage": `not a protocol message: "ready!"`, "future": "it speaks version 2", "flood": "it sent too much",
		"long": "it sent a line of more than 16 MB",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := start(t, how, nil)
			if how == "mute" {
				p.conf.StartTimeout = 500 * time.Millisecond
			}
			err := p.Ready(testContext(t))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %q", err, want)
			}
			if problem := p.Problem(); !strings.Contains(problem, "the plugin notes cannot be used") {
				t.Errorf("the problem is %q", problem)
			}
		})
	}
}

// TestPluginThatStopsReading: a call whose message does not fit into the pipe ends with its context, as do the calls
// after it. The plugin, to which part of a message was written, is ended and restarted.
func TestPluginThatStopsReading(t *testing.T) {
	t.Parallel()
	p := start(t, "deaf", nil)
	if err := p.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}
	before, _ := p.keeper.Up()
	large := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 1<<20))
	for n := 0; ; n++ {
		select {
		case <-before.Done():
		default:
			args := []string{large, `{"text":"behind it"}`}[n%2]
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			_, _, err := p.run(ctx, t, "note_add", args)
			if code := api.AsError(err).Code; err == nil || code != api.Timeout && code != api.ToolUnavailable {
				t.Errorf("a call of %d bytes that was given up ended with %v", len(args), err)
			}
			cancel()
			continue
		}
		break
	}
	if err := before.Err(); err == nil || !strings.Contains(err.Error(), "did not read a message") {
		t.Errorf("it ended because %v", err)
	}
	if err := p.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if now, _ := p.keeper.Up(); now == before || now.program.PID() == before.program.PID() {
		t.Error("it was not started again")
	}
}
