package session_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/program"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/session"
	"github.com/usher-browser/usher/internal/verb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client runs commands the way the daemon does.
type client struct {
	registry *session.Registry
	env      map[string]string
	stdin    string   // standard input of the next commands
	preset   []string // of the next commands
}

// connect returns a registry that is closed when the test ends.
func connect(t *testing.T) *client {
	t.Helper()
	c := &client{
		registry: session.NewRegistry(session.Options{Table: program.Table(), StateDir: t.TempDir()}),
		env: map[string]string{
			"HOME": t.TempDir(), "USHER_EXECUTABLE_PATH": cdptest.Chromium(t),
			"USHER_ARGS": "--disable-background-networking,--disable-component-update,--disable-sync,--disable-quic",
		},
	}
	if os.Geteuid() == 0 {
		c.env["USHER_ARGS"] += ",--no-sandbox"
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cdptest.Timeout)
		defer cancel()
		if err := c.registry.Close(ctx); err != nil {
			t.Errorf("close every session: %v", err)
		}
	})
	return c
}

func (c *client) run(ctx context.Context, line string) (run.Result, error) {
	return c.emitting(ctx, line, nil)
}

// emitting is run for verbs that print as they go.
func (c *client) emitting(ctx context.Context, line string, emit func([]byte) error) (run.Result, error) {
	call, err := program.Table().Parse(strings.Fields(line), verb.Usher)
	if err != nil {
		return run.Result{}, err
	}
	env := func(name string) (string, bool) { value, ok := c.env[name]; return value, ok }
	settings, err := config.Load(config.Source{Mode: verb.Usher, Env: env, Cwd: c.env["HOME"], Flags: call.Globals})
	if err != nil {
		return run.Result{}, err
	}
	return c.registry.Run(ctx, session.Command{
		Call: call, Preset: c.preset, Settings: settings, Cwd: c.env["HOME"], Env: env, Stdin: strings.NewReader(c.stdin), Artifacts: c.env["HOME"],
		StateDir: filepath.Join(c.env["HOME"], "state"), Emit: emit,
	})
}

func (c *client) must(t *testing.T, line string) run.Result {
	t.Helper()
	res, err := c.run(t.Context(), line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return res
}

// TestAskedWhileItStarts runs commands in a session whose browser is being started. The registry must not forget the
// session when they end.
func TestAskedWhileItStarts(t *testing.T) {
	c := connect(t)
	opened := make(chan error, 1)
	go func() {
		_, err := c.run(t.Context(), "open about:blank")
		opened <- err
	}()
	var others sync.WaitGroup
	defer others.Wait()
	for {
		select {
		case err := <-opened:
			if err != nil {
				t.Fatal(err)
			}
			c.must(t, "get url")
			if names := c.registry.AllNames(); len(names) != 1 {
				t.Errorf("the open sessions are %q, want one", names)
			}
			return
		case <-time.After(5 * time.Millisecond):
			others.Go(func() { _, _ = c.run(t.Context(), "session info") }) // its result does not matter
		}
	}
}

// TestWaitForTurnCountsTowardsDeadline runs a short command after a long one.
func TestWaitForTurnCountsTowardsDeadline(t *testing.T) {
	c := connect(t)
	c.must(t, "open about:blank")
	ctx, stop := context.WithCancel(t.Context())
	long := make(chan error, 1)
	go func() {
		_, err := c.run(ctx, "eval new(Promise)(()=>{}) --timeout 20s")
		long <- err
	}()
	began := time.Now()
	var err error
	for code := api.Code(""); code != api.Timeout; code = api.CodeOf(err) {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("a command of 300 ms was not told that it is late; the last said: %v", err)
		}
		short, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		_, err = c.run(short, "eval 1 --timeout 300ms")
		if short.Err() != nil {
			t.Errorf("a command of 300 ms waited for its turn until its caller gave up: %v", err)
		}
		cancel()
	}
	stop()
	if err := <-long; api.CodeOf(err) != api.Cancelled {
		t.Errorf("the long command was cancelled and says: %v", err)
	}
}

// TestIdleSessionEnds sets a short idle time.
func TestIdleSessionEnds(t *testing.T) {
	c := connect(t)
	c.must(t, "open about:blank --idle-timeout 300ms")
	c.must(t, "wait 600 --idle-timeout 300ms") // a running command is not idle time
	c.must(t, "get url --idle-timeout 300ms")
	for deadline := time.Now().Add(cdptest.Timeout); len(c.registry.AllNames()) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the session has not ended")
		}
	}
	if _, err := c.run(t.Context(), "get url"); api.CodeOf(err) != api.BrowserNotRunning {
		t.Errorf("after its end: %v", err)
	}
}

// fields returns the data of a result as --json prints it.
func fields(t *testing.T, res run.Result) map[string]any {
	t.Helper()
	return commandtest.Data[map[string]any](t, res)
}
