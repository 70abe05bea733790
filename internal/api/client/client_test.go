//go:build linux || darwin

package client_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/api/frame"
	"github.com/usher-browser/usher/internal/daemon"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// failing is a daemon's handler whose commands fail as the test requests.
type failing struct{ err error }

func (f failing) Handle(ctx context.Context, _ *api.Request, call *verb.Call, s *daemon.Streams) int {
	if f.err == nil {
		if _, err := io.Copy(io.Discard, s.Stdin(ctx)); err != nil { // a client without input has none to wait for
			return s.Fail(&api.Request{}, true, err)
		}
		<-ctx.Done()
		return 1
	}
	return s.Fail(&api.Request{}, true, f.err)
}
func (failing) Sessions() []string          { return []string{"default"} }
func (failing) IdleTimeout() time.Duration  { return 0 }
func (failing) Close(context.Context) error { return nil }

// receiving is a handler that passes on the command it received and prints empty data.
type receiving struct{ calls chan *verb.Call }

func (r receiving) Handle(_ context.Context, _ *api.Request, call *verb.Call, s *daemon.Streams) int {
	r.calls <- call
	if _, err := io.WriteString(s.Out, `{"success":true,"data":{}}`+"\n"); err != nil {
		return 1
	}
	return 0
}
func (receiving) Sessions() []string          { return nil }
func (receiving) IdleTimeout() time.Duration  { return 0 }
func (receiving) Close(context.Context) error { return nil }

// serve runs a daemon of a build until the test ends.
func serve(t *testing.T, build string, h daemon.Handler) (socket string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	dir := filepath.Join(t.TempDir(), "run")
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- daemon.Serve(ctx, daemon.Options{
			RunDir: dir, Table: program.Table(), Build: build, Version: "v", Log: slog.New(slog.DiscardHandler),
			NewHandler: func() (daemon.Handler, error) { return h, nil }, Ready: func() { close(ready) },
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-ready:
	case err := <-done:
		done <- nil
		t.Fatal("the daemon did not start:", err)
	}
	return filepath.Join(dir, frame.SocketName)
}

// TestFailureOfACommand: message and hint arrive as the daemon had them, even if they contain several sentences.
func TestFailureOfACommand(t *testing.T) {
	for _, want := range []*api.Error{
		api.Errorf(api.NoDialog, "no dialog is open"), // the next step is the table's
		api.Errorf(api.ElementNotFound, "nothing matches #a. There are 2 frames. One is empty").WithHint("Look with `snapshot`. Or wait."),
		api.Errorf(api.ElementNotFound, "the page says: Run. Hide").With("count", 0.0),
		api.Errorf(api.ElementNotFound, "%s", strings.Repeat("long. ", 30_000)+"end"),
	} {
		c := &client.Client{Socket: serve(t, "b", failing{want}), Build: "b"}
		_, err := c.Run(t.Context(), client.Command{Argv: []string{"back"}})
		got := api.AsError(err)
		if len(want.Message) > 100_000 { // too long for the last frame, so the hint is part of the sentence
			if got.Code != want.Code || !strings.HasPrefix(got.Message, want.Message) {
				t.Errorf("a long one: %s, %.200q", got.Code, got.Message)
			}
			continue
		}
		if got.Code != want.Code || got.Message != want.Message || got.Hint != want.Hint || len(got.Data) != len(want.Data) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

func TestCancelled(t *testing.T) {
	c := &client.Client{Socket: serve(t, "b", failing{}), Build: "b"}
	ctx, cancel := context.WithCancel(t.Context())
	stop := time.AfterFunc(20*time.Millisecond, cancel) // whenever: before, while or after it is sent
	defer stop.Stop()
	if _, err := c.Run(ctx, client.Command{Argv: []string{"back"}}); api.CodeOf(err) != api.Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("%v (%s)", err, api.CodeOf(err))
	}
}

func TestNobodyListens(t *testing.T) {
	c := &client.Client{Socket: filepath.Join(t.TempDir(), "none"), Build: "b"}
	if _, err := c.Run(t.Context(), client.Command{Argv: []string{"back"}}); api.CodeOf(err) != api.DaemonStartFailed || !client.NotRunning(err) {
		t.Errorf("%v (%s)", err, api.CodeOf(err))
	}
	// A daemon that is started but never listens is not started for ever.
	var started atomic.Int32
	c.Start = func() error { started.Add(1); return nil }
	if _, err := c.Run(t.Context(), client.Command{Argv: []string{"back"}}); api.CodeOf(err) != api.DaemonStartFailed || started.Load() != 2 {
		t.Errorf("%v after %d starts", err, started.Load())
	}
}

// TestHomeIsAFile: the hint says what to do when a file is where usher's directory should be.
func TestHomeIsAFile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := &client.Client{Socket: filepath.Join(home, "run", frame.SocketName), Build: "b"}
	_, err := c.Run(t.Context(), client.Command{Argv: []string{"back"}})
	if got := api.AsError(err); got.Code != api.DaemonStartFailed || !strings.Contains(got.Hint, "USHER_HOME") {
		t.Errorf("%+v", got)
	}
}

func TestOtherBuild(t *testing.T) {
	socket := serve(t, "another", failing{})
	c := &client.Client{Socket: socket, Build: "b"}
	if _, err := c.Run(t.Context(), client.Command{Argv: []string{"back"}}); api.CodeOf(err) != api.DaemonVersion {
		t.Errorf("%v (%s)", err, api.CodeOf(err))
	}
	if status, err := c.Status(t.Context()); err != nil || status.Build != "another" || status.Version != "v" || len(status.Sessions) != 1 {
		t.Errorf("%+v, %v", status, err)
	}
}

// TestCallByName: a command with named values arrives unchanged; a wrong name is an error with a hint.
func TestCallByName(t *testing.T) {
	got := make(chan *verb.Call, 1)
	c := &client.Client{Socket: serve(t, "b", receiving{got}), Build: "b"}
	values := map[string][]string{"selector": {"#a"}, "text": {"--json=false"}}
	if _, err := c.Run(t.Context(), client.Command{Verb: "fill", Values: values}); err != nil {
		t.Fatal(err)
	}
	if call := <-got; call.Verb.Name != "fill" || call.Str("text") != "--json=false" || !call.Bool("json") {
		t.Errorf("%+v", call)
	}
	if len(values) != 2 {
		t.Errorf("the caller's values were changed: %v", values)
	}
	for _, bad := range []client.Command{
		{Verb: "fil", Values: values}, {Verb: "fill", Values: map[string][]string{"selector": {"#a"}, "txet": {"x"}}}, {Verb: "fill"},
	} {
		if _, err := c.Run(t.Context(), bad); api.AsError(err).Code == api.Internal || err == nil {
			t.Errorf("%s %v: %v", bad.Verb, bad.Values, err)
		}
	}
}
