//go:build linux || darwin

package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestNoHome has no home at all.
func TestNoHome(t *testing.T) {
	w := newTestHome(t)
	cmd := w.command("usher", "get", "title", "--json")
	cmd.Env = []string{"TEST_HOME=x"}
	got := w.finish(cmd)
	if got.exit != 1 || !strings.HasSuffix(got.out, `"code":"invalid_config"}`+"\n") || !strings.Contains(got.out, "Set USHER_HOME") || got.err != "" {
		t.Errorf("%+v", got)
	}
}

// TestDaemonHangs stops the daemon in its tracks, as a debugger or a machine out
// of memory does.
func TestDaemonHangs(t *testing.T) {
	w := newTestHome(t)
	// One that works may take longer than one that is silent.
	w.want(w.run("usher", "eval", "sleep 11"), result{out: "slept"})

	pid := w.pid()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	waitForStop(t, pid)
	resume := sync.OnceFunc(func() {
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Error(err)
		}
	})
	defer resume()
	lines := [][]string{
		{"usher", "daemon", "status"}, {"usher", "daemon", "stop"}, {"usher", "get", "title", "--timeout", "2s"}, {"usher", "clik"},
		{"usher", "session"}, {"usher", "version"}, {"usher", "help", "get"}, {"usher", "fill", "@e1", "help"},
	}
	results := make([]result, len(lines))
	var all sync.WaitGroup
	for i, words := range lines {
		all.Go(func() { results[i] = w.run(words...) })
	}
	all.Wait()
	number := strconv.Itoa(pid)
	for i, want := range []string{
		"✗ the daemon (" + number + ") does not answer: no answer within 3 s\n  It is stopped or stuck. `kill -9 " + number + "` ends",
		"✗ the daemon (" + number + ") does not answer: no answer within 3 s\n",
		"✗ the daemon (" + number + ") does not answer: no answer within 10 s\n",
		"✗ \"clik\" is not a command",
		"local session", "usher test", "usher get", "✗ the daemon (" + number + ") does not",
	} {
		if got := results[i]; !strings.HasPrefix(got.out+got.err, want) || (got.exit == 0) != (got.err == "") {
			t.Errorf("%q: %+v", lines[i], got)
		}
	}
	if got := w.run("usher", "daemon", "status", "--json"); !strings.HasSuffix(got.out, `"code":"connection_lost"}`+"\n") ||
		!strings.Contains(got.out, `"pid":`+number) {
		t.Errorf("%+v", got)
	}
	resume()
	// It was told to stop, after all.
	w.waitForEnd(0)
}

func TestConcurrentStarts(t *testing.T) {
	w := newTestHome(t)
	const n = 8
	var all sync.WaitGroup
	results := make([]result, n)
	for i := range n {
		all.Go(func() { results[i] = w.run("usher", "eval", "echo "+strconv.Itoa(i)) })
	}
	all.Wait()
	for i, got := range results {
		w.want(got, result{out: strconv.Itoa(i)})
	}
	log, err := os.ReadFile(filepath.Join(w.home, "run", "daemon.log"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(log), "listening"); got != 1 {
		t.Errorf("%d daemons listened:\n%s", got, log)
	}
}

func TestStaleSocket(t *testing.T) {
	w := newTestHome(t)
	w.run("usher", "eval", "echo")
	if err := syscall.Kill(w.pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.waitForEnd(0)
	if _, err := os.Stat(filepath.Join(w.home, "run", "usher.sock")); err != nil {
		t.Fatal("the killed daemon cleaned up, so this tests nothing:", err)
	}
	w.want(w.run("usher", "eval", "echo back"), result{out: "back"})
}

func TestDaemonDiesInCommand(t *testing.T) {
	w := newTestHome(t)
	got := w.run("usher", "eval", "die")
	if got.exit != 1 || got.out != "dying\n" || !strings.HasPrefix(got.err, "✗ the daemon ended while the command ran") {
		t.Errorf("text: %+v", got)
	}
	got = w.run("usher", "eval", "die", "--json")
	if got.exit != 1 || !strings.HasSuffix(got.out, `"code":"connection_lost"}`+"\n") || got.err != "" {
		t.Errorf("JSON: %+v", got)
	}
}

// startBlocked starts a command that blocks until its context ends and then
// writes why to a file.
func startBlocked(t *testing.T, w *testHome) (cmd *exec.Cmd, reason string) {
	t.Helper()
	reason = filepath.Join(t.TempDir(), "reason")
	cmd = w.command("usher", "eval", "block "+reason)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("blocking\n"))
	if _, err := pipe.Read(line); err != nil {
		t.Fatal(err)
	}
	return cmd, reason
}

func TestClientEnds(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"interrupted": syscall.SIGINT, "killed": syscall.SIGKILL, "terminated": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			w := newTestHome(t)
			w.run("usher", "open", "a.example")
			before := w.pid()
			cmd, reason := startBlocked(t, w)
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // ends by the signal, checked next
			if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != signal {
				t.Errorf("ended with %v", cmd.ProcessState)
			}
			waitForFile(t, reason, "cancelled")
			if w.pid() != before || !strings.Contains(w.run("usher", "daemon", "status").out, "sessions: default\n") {
				t.Error("the session did not survive")
			}
		})
	}
}

