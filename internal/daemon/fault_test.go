//go:build linux || darwin

package daemon

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/frame"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
)

// panickingHandler is a handler whose commands panic: by themselves, or in a goroutine.
type panickingHandler struct{ counter }

func (panickingHandler) Handle(ctx context.Context, req *api.Request, call *verb.Call, s *Streams) int {
	switch call.Str("script") {
	case "here":
		panic("told in confidence")
	case "there":
		fault.Go(ctx, func() { panic("told in confidence") })
		<-ctx.Done() // as every command does that waits for a goroutine
		return s.Fail(req, true, context.Cause(ctx))
	}
	_, _ = io.WriteString(s.Out, "well")
	return 0
}

// TestAPanicEndsItsCommand: the command fails with an internal error, the log has the stack, and the next command runs.
func TestAPanicEndsItsCommand(t *testing.T) {
	log := new(bytes.Buffer)
	ctx, cancel := context.WithCancel(t.Context())
	dir := filepath.Join(t.TempDir(), "run")
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- Serve(ctx, Options{RunDir: dir, Table: program.Table(), Build: "b", Version: "v", Log: slog.New(slog.NewTextHandler(log, nil)),
			NewHandler: func() (Handler, error) { return panickingHandler{counter{time.Hour}}, nil }, Ready: func() { close(ready) }})
	}()
	<-ready
	run := func(script string) string {
		return sendText(t, filepath.Join(dir, frame.SocketName), ask(t, frame.OpRun, "--json", "eval", script))
	}
	for _, where := range []string{"here", "there"} {
		got := run(where)
		if !strings.Contains(got, `"code":"internal_error"`) || strings.Contains(got, "confidence") {
			t.Errorf("a panic %s: %s", where, got)
		}
		if got := run("fine"); !strings.Contains(got, "well") {
			t.Errorf("after a panic %s: %s", where, got)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "told in confidence"); n != 2 || !strings.Contains(log.String(), "fault_test.go") {
		t.Errorf("the log has %d panics:\n%s", n, log)
	}
}
