package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cli"
	"github.com/usher-browser/usher/internal/cli/fastpath"
	"github.com/usher-browser/usher/internal/daemon"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
)

// TestMain makes the test binary the program under test when it is called by
// one of its names: client, and started by the client, daemon. Anything that
// runs in a person's place (TEST_HOME) is never allowed to run tests.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "usher", "agent-browser":
		fastpath.Version = "test"
		os.Exit(cli.Program{Table: program.Table(), Version: "test", First: fastpath.First(), Daemon: serve, Local: local}.Main())
	}
	if home := os.Getenv("TEST_HOME"); home != "" {
		fmt.Fprintln(os.Stderr, "the test binary was started again by another name:", os.Args)
		os.Exit(2)
	}
	goleak.VerifyTestMain(m)
}

func serve(d cli.Daemon) int {
	var answer func(*api.Request, *verb.Call, io.Writer, io.Writer) int
	if os.Getenv("TEST_ANSWERS") != "" {
		answer = func(_ *api.Request, call *verb.Call, out, _ io.Writer) int {
			fmt.Fprintln(out, "daemon answers", call.Verb.Name)
			if call.Verb.Name == "session id" {
				return 4
			}
			return 0
		}
	}
	return daemon.Process{Local: answer, RunDir: d.RunDir, Build: d.Build + os.Getenv("TEST_BUILD"), Version: d.Version, Table: program.Table(), Detached: d.Detached,
		NewHandler: func(*slog.Logger) (daemon.Handler, error) {
			if reason := os.Getenv("TEST_FAIL"); reason != "" {
				fmt.Fprintln(os.Stderr, "a line in the log")
				return nil, errors.New(reason)
			}
			return &handler{open: map[string]bool{}}, nil
		}}.Run()
}

func local(_ context.Context, req *api.Request, call *verb.Call, out, _ io.Writer) int {
	fmt.Fprintln(out, "local", call.Verb.Name)
	return 0
}

// handler does what the script of `eval` says, and keeps a session for each
// `open`.
type handler struct {
	mu   sync.Mutex
	open map[string]bool
}

func (h *handler) Handle(ctx context.Context, req *api.Request, call *verb.Call, streams *daemon.Streams) int {
	switch call.Verb.Name {
	case "open":
		h.mu.Lock()
		h.open["default"] = true
		h.mu.Unlock()
	case "close":
		h.mu.Lock()
		clear(h.open)
		h.mu.Unlock()
	case "eval":
		if call.Form == "stdin" {
			n, err := io.Copy(streams.Out, streams.Stdin(ctx))
			if err != nil {
				return streams.Fail(req, req.WantsJSON(), err)
			}
			fmt.Fprintln(streams.Err, n)
			return 0
		}
		return h.script(ctx, req, call.Str("script"), streams)
	}
	fmt.Fprintln(streams.Out, "ok")
	return 0
}

func (h *handler) script(ctx context.Context, req *api.Request, script string, streams *daemon.Streams) int {
	word, rest, _ := strings.Cut(script, " ")
	switch word {
	case "echo":
		fmt.Fprint(streams.Out, rest)
	case "where":
		fmt.Fprintln(streams.Out, req.Program, req.Cwd, req.Getenv("USHER_TEST"), req.TTY, req.PeerUID)
	case "both":
		fmt.Fprint(streams.Out, "out")
		fmt.Fprint(streams.Err, "err")
		return 3
	case "huge":
		piece := []byte(strings.Repeat("0123456789abcde\n", 64<<10)) // 1 MB
		for range 50 {
			if _, err := streams.Out.Write(piece); err != nil {
				return 1
			}
		}
	case "block":
		fmt.Fprintln(streams.Out, "blocking")
		_ = streams.Flush()
		<-ctx.Done()
		if rest != "" { // tell how it ended
			_ = os.WriteFile(rest, []byte(api.CodeOf(context.Cause(ctx))), 0o600)
		}
		return streams.Fail(req, req.WantsJSON(), context.Cause(ctx))
	case "sleep":
		seconds, err := strconv.Atoi(rest)
		if err != nil {
			return streams.Fail(req, req.WantsJSON(), err)
		}
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
			fmt.Fprint(streams.Out, "slept")
		case <-ctx.Done():
		}
	case "panic":
		panic("a mistake")
	case "die":
		fmt.Fprintln(streams.Out, "dying")
		_ = streams.Flush()
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}
	return 0
}

func (h *handler) Sessions() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	names := []string{}
	for name := range h.open {
		names = append(names, name)
	}
	return names
}

func (h *handler) IdleTimeout() time.Duration  { return daemon.DefaultIdleTimeout }
func (h *handler) Close(context.Context) error { return nil }
