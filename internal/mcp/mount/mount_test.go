package mount

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
)

// serverVariable makes the test binary an MCP server that misbehaves as its value says.
const serverVariable = "USHER_TEST_SERVER"

func TestMain(m *testing.M) {
	if how := os.Getenv(serverVariable); how != "" {
		misbehave(how)
		return
	}
	goleak.VerifyTestMain(m)
}

// misbehave runs a small server, which is correct except for how.
func misbehave(how string) {
	switch how {
	case "crash":
		fmt.Fprintln(os.Stderr, "no configuration found")
		os.Exit(3)
	case "mute":
		_, _ = io.Copy(io.Discard, os.Stdin) // it reads and never answers
		return
	case "garbage":
		fmt.Println("Welcome to my server!")
	case "flood":
		for out := bufio.NewWriterSize(os.Stdout, 1<<16); ; {
			fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
		}
	case "line":
		for {
			fmt.Print(strings.Repeat("x", 1<<20)) // never sends a line end
		}
	}
	s := mcp.NewServer(&mcp.Implementation{Name: how, Version: "1"}, nil)
	add := func(name string, run func(context.Context) string) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: jsontext.Value(`{"type":"object"}`)},
			func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: run(ctx)}}}, nil
			})
	}
	add("env", func(context.Context) string { return strings.Join(os.Environ(), "\n") })
	add("long", func(context.Context) string { return strings.Repeat("0123456789\n", 10_000) })
	add("wait", func(ctx context.Context) string { // until it is cancelled, which it reports in a file
		<-ctx.Done()
		if err := os.WriteFile("cancelled", nil, 0o600); err != nil {
			return err.Error()
		}
		return "cancelled"
	})
	in := &stallingReader{r: os.Stdin}
	add("stop_reading", func(context.Context) string { in.stalled.Store(true); return "what?" })
	add("freeze", func(context.Context) string { stopSelf(); return "" })
	add("die", func(context.Context) string { os.Exit(4); return "" })
	add("grow", func(context.Context) string {
		add("grown", func(context.Context) string { return "new" })
		s.RemoveTools("long")
		return "ok"
	})
	if err := s.Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: os.Stdout}); err != nil {
		os.Exit(1)
	}
}

// stallingReader is a standard input that stops reading when stalled is set. At most the message that is being read
// then is completed.
type stallingReader struct {
	r       *os.File
	stalled atomic.Bool
}

func (d *stallingReader) Close() error { return d.r.Close() }
func (d *stallingReader) Read(b []byte) (int, error) {
	n, err := d.r.Read(b[:1])
	for d.stalled.Load() {
		time.Sleep(time.Hour)
	}
	return n, err
}

// startMount mounts a server that misbehaves in this way.
func startMount(t *testing.T, how string, change func(*config.Server)) *Mount {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := config.Server{Name: "odd", Command: self, Env: map[string]string{serverVariable: how}, Dir: t.TempDir(),
		Timeout: cdptest.Timeout, StartTimeout: cdptest.Timeout}
	if change != nil {
		change(&s)
	}
	m := New(&s, "test", "", func() {})
	t.Cleanup(m.Close)
	return m
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	t.Cleanup(cancel)
	return ctx
}

