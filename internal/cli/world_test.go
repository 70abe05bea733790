//go:build linux || darwin

package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api/client"
)

// testHome is one person's machine: a home, and the program by both its names.
type testHome struct {
	t    *testing.T
	bin  string
	home string
	env  []string
}

// newTestHome ends the daemon when the test is over and fails if a process of this
// home is left.
func newTestHome(t *testing.T) *testHome {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &testHome{t: t, bin: t.TempDir(), home: t.TempDir()}
	for _, name := range []string{"usher", "agent-browser"} {
		// Not a symbolic link: the system would tell the client the test
		// binary's own name, and the daemon is started by that.
		if err := os.Link(self, filepath.Join(w.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	w.env = append(os.Environ(), "USHER_HOME="+w.home, "TEST_HOME="+w.home)
	t.Cleanup(func() {
		if got := w.run("usher", "daemon", "stop"); got.exit != 0 {
			t.Errorf("daemon stop: %+v", got)
		}
		w.waitForEnd(0)
	})
	return w
}

// waitForEnd returns when the daemon pid is gone, or any daemon for 0. A daemon
// holds its lock as long as its process lives.
func (w *testHome) waitForEnd(pid int) {
	w.t.Helper()
	lock, err := os.OpenFile(filepath.Join(w.home, "run", "daemon.lock"), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return // none was ever started
	}
	if err != nil {
		w.t.Fatal(err)
	}
	defer lock.Close()
	for range 1000 {
		if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return
		}
		if status := w.run("usher", "daemon", "status", "--json").out; pid != 0 && !strings.Contains(status, `"pid":`+strconv.Itoa(pid)+",") {
			return // none, or the next one has the lock
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.t.Error("the daemon does not end")
}

type result struct {
	out, err string
	exit     int
	signal   syscall.Signal
}

func (w *testHome) command(words ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(w.bin, words[0]), words[1:]...)
	cmd.Args[0] = words[0]
	cmd.Env = w.env
	return cmd
}

func (w *testHome) run(words ...string) result {
	w.t.Helper()
	return w.finish(w.command(words...))
}

func (w *testHome) finish(cmd *exec.Cmd) result {
	w.t.Helper()
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	r := result{out.String(), errOut.String(), status.ExitStatus(), 0}
	if status.Signaled() {
		r.signal = status.Signal()
	}
	return r
}

func (w *testHome) want(got, want result) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// pid returns the running daemon's.
func (w *testHome) pid() int {
	w.t.Helper()
	text := w.run("usher", "daemon", "status", "--json").out
	_, rest, ok := strings.Cut(text, `"pid":`)
	digits, _, _ := strings.Cut(rest, ",")
	pid, err := strconv.Atoi(digits)
	if !ok || err != nil {
		w.t.Fatalf("no pid in %q", text)
	}
	return pid
}

// waitForStop returns when every thread of the process stands still: the signal
// takes effect some time after it was sent.
func waitForStop(t *testing.T, pid int) {
	t.Helper()
	for range 1000 {
		args := []string{"-o", "state=", "-p", strconv.Itoa(pid)}
		if runtime.GOOS == "linux" {
			args = append(args, "-L") // a line for each thread
		}
		out, err := exec.Command("ps", args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		states := strings.Fields(string(out))
		if len(states) > 0 && !slices.ContainsFunc(states, func(s string) bool { return s[0] != 'T' }) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the daemon does not stop")
}

// waitForFile looks again and again, for the writer is a process that this one
// shares nothing else with.
func waitForFile(t *testing.T, path, want string) {
	t.Helper()
	var got []byte
	for range 1000 {
		got, _ = os.ReadFile(path) // there only in the end
		if string(got) == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s has %q, want %q", path, got, want)
}

// openSession speaks for a client of the daemon's own build.
func openSession(t *testing.T, w *testHome) {
	t.Helper()
	status := w.run("usher", "daemon", "status", "--json").out
	_, build, _ := strings.Cut(status, `"build":"`)
	build, _, _ = strings.Cut(build, `"`)
	daemon := &client.Client{Socket: filepath.Join(w.home, "run", "usher.sock"), Build: build}
	var out strings.Builder
	if err := daemon.Stream(t.Context(), client.Command{Argv: []string{"open", "a.example"}}, &out); err != nil || out.String() != "ok\n" {
		t.Fatalf("%q, %v", &out, err)
	}
}
