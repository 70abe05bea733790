//go:build linux || darwin

package cli_test

import (
	"bytes"
	"errors"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api/frame"
	"github.com/usher-browser/usher/internal/config/dirs"
)

func TestCommand(t *testing.T) {
	w := newTestHome(t)
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
	w := newTestHome(t)
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

// TestLogCannotBeWritten: what cannot be written in the home has a next step.
func TestLogCannotBeWritten(t *testing.T) {
	w := newTestHome(t)
	if err := os.MkdirAll(filepath.Join(w.home, "run", "daemon.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := w.run("usher", "eval", "echo"); got.exit != 1 || !strings.Contains(got.err, "daemon.log: is a directory") || !strings.Contains(got.err, "Set USHER_HOME") {
		t.Errorf("%+v", got)
	}
}

func TestLocalStartsNothing(t *testing.T) {
	w := newTestHome(t)
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
		{[]string{"usher", "daemon", "status"}, 0, "No daemon is running.", ""},
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
	w := newTestHome(t)
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

// TestDoctorWithoutDaemon has something on the socket that takes commands and
// never answers.
func TestDoctorWithoutDaemon(t *testing.T) {
	w := newTestHome(t)
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

func TestSizes(t *testing.T) {
	w := newTestHome(t)
	if got := w.run("usher", "eval", "huge"); len(got.out) != 50<<20 || got.exit != 0 || !strings.HasSuffix(got.out, "\n0123456789abcde\n") {
		t.Errorf("huge output: %d bytes, exit %d, %q", len(got.out), got.exit, got.err)
	}
	input := bytes.Repeat([]byte("a\x00\xffé\r\n"), 2<<20) // 14 MB, not text
	cmd := w.command("usher", "eval", "--stdin")
	cmd.Stdin = bytes.NewReader(input)
	if got := w.finish(cmd); got.out != string(input) || got.err != strconv.Itoa(len(input))+"\n" {
		t.Errorf("standard input came back as %d bytes, %q, exit %d", len(got.out), got.err, got.exit)
	}
	cmd = w.command("usher", "eval", "--stdin") // input is read while the daemon's answer is awaited, with one processor, too
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	cmd.Stdin = bytes.NewReader(input)
	if got := w.finish(cmd); got.out != string(input) || got.err != strconv.Itoa(len(input))+"\n" {
		t.Errorf("with one processor standard input came back as %d bytes, %q, exit %d", len(got.out), got.err, got.exit)
	}
	cmd = w.command("usher", "eval", "--stdin", "--json")
	cmd.Stdin = bytes.NewReader(make([]byte, 65<<20))
	if got := w.finish(cmd); got.exit != 1 || !strings.HasSuffix(got.out, `"code":"too_large"}`+"\n") {
		t.Errorf("too much input: %.200q, %q, exit %d", got.out, got.err, got.exit)
	}
}

func TestBadArguments(t *testing.T) {
	w := newTestHome(t)
	for range 2 { // without and with a daemon
		got := w.run("usher", "fill", "#a", "\xff\xfe")
		w.want(got, result{err: "✗ the command line cannot be sent: argument 3 is not valid UTF-8\n", exit: 1})
		w.run("usher", "eval", "echo")
	}
}

// TestSocket holds the short way to the socket against the long one.
func TestSocket(t *testing.T) {
	for _, env := range []map[string]string{
		{"HOME": "/home/a"}, {"HOME": "/home/a", "USHER_HOME": "/data/u"}, {"HOME": "/home/a", "USHER_SOCKET_DIR": "/s"},
		{"HOME": "/home/a", "AGENT_BROWSER_SOCKET_DIR": "/ab"}, {"HOME": "/home/a", "USHER_HOME": "relative"}, {"HOME": "/home/a//b/"},
		{"HOME": "/" + strings.Repeat("x", 120)}, {"HOME": "/home/a", "USHER_HOME": "/data/../u"},
	} {
		getenv := func(name string) string { return env[name] }
		for _, agentBrowser := range []bool{false, true} {
			short, ok := frame.AppendSocket([]byte("#"), getenv, agentBrowser)
			if !ok {
				continue
			}
			if long, err := dirs.Of(getenv, "", agentBrowser); err != nil || "#"+long.Socket != string(short) {
				t.Errorf("%v: %q, %+v, %v", env, short, long, err)
			}
		}
	}
	if _, ok := frame.AppendSocket(nil, func(name string) string { return map[string]string{"HOME": "/home/a"}[name] }, false); !ok {
		t.Error("the plainest environment takes the long way")
	}
}