func TestPanicEndsOneCommand(t *testing.T) {
	w := newTestHome(t)
	cmd, reason := startBlocked(t, w)
	got := w.run("usher", "eval", "panic", "--json")
	if got.exit != 1 || !strings.HasSuffix(got.out, `"code":"internal_error"}`+"\n") || strings.Contains(got.out, "a mistake") { // which may be a secret
		t.Errorf("%+v", got)
	}
	log, err := os.ReadFile(filepath.Join(w.home, "run", "daemon.log"))
	if err != nil || !strings.Contains(string(log), "script") || !strings.Contains(string(log), "a mistake") {
		t.Errorf("no stack in the log: %v\n%s", err, log)
	}
	// Stopping cancels the other command, which therefore still ran.
	if got := w.run("usher", "daemon", "stop"); got.exit != 0 {
		t.Errorf("%+v", got)
	}
	waitForFile(t, reason, "daemon_stopping")
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("the cancelled command ended with %v", err)
	}
}

func TestOutputClosed(t *testing.T) {
	w := newTestHome(t)
	w.run("usher", "eval", "echo")
	cmd := w.command("usher", "eval", "huge")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pipe.Close()
	_ = cmd.Wait() // ends by the signal, checked next
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGPIPE || errOut.Len() > 0 {
		t.Errorf("%v, %q", cmd.ProcessState, &errOut)
	}

	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Log("no /dev/full here:", err)
		return
	}
	defer full.Close()
	cmd = w.command("usher", "eval", "echo x")
	cmd.Stdout = full
	cmd.Stderr = &errOut
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(errOut.String(), "no space left") {
		t.Errorf("%v, %q", err, &errOut)
	}
}

func TestStartFails(t *testing.T) {
	w := newTestHome(t)
	w.env = append(w.env, "TEST_FAIL=no hands")
	got := w.run("usher", "eval", "echo", "--json")
	if got.exit != 1 || !strings.HasSuffix(got.out, `"code":"daemon_start_failed"}`+"\n") ||
		!strings.Contains(got.out, "no hands") || !strings.Contains(got.out, "a line in the log") {
		t.Errorf("%+v", got)
	}
}

func TestForeignDirectory(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("another owner needs root; package daemon tests the decision itself")
		return
	}
	w := newTestHome(t)
	run := filepath.Join(w.home, "run")
	if err := os.Mkdir(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(run, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if got := w.run("usher", "eval", "echo"); got.exit != 1 || !strings.Contains(got.err, run) {
		t.Errorf("%+v", got)
	}
}

func TestTerminate(t *testing.T) {
	w := newTestHome(t)
	w.run("usher", "open", "a.example")
	first := w.pid()
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := syscall.Kill(first, signal); err != nil {
			t.Fatal(err)
		}
		if signal == syscall.SIGHUP {
			w.want(w.run("usher", "eval", "echo lives"), result{out: "lives"})
			if w.pid() != first {
				t.Error("the daemon went with its terminal")
			}
		}
	}
	// The next one waits for the old one to end if it must.
	w.want(w.run("usher", "eval", "echo next"), result{out: "next"})
	w.waitForEnd(first)
}
