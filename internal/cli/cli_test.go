//go:build linux || darwin

package cli_test

import (
	"bytes"
	"errors"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api/line"
	"github.com/usher-browser/usher/internal/config/dirs"
)

// world is one person's machine: a home, and the program by both its names.
type world struct {
	t    *testing.T
	bin  string
	home string
	env  []string
}

// newWorld ends the daemon when the test is over and fails if a process of this
// home is left.
func newWorld(t *testing.T) *world {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, bin: t.TempDir(), home: t.TempDir()}
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
func (w *world) waitForEnd(pid int) {
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

func (w *world) command(words ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(w.bin, words[0]), words[1:]...)
	cmd.Args[0] = words[0]
	cmd.Env = w.env
	return cmd
}

func (w *world) run(words ...string) result {
	w.t.Helper()
	return w.finish(w.command(words...))
}

func (w *world) finish(cmd *exec.Cmd) result {
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

func (w *world) want(got, want result) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// pid is the running daemon's.
func (w *world) pid() int {
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

func TestCommand(t *testing.T) {
	w := newWorld(t)
	w.want(w.run("usher", "eval", "echo hello"), result{out: "hello"}) // starts the daemon
	first := w.pid()
	w.want(w.run("usher", "eval", "echo again"), result{out: "again"})
	w.want(w.run("usher", "eval", "both"), result{out: "out", err: "err", exit: 3})
	if second := w.pid(); second != first {
		t.Errorf("daemon %d became %d", first, second)
	}

	cmd := w.command("agent-browser", "eval", "where")
	cmd.Dir = w.home
	cmd.Env = append(cmd.Env, "USHER_TEST=given")
	got := w.finish(cmd)
	real, err := filepath.EvalSymlinks(w.home)
	if err != nil {
		t.Fatal(err)
	}
	if want := "agent-browser " + real + " given {false false false 0 false false} " + strconv.Itoa(os.Getuid()) + "\n"; got.out != want {
		t.Errorf("%q, want %q", got.out, want)
	}
}

func TestPermissions(t *testing.T) {
	w := newWorld(t)
	w.run("usher", "eval", "echo")
	for name, want := range map[string]os.FileMode{"run": 0o700, "run/usher.sock": 0o600, "run/daemon.log": 0o600, "run/daemon.lock": 0o600} {
		info, err := os.Stat(filepath.Join(w.home, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
}

func TestLocalStartsNothing(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		words []string
		exit  int
		out   string
		err   string
	}{
		{[]string{"usher", "version"}, 0, "usher test", ""},
		{[]string{"agent-browser", "--version"}, 0, "agent-browser test", ""},
		{[]string{"usher", "--version", "--json"}, 0, `{"success":true,"data":{"version":"test"},"error":null}`, ""},
		{[]string{"usher", "help"}, 0, "daemon", ""},
		{[]string{"usher", "click", "--help"}, 0, "click", ""},
		{[]string{"usher", "help", "daemon"}, 0, "usher daemon stop", ""},
		{[]string{"usher", "daemon", "--help"}, 0, "usher daemon stop", ""},
		{[]string{"usher", "completion", "bash"}, 0, "usher", ""},
		{[]string{"usher", "session"}, 0, "local session", ""},
		{[]string{"usher", "clik", "@e1"}, 1, "", "click"},
		{[]string{"usher", "clik", "@e1", "--json"}, 1, `"code":"unknown_command"}`, ""},
		{[]string{"usher", "daemon", "jump"}, 1, "", "✗ there is no command \"daemon jump\"\n  It is one of: status, stop, run.\n"},
		{[]string{"usher", "daemon", "status"}, 0, "No background process is running.", ""},
		{[]string{"usher", "daemon", "stop", "--json"}, 0, `{"state":"not running"}`, ""},
	} {
		got := w.run(c.words...)
		if got.exit != c.exit || !strings.Contains(got.out, c.out) || !strings.Contains(got.err, c.err) || (got.err == "") != (c.err == "") {
			t.Errorf("%q: %+v", c.words, got)
		}
	}
	if _, err := os.Stat(filepath.Join(w.home, "run", "usher.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a daemon was started: %v", err)
	}
	// With a daemon there, the same come out the same.
	before := w.run("usher", "click", "--help")
	mistake := w.run("usher", "clik", "@e1")
	w.run("usher", "eval", "echo")
	w.want(w.run("usher", "click", "--help"), before)
	w.want(w.run("usher", "clik", "@e1"), mistake)
}

// TestStatusKeys holds that programs find the same keys with and without a
// daemon.
func TestStatusKeys(t *testing.T) {
	w := newWorld(t)
	keys := func() map[string]bool {
		var envelope struct {
			Data map[string]any `json:"data"`
		}
		text := w.run("usher", "daemon", "status", "--json").out
		if err := json.Unmarshal([]byte(text), &envelope); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if running := envelope.Data["pid"] != nil; (envelope.Data["state"] == "running") != running {
			t.Errorf("the state contradicts the pid: %s", text)
		}
		has := map[string]bool{}
		for key := range envelope.Data {
			has[key] = true
		}
		return has
	}
	without := keys()
	w.run("usher", "eval", "echo")
	if with := keys(); !maps.Equal(with, without) {
		t.Errorf("running: %v\nnot running: %v", with, without)
	}
}

// TestNoPlace has no home at all.
func TestNoPlace(t *testing.T) {
	w := newWorld(t)
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
	w := newWorld(t)
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
		"✗ the background process (" + number + ") does not answer: no answer within 3 s\n  It is stopped or stuck. `kill -9 " + number + "` ends",
		"✗ the background process (" + number + ") does not answer: no answer within 3 s\n",
		"✗ the background process (" + number + ") does not answer: no answer within 10 s\n",
		"✗ \"clik\" is not a command",
		"local session", "usher test", "usher get", "✗ the background process (" + number + ") does not",
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

// TestExaminedWithoutDaemon has something on the socket that takes commands and
// never answers.
func TestExaminedWithoutDaemon(t *testing.T) {
	w := newWorld(t)
	socket := filepath.Join(w.home, "run", "usher.sock")
	if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
		t.Fatal(err)
	}
	silent, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"usher", "doctor", "--quick"}, {"usher", "--session", "a", "doctor"}, {"agent-browser", "doctor"}, {"usher", "install"}} {
		got := w.run(words...)
		if got.exit != 0 || !strings.HasPrefix(got.out, "local ") {
			t.Errorf("%q: %+v", words, got)
		}
	}
	silent.Close()
	// The word alone does not make it that command.
	w.want(w.run("usher", "eval", "echo doctor"), result{out: "doctor"})
	if got := w.run("usher", "type", "@e1", "doctor"); strings.HasPrefix(got.out, "local ") {
		t.Errorf("%+v", got)
	}
	if got := w.run("usher", "doctor", "--bogus"); got.exit != 1 || !strings.Contains(got.err, "--bogus") {
		t.Errorf("%+v", got)
	}
}

func TestManyAtOnce(t *testing.T) {
	w := newWorld(t)
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
	w := newWorld(t)
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
	w := newWorld(t)
	got := w.run("usher", "eval", "die")
	if got.exit != 1 || got.out != "dying\n" || !strings.HasPrefix(got.err, "✗ the background process went away while the command ran") {
		t.Errorf("text: %+v", got)
	}
	got = w.run("usher", "eval", "die", "--json")
	if got.exit != 1 || !strings.HasSuffix(got.out, `"code":"connection_lost"}`+"\n") || got.err != "" {
		t.Errorf("JSON: %+v", got)
	}
}

// startBlocked starts a command that blocks until its context ends and then
// writes why to a file.
func startBlocked(t *testing.T, w *world) (cmd *exec.Cmd, reason string) {
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
			w := newWorld(t)
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

func TestPanicIsOneCommands(t *testing.T) {
	w := newWorld(t)
	cmd, reason := startBlocked(t, w)
	got := w.run("usher", "eval", "panic", "--json")
	if got.exit != 1 || !strings.HasSuffix(got.out, `"code":"internal_error"}`+"\n") || !strings.Contains(got.out, "a mistake") {
		t.Errorf("%+v", got)
	}
	log, err := os.ReadFile(filepath.Join(w.home, "run", "daemon.log"))
	if err != nil || !strings.Contains(string(log), "script") {
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

func TestSizes(t *testing.T) {
	w := newWorld(t)
	if got := w.run("usher", "eval", "huge"); len(got.out) != 50<<20 || got.exit != 0 || !strings.HasSuffix(got.out, "\n0123456789abcde\n") {
		t.Errorf("huge output: %d bytes, exit %d, %q", len(got.out), got.exit, got.err)
	}
	input := bytes.Repeat([]byte("a\x00\xffé\r\n"), 2<<20) // 14 MB, not text
	cmd := w.command("usher", "eval", "--stdin")
	cmd.Stdin = bytes.NewReader(input)
	if got := w.finish(cmd); got.out != string(input) || got.err != strconv.Itoa(len(input))+"\n" {
		t.Errorf("standard input came back as %d bytes, %q, exit %d", len(got.out), got.err, got.exit)
	}
	cmd = w.command("usher", "eval", "--stdin", "--json")
	cmd.Stdin = bytes.NewReader(make([]byte, 65<<20))
	if got := w.finish(cmd); got.exit != 1 || !strings.HasSuffix(got.out, `"code":"too_large"}`+"\n") {
		t.Errorf("too much input: %.200q, %q, exit %d", got.out, got.err, got.exit)
	}
}

func TestBadArguments(t *testing.T) {
	w := newWorld(t)
	for range 2 { // without and with a daemon
		got := w.run("usher", "fill", "#a", "\xff\xfe")
		w.want(got, result{err: "✗ the command line cannot be sent: argument 3 is not valid UTF-8\n", exit: 1})
		w.run("usher", "eval", "echo")
	}
}

func TestOutputClosed(t *testing.T) {
	w := newWorld(t)
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

// otherDaemon runs a daemon that believes to be of another build.
func otherDaemon(t *testing.T, w *world) *exec.Cmd {
	t.Helper()
	daemon := w.command("usher", "daemon", "run")
	daemon.Env = append(daemon.Env, "TEST_BUILD=+changed")
	ready, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return daemon
}

func TestOtherBuildIdle(t *testing.T) {
	w := newWorld(t)
	daemon := otherDaemon(t, w)
	w.want(w.run("usher", "eval", "echo new"), result{out: "new"})
	if err := daemon.Wait(); err != nil {
		t.Errorf("the daemon that made room ended with %v", err)
	}
}

func TestOtherBuildForever(t *testing.T) {
	w := newWorld(t)
	w.env = append(w.env, "TEST_BUILD=+changed")
	got := w.run("usher", "eval", "echo x")
	if got.exit != 1 || !strings.Contains(got.err, "started 2 times") {
		t.Errorf("%+v", got)
	}
}

func TestOtherBuildInUse(t *testing.T) {
	w := newWorld(t)
	daemon := otherDaemon(t, w)
	openSession(t, w)
	got := w.run("usher", "eval", "echo x", "--json")
	if got.exit != 1 || !strings.HasSuffix(got.out, `"code":"daemon_version"}`+"\n") || !strings.Contains(got.out, "an open session") ||
		!strings.Contains(got.out, "usher daemon stop") {
		t.Errorf("%+v", got)
	}
	// What this program can say by itself, it says.
	if got := w.run("usher", "snapsht"); got.exit != 1 || !strings.Contains(got.err, "snapshot") {
		t.Errorf("a mistake across builds: %+v", got)
	}
	if got := w.run("usher"); got.exit != 0 || !strings.Contains(got.out, "usher open") {
		t.Errorf("help across builds: %+v", got)
	}
	if got := w.run("usher", "daemon", "status"); !strings.Contains(got.out, "sessions: default\n") {
		t.Errorf("status across builds: %+v", got)
	}
	w.want(w.run("usher", "daemon", "stop"), result{out: "The background process has ended; every session is closed.\n"})
	if err := daemon.Wait(); err != nil {
		t.Error(err)
	}
}

// openSession speaks for a client of the daemon's own build.
func openSession(t *testing.T, w *world) {
	t.Helper()
	status := w.run("usher", "daemon", "status", "--json").out
	_, build, _ := strings.Cut(status, `"build":"`)
	build, _, _ = strings.Cut(build, `"`)
	conn, err := net.Dial("unix", filepath.Join(w.home, "run", "usher.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(`{"v":1,"op":"run","program":"usher","build":"` + build + `","argv":["open","a.example"],"env":[]}` + "\n")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 64)
	n, err := conn.Read(answer)
	if err != nil || !strings.HasSuffix(string(answer[:n]), "ok\n{\"exit\":0}\n") {
		t.Fatalf("%q, %v", answer[:n], err)
	}
}

func TestStartFails(t *testing.T) {
	w := newWorld(t)
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
	w := newWorld(t)
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
	w := newWorld(t)
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

// TestRunDir holds the short way to the socket against the long one.
func TestRunDir(t *testing.T) {
	for _, env := range []map[string]string{
		{"HOME": "/home/a"}, {"HOME": "/home/a", "USHER_HOME": "/data/u"}, {"HOME": "/home/a", "USHER_SOCKET_DIR": "/s"},
		{"HOME": "/home/a", "AGENT_BROWSER_SOCKET_DIR": "/ab"}, {"HOME": "/home/a", "USHER_HOME": "relative"}, {"HOME": "/home/a//b/"},
		{"HOME": "/" + strings.Repeat("x", 120)}, {"HOME": "/home/a", "USHER_HOME": "/data/../u"},
	} {
		getenv := func(name string) string { return env[name] }
		for _, agentBrowser := range []bool{false, true} {
			short, ok := line.RunDir(getenv, agentBrowser)
			if !ok {
				continue
			}
			if long, err := dirs.Of(getenv, "", agentBrowser); err != nil || long.Run != short || long.Socket != line.Socket(short) {
				t.Errorf("%v: %q, %+v, %v", env, short, long, err)
			}
		}
	}
	if _, ok := line.RunDir(func(name string) string { return map[string]string{"HOME": "/home/a"}[name] }, false); !ok {
		t.Error("the plainest environment takes the long way")
	}
}