// run calls a tool as the MCP server does.
func (m *Mount) run(ctx context.Context, t *testing.T, name, args string) (*tool.Result, error) {
	t.Helper()
	for _, own := range m.Tools() {
		if own.Name == toolset.ToolPrefix+m.server.Name+"__"+name {
			parsed, err := own.Parse(jsontext.Value(args))
			if err != nil {
				t.Fatal(err)
			}
			return own.Run(ctx, &tool.Host{ArtifactDir: t.TempDir()}, parsed)
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil, nil
}

// TestFilesystem mounts a real server from npm. After it was killed during a call it is restarted, with all its tools.
func TestFilesystem(t *testing.T) {
	installing, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	script, err := peer.FilesystemServer(installing, filepath.Join("testdata", "package.json"), filepath.Join("..", "..", "..", ".cache", "mount"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	dir, cache := t.TempDir(), t.TempDir()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "greeting")
	if err := os.WriteFile(file, []byte("hello from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	conf := &config.Tools{Servers: []config.Server{{Name: "filesystem", Command: node, Args: []string{script, dir}, Exclude: []string{"write_*", "move_file"},
		Provides: map[string]string{"read_file": "read_text_file"}, Timeout: cdptest.Timeout, StartTimeout: cdptest.Timeout}}}
	m := New(&conf.Servers[0], "test", cache, func() {})
	t.Cleanup(m.Close)
	if m.Problem() == "" || m.Known() {
		t.Error("it is known before it was ever started")
	}
	if err := m.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}
	setup, err := toolset.New(toolset.Options{Config: conf, Names: []string{"filesystem", "file"}, Sources: []toolset.Source{m}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, own := range setup.Tools() {
		names = append(names, own.Name)
	}
	list := strings.Join(names, " ")
	if !strings.Contains(list, "mcp__filesystem__list_directory") || !strings.Contains(list, "read_file ") || strings.Contains(list, "mcp__filesystem__write_file") {
		t.Errorf("the tools are %s", list)
	}
	args, err := json.Marshal(map[string]string{"path": file})
	if err != nil {
		t.Fatal(err)
	}
	read := func() {
		t.Helper()
		res, err := m.run(testContext(t), t, "read_text_file", string(args))
		if err != nil || res.Failed || !strings.Contains(res.Text, "hello from a file") {
			t.Errorf("read: %+v, %v", res, err)
		}
	}
	read()
	if res, err := m.run(testContext(t), t, "read_text_file", `{"path":"/nowhere/at/all"}`); err != nil || !res.Failed || res.Text == "" {
		t.Errorf("a call that the server refuses: %+v, %v", res, err)
	}

	s, _ := m.keeper.Up()
	pid := s.program.PID()
	process, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	stop(t, process) // so that the call is in progress when it is killed
	killed := make(chan error, 1)
	go func() { killed <- process.Kill() }()
	if _, err = m.run(testContext(t), t, "read_text_file", string(args)); err == nil || api.AsError(err).Code != api.ToolUnavailable {
		t.Errorf("killed during the call: %v", err)
	}
	if err := <-killed; err != nil {
		t.Fatal(err)
	}
	read()
	if s, up := m.keeper.Up(); !up || s.program.PID() == pid {
		t.Error("it runs as if nothing had happened")
	}

	// A later run of usher lists the tools without starting the server.
	other := New(&conf.Servers[0], "test", cache, func() {})
	t.Cleanup(other.Close)
	if !other.Known() || other.Problem() != "" || len(other.Tools()) != len(m.Tools()) {
		t.Errorf("of %d tools %d are remembered: %q", len(m.Tools()), len(other.Tools()), other.Problem())
	} else if _, up := other.keeper.Up(); up {
		t.Error("to know them it was started")
	}
}

// TestMisbehavingServers: each fault of a server is reported in time, and does not affect other tools.
func TestMisbehavingServers(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"crash":   "it ended with exit status 3; it said: no configuration found",
		"mute":    "it was not ready within 500ms",
		"garbage": "invalid",
		"flood":   "it sent too much",
		"line":    "",
		"missing": "no such file",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			m := startMount(t, how, func(s *config.Server) {
				switch how {
				case "mute":
					s.StartTimeout = 500 * time.Millisecond
				case "missing":
					s.Command = "/nowhere/server"
				}
			})
			err := m.Ready(testContext(t))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %q", err, want)
			}
			if problem := m.Problem(); !strings.Contains(problem, want) || !strings.Contains(problem, "odd") {
				t.Errorf("the problem is %q", problem)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	var told atomic.Int32
	m := startMount(t, "well", nil)
	m.changed = func() { told.Add(1) }
	if err := m.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}

	env, err := m.run(testContext(t), t, "env", "{}")
	if err != nil || !strings.Contains(env.Text, "PATH=") || !strings.Contains(env.Text, serverVariable) || strings.Contains(env.Text, "USHER_CHROME") {
		t.Errorf("its environment is %+v, %v", env, err)
	}
	long, err := m.run(testContext(t), t, "long", "{}")
	if err != nil || len(long.Text) > 16_000 || !strings.Contains(long.Text, "of 110000 bytes") && !strings.Contains(long.Text, "of 109999 bytes") {
		t.Errorf("%d bytes, %v", len(long.Text), err)
	}

	// If the caller cancels, the call is cancelled in the server.
	ctx, cancel := context.WithCancel(testContext(t))
	gaveUp := make(chan error, 1)
	go func() {
		_, err := m.run(ctx, t, "wait", "{}")
		gaveUp <- err
	}()
	cancel()
	if err := <-gaveUp; err == nil || api.AsError(err).Code != api.Cancelled {
		t.Errorf("given up: %v", err)
	}
	// A call that takes too long is cancelled in the server, which keeps running.
	m.server.Timeout = 300 * time.Millisecond
	if _, err := m.run(testContext(t), t, "wait", "{}"); err == nil || api.AsError(err).Code != api.Timeout {
		t.Errorf("too long: %v", err)
	}
	m.server.Timeout = cdptest.Timeout
	wait(t, "the server to be told of the cancelling", func() bool {
		_, err := os.Stat(filepath.Join(m.server.Dir, "cancelled"))
		return err == nil
	})
	if _, err := m.run(testContext(t), t, "env", "{}"); err != nil {
		t.Errorf("after that: %v", err)
	}

	// The server changes its tools.
	if _, err := m.run(testContext(t), t, "grow", "{}"); err != nil {
		t.Fatal(err)
	}
	wait(t, "the new list", func() bool {
		var names []string
		for _, own := range m.Tools() {
			names = append(names, own.Name)
		}
		list := strings.Join(names, " ")
		return strings.Contains(list, "mcp__odd__grown") && !strings.Contains(list, "mcp__odd__long")
	})
	wait(t, "being told of it", func() bool { return told.Load() > 0 })

	// It crashes during a call, and is restarted for the next one.
	if _, err := m.run(testContext(t), t, "die", "{}"); err == nil || api.AsError(err).Code != api.ToolUnavailable || !strings.Contains(err.Error(), "exit status 4") {
		t.Errorf("died: %v", err)
	}
	if _, err := m.run(testContext(t), t, "env", "{}"); err != nil {
		t.Errorf("after it died: %v", err)
	}
}

// TestUnresponsiveServer: a server that no longer answers is detected and restarted.
func TestUnresponsiveServer(t *testing.T) {
	t.Parallel()
	m := startMount(t, "well", nil)
	if err := m.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}
	m.server.Timeout = 300 * time.Millisecond
	if _, err := m.run(testContext(t), t, "freeze", "{}"); err == nil || api.AsError(err).Code != api.Timeout {
		t.Errorf("frozen: %v", err)
	}
	m.server.Timeout = cdptest.Timeout
	if _, err := m.run(testContext(t), t, "env", "{}"); err == nil || !strings.Contains(err.Error(), "it is unresponsive") {
		t.Errorf("the call behind it: %v", err)
	}
	if _, err := m.run(testContext(t), t, "env", "{}"); err != nil {
		t.Errorf("after it was started again: %v", err)
	}
}

// TestSetTools: valid tools of a server are taken, invalid ones are not.
func TestSetTools(t *testing.T) {
	t.Parallel()
	m := &Mount{server: &config.Server{Name: "s", Include: []string{"get_*", "odd name", "same", "array", "none", strings.Repeat("n", 60)}, Exclude: []string{"get_secret"}}}
	object := map[string]any{"type": "object"}
	m.setTools([]*mcp.Tool{
		{Name: "get_a", InputSchema: object, Description: strings.Repeat("ä", 4000)},
		{Name: "get_secret", InputSchema: object}, {Name: "put", InputSchema: object}, {Name: "odd name", InputSchema: object},
		{Name: "same", InputSchema: object}, {Name: "same", InputSchema: object},
		{Name: "array", InputSchema: map[string]any{"type": "array"}}, {Name: "none"}, {Name: strings.Repeat("n", 60), InputSchema: object},
		{Name: "get_big", InputSchema: map[string]any{"type": "object", "x": strings.Repeat("x", 64<<10)}},
	})
	if len(m.tools) != 2 || m.tools[0].Name != "mcp__s__get_a" || m.tools[1].Name != "mcp__s__same" || len(m.notes) != 6 {
		t.Errorf("%d tools, notes:\n%s", len(m.tools), strings.Join(m.notes, "\n"))
	}
	if doc := m.tools[0].Doc; len(doc) > 4<<10+4 || !strings.HasSuffix(doc, "ä…") {
		t.Errorf("the description has %d bytes", len(doc))
	}
	if doc := m.Set().Doc; !strings.Contains(doc, "not offered: 6") {
		t.Errorf("the toolset says %q", doc)
	}
}

func wait(t *testing.T, what string, until func() bool) {
	t.Helper()
	for deadline := time.Now().Add(cdptest.Timeout); !until(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// TestServerThatStopsReading: a call whose message does not fit into the pipe ends with its context, as do the calls
// after it. The server is ended and restarted.
func TestServerThatStopsReading(t *testing.T) {
	t.Parallel()
	m := startMount(t, "well", nil)
	if err := m.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}
	before, _ := m.keeper.Up()
	if _, err := m.run(testContext(t), t, "stop_reading", "{}"); err != nil {
		t.Fatal(err)
	}
	large := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 1<<20))
	for n := 0; ; n++ {
		select {
		case <-before.Done():
		default:
			args := []string{large, "{}"}[n%2]
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			_, err := m.run(ctx, t, "env", args)
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
	res, err := m.run(testContext(t), t, "env", "{}")
	if err != nil || !strings.Contains(res.Text, serverVariable) {
		t.Errorf("after its restart: %+v, %v", res, err)
	}
}
