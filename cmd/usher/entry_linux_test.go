//go:build amd64 || arm64

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

// TestEntry runs the program as it is released: with an entry of its own before Go's (internal/cli/fastpath). Every command
// line gives the same by that road and by the usual one, which an environment that is too large for the entry takes.
func TestEntry(t *testing.T) {
	t.Parallel()
	site, chromium := cdptest.NewSite(t), cdptest.Chromium(t)
	p, err := program.New("usher", programWithEntry(t), "USHER_HOME={home}/u", "USHER_EXECUTABLE_PATH="+chromium)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := p.End(); err != nil {
			t.Errorf("clear up: %v", err)
		}
	})
	roads := bothRoads{t, p}
	roads.same(nil, "daemon", "status")
	roads.same(nil, "snapshot")      // starts the daemon
	roads.same(nil, "get", "title")  // which has no browser
	roads.same(nil, "no-such-thing") // a mistake
	roads.same(nil, "open", site.URL("/small"))
	for _, argv := range [][]string{
		{"get", "title"}, {"get", "title", "--json"}, {"snapshot", "-i"}, {"click", "#none"}, {"eval", "'x'.repeat(300000)"}, {"eval", "ä\U0001F600"},
		{"eval", "\xff"}, {}, {"--version"}, {"click", "--help"}, {"help", "click"}, {"skills", "list"}, {"tools", "list"}, {"eval", strings.Repeat("1+", 60_000) + "1"},
		{"wait", "1100"}, {"daemon", "status", "extra"}, {"eval", "1", "2"}, append([]string{"eval"}, strings.Split(strings.Repeat("x ", 300), " ")...),
	} {
		roads.same(nil, argv...)
	}
	roads.same([]byte("6*7"), "eval", "--stdin")
	roads.same([]byte(strings.Repeat(" ", 500_000)+"6*7"), "eval", "--stdin")
	roads.same([]byte(`[["get","title"],["get","url"]]`), "batch", "--json")

	command := func(argv ...string) *exec.Cmd {
		cmd := exec.Command(p.Path, argv...)
		cmd.Env = append(os.Environ(), p.Env...)
		return cmd
	}
	t.Run("early", func(t *testing.T) { // that the other tests compare two roads, and not one
		if n := threadsOf(t, command("wait", "700")); n != 1 {
			t.Errorf("a command has %d threads", n)
		}
		usual := command("wait", "700")
		usual.Env = append(usual.Env, tooMany()...)
		if n := threadsOf(t, usual); n == 1 {
			t.Error("the usual road has one thread")
		}
	})
	t.Run("interrupt", func(t *testing.T) {
		cmd := command("wait", "60000")
		startAndSend(t, cmd)
		began := time.Now()
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT || time.Since(began) > 5*time.Second {
			t.Errorf("it ended with %v after %v", cmd.ProcessState, time.Since(began))
		}
	})
	t.Run("closed output", func(t *testing.T) {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		cmd := command("get", "title")
		cmd.Stdout = writer
		_ = cmd.Run()
		writer.Close()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGPIPE {
			t.Errorf("it ended with %v", cmd.ProcessState)
		}
	})
	t.Run("closed streams", func(t *testing.T) { // the connection must not take the number of one
		for _, closed := range []string{"<&-", ">&-", "2>&-", "<&- >&- 2>&-"} {
			cmd := exec.Command("sh", "-c", `exec "$1" eval 'globalThis.runs = (globalThis.runs ?? 0) + 1' `+closed, "sh", p.Path)
			cmd.Env = append(os.Environ(), p.Env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", closed, err, out)
			}
		}
		if out, err := command("eval", "runs").CombinedOutput(); err != nil || string(out) != "4\n" {
			t.Errorf("the code ran %s times: %v", out, err)
		}
	})
	t.Run("full disk", func(t *testing.T) {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer full.Close()
		cmd := command("get", "title")
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &said
		if err := cmd.Run(); err == nil || !strings.Contains(said.String(), "no space left") {
			t.Errorf("%v: %s", err, &said)
		}
	})
	t.Run("removed directory", func(t *testing.T) {
		gone := filepath.Join(t.TempDir(), "gone")
		if err := os.Mkdir(gone, 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", `cd "$1" && rmdir "$1" && exec "$2" get title`, "sh", gone, p.Path)
		cmd.Env = append(os.Environ(), p.Env...)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "Small") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// programWithEntry builds the program as make build does.
func programWithEntry(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "usher")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -E usher_entry", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// tooMany are more variables than the entry takes.
func tooMany() (env []string) {
	for i := range 1100 {
		env = append(env, "TOO_MANY_"+strconv.Itoa(i)+"=x")
	}
	return env
}

// threadsOf starts a command, and counts its threads when it has a connection.
func threadsOf(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	startAndSend(t, cmd)
	tasks, err := os.ReadDir("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/task")
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return len(tasks)
}

// startAndSend starts a command, and waits until it has a connection.
func startAndSend(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	open := "/proc/" + strconv.Itoa(cmd.Process.Pid) + "/fd/"
	for limit := time.Now().Add(cdptest.Timeout); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		entries, err := os.ReadDir(open)
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range entries {
			if target, _ := os.Readlink(open + fd.Name()); strings.HasPrefix(target, "socket:") {
				return
			}
		}
	}
	t.Fatal("it connects to nothing")
}

// bothRoads runs a program by its entry, and by the usual start.
type bothRoads struct {
	t *testing.T
	p *program.Program
}

func (b bothRoads) same(input []byte, argv ...string) {
	b.t.Helper()
	shown := strings.Join(argv, " ")
	shown = shown[:min(len(shown), 80)]
	ctx, cancel := context.WithTimeout(context.Background(), cdptest.Timeout)
	defer cancel()
	usual := *b.p
	usual.Env = append(tooMany(), b.p.Env...)
	want, err := usual.RunInput(ctx, input, argv...)
	if err != nil {
		b.t.Fatalf("%s: %v", shown, err)
	}
	got, err := b.p.RunInput(ctx, input, argv...)
	if err != nil {
		b.t.Fatalf("%s: %v", shown, err)
	}
	if got.Exit != want.Exit || got.Stdout != want.Stdout || got.Stderr != want.Stderr {
		b.t.Errorf("%s:\nat the entry %d %q %q\nusually      %d %q %q", shown, got.Exit, short(got.Stdout), short(got.Stderr), want.Exit, short(want.Stdout), short(want.Stderr))
	}
}

func short(s string) string { return s[:min(len(s), 300)] }
