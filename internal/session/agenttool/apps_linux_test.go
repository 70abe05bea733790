package agenttool_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/session/results"
)

// electronShaped makes an app of the test's Chromium that looks as Electron's do.
func electronShaped(t *testing.T, c *caller) (path string) {
	t.Helper()
	c.args("open", "about:blank").ok()
	info := c.inspect()
	real, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", info.Browser.PID))
	if err != nil {
		t.Fatal(err)
	}
	c.args("close").ok()
	dir := filepath.Join(t.TempDir(), "trial notes")
	if err := os.MkdirAll(filepath.Join(dir, "resources"), 0o700); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(real))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(real) && e.Name() != "resources" {
			if err := os.Symlink(filepath.Join(filepath.Dir(real), e.Name()), filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	path = filepath.Join(dir, "notes")
	if os.Link(real, path) != nil { // another file system
		program, err := os.ReadFile(real)
		if err == nil {
			err = os.WriteFile(path, program, 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "resources", "app.asar"), nil, fs.FileMode(0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// inspect returns what session info says of the tool's session.
func (c *caller) inspect() *results.Info {
	c.t.Helper()
	name := c.args("get", "url").Details.SessionName
	return c.shell("--session", name, "session", "info").Data.(*results.Info)
}

// TestApps: an app is launched, driven and removed; a command after its end says what became of it.
func TestApps(t *testing.T) {
	c := newCaller(t)
	path := electronShaped(t, c)
	launch := c.call(dump(map[string]any{"electron": map[string]any{"action": "launch", "executablePath": path,
		"appArgs": []string{"--headless=new", "--no-sandbox", "--disable-background-networking", "--disable-component-update", c.base + "/plain"}}})).ok()
	for _, id := range []string{"status-electron-launch", "probe-electron-launch", "list-electron-tabs", "snapshot-electron-session"} {
		c.follow(launch, id)
	}
	if got := c.args("get", "title").ok(); !strings.Contains(got.Text(), "Plain") || got.Details.ElectronPostCommandHealth != nil {
		t.Errorf("%s", got.Text())
	}
	var record struct {
		Launch struct {
			PID int `json:"pid"`
		} `json:"launch"`
	}
	readInto(t, launch.Details.Electron, &record)
	if err := syscall.Kill(record.Launch.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var got answer
	for until := time.Now().Add(cdptest.Timeout); time.Now().Before(until); {
		if got = c.args("click", "text=Go"); got.Details.ElectronPostCommandHealth != nil {
			break
		}
	}
	if h := got.Details.ElectronPostCommandHealth; h == nil || h.Reason != "process-dead" && h.Reason != "debug-port-dead" {
		t.Fatalf("%s", dump(got.raw))
	}
	got.fails("tab-drift")
	c.follow(got, "cleanup-electron-launch")
}
