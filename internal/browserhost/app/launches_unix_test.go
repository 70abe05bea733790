//go:build unix

package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost/app"
)

const id = "electron-0c9e4b0e-1111-4222-8333-444455556666"

// recorded writes the record of a launch, as an earlier daemon left it, with a profile that has a file.
func recorded(t *testing.T, dir string, change func(*app.Record)) *app.Record {
	t.Helper()
	r := &app.Record{Version: 1, LaunchID: id, LaunchedByWrapper: true, AppName: "Notes", ExecutablePath: "/opt/notes/notes", Platform: "linux",
		UserDataDir: filepath.Join(dir, id), SessionName: "default", TargetType: "page", CreatedAtMs: 1, CleanupState: app.Active}
	if err := os.MkdirAll(filepath.Join(r.UserDataDir, "Default"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.UserDataDir, "Default", "Cookies"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	text, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, id+".json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// selected reads the record as a later daemon does.
func selected(t *testing.T, dir string) (*app.Launches, *app.Record) {
	t.Helper()
	l := app.NewLaunches(dir)
	list, err := l.Select("", false)
	if err != nil {
		t.Fatal(err)
	}
	return l, list[0]
}

// stubborn starts a program that ignores SIGTERM and ends with the test.
func stubborn(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", `trap "" TERM; echo ready; while read line; do :; done`, "sh"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 10)); err != nil { // it ignores the signal from now on
		t.Fatal(err)
	}
	return cmd
}

func results(c *app.Cleanup) string {
	var out []string
	for _, s := range c.Steps {
		out = append(out, s.Step+" "+s.Result)
	}
	return strings.Join(out, ", ")
}

// TestForeignProcess: the number of the app's process is another program's by now, which is left alone.
func TestForeignProcess(t *testing.T) {
	dir := t.TempDir()
	other := stubborn(t, "--user-data-dir="+filepath.Join(dir, id)+"-other")
	recorded(t, dir, func(r *app.Record) { r.PID, r.ProcessGroupID = other.Process.Pid, other.Process.Pid })
	l, r := selected(t, dir)
	if s := l.Status(t.Context(), r); s.ProcessAlive || !s.PIDReused || s.PortAlive || !s.Profile {
		t.Errorf("%+v", s)
	}
	c := l.Cleanup(t.Context(), r, time.Second)
	if got := results(c); got != "process already-gone, debug-port already-gone, user-data-dir removed" || !c.Complete || !strings.Contains(c.Steps[0].Detail, "another program") {
		t.Errorf("%s: %+v", got, c)
	}
	if err := other.Process.Signal(syscall.Signal(0)); err != nil || other.ProcessState != nil {
		t.Errorf("the other program: %v", err)
	}
	if _, err := l.Select("", false); api.CodeOf(err) != api.InvalidArgument {
		t.Errorf("it is still open: %v", err)
	}
}

// TestOwnProcess: a process with the profile on its command line is ended, though it ignores the request and an earlier daemon started it.
func TestOwnProcess(t *testing.T) {
	dir := t.TempDir()
	own := stubborn(t, "--user-data-dir="+filepath.Join(dir, id))
	ended := make(chan error, 1)
	go func() { ended <- own.Wait() }()
	recorded(t, dir, func(r *app.Record) { r.PID = own.Process.Pid })
	l, r := selected(t, dir)
	if s := l.Status(t.Context(), r); !s.ProcessAlive || s.PIDReused {
		t.Errorf("%+v", s)
	}
	if c := l.Cleanup(t.Context(), r, 4*time.Second); results(c) != "process removed, debug-port already-gone, user-data-dir removed" || c.State != app.Cleaned {
		t.Errorf("%+v", c)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it ended otherwise: %v", err)
	}
}

// TestProtectedProfile: what cannot be removed is told, and nothing else is touched; the clean-up can be repeated.
func TestProtectedProfile(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	keep := filepath.Join(outside, "keep")
	if err := os.WriteFile(keep, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := recorded(t, dir, nil)
	if err := os.RemoveAll(r.UserDataDir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, r.UserDataDir); err != nil {
		t.Fatal(err)
	}
	l, r := selected(t, dir)
	c := l.Cleanup(t.Context(), r, time.Second)
	if c.Complete || c.State != app.Partial || !strings.HasSuffix(results(c), "user-data-dir failed") {
		t.Errorf("a symbolic link: %+v", c)
	}
	if _, err := os.Stat(keep); err != nil {
		t.Error(err)
	}
	if err := os.Remove(r.UserDataDir); err != nil {
		t.Fatal(err)
	}
	l, r = selected(t, dir) // partial is not cleaned
	if c := l.Cleanup(t.Context(), r, time.Second); !c.Complete || !strings.HasSuffix(results(c), "user-data-dir already-gone") {
		t.Errorf("again: %+v", c)
	}
}

// TestForeignRecord: a record decides what is deleted, so one that names a folder elsewhere, or that others can write, is not used.
func TestForeignRecord(t *testing.T) {
	elsewhere := t.TempDir()
	for name, change := range map[string]func(*app.Record){
		"a folder elsewhere": func(r *app.Record) { r.UserDataDir = elsewhere },
		"another id":         func(r *app.Record) { r.LaunchID = "electron-../../x" },
	} {
		dir := t.TempDir()
		recorded(t, dir, change)
		if list, err := app.NewLaunches(dir).Select("", true); len(list) != 0 || api.CodeOf(err) != api.InvalidState {
			t.Errorf("%s: %v %v", name, list, err)
		}
	}
	dir := t.TempDir()
	recorded(t, dir, nil)
	if err := os.Chmod(filepath.Join(dir, id+".json"), 0o666); err != nil {
		t.Fatal(err)
	}
	if list, err := app.NewLaunches(dir).Select("", true); len(list) != 0 || api.CodeOf(err) != api.PermissionDenied {
		t.Errorf("a record of anybody: %v %v", list, err)
	}
	if _, err := app.NewLaunches(filepath.Join(dir, "none")).Select("", false); api.CodeOf(err) != api.InvalidArgument {
		t.Errorf("no records: %v", err)
	}
}

func TestOwnArg(t *testing.T) {
	t.Parallel()
	refused := []string{"--user-data-dir=/x", "--user-data-dir", "--remote-debugging-port=1", "--REMOTE-debugging-address", "-remote-debugging-pipe", "--"}
	for _, arg := range append(refused, "--lang=de", "user-data-dir", "--remote-debugging", "", "-", "file") {
		if app.OwnArg(arg) != slices.Contains(refused, arg) {
			t.Errorf("%q: %v", arg, app.OwnArg(arg))
		}
	}
}
