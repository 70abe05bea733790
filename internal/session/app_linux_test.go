package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost/app"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/session"
	"github.com/usher-browser/usher/internal/session/apps"
	"github.com/usher-browser/usher/internal/session/results"
)

const quiet = " -- --headless=new --disable-background-networking --disable-component-update --disable-sync --disable-quic about:blank"

// electronShaped makes an app of the test's Chromium, with a desktop entry.
func electronShaped(t *testing.T, c *client) (path string) {
	t.Helper()
	c.must(t, "open about:blank")
	path = cdptest.ElectronShaped(t, c.must(t, "session info").Data.(*results.Info).Browser.PID)
	c.must(t, "close")
	data := cdptest.DesktopEntry(t, "Trial Notes", path)
	c.env["XDG_DATA_HOME"], c.env["XDG_DATA_DIRS"] = data, data
	return path
}

// TestLaunchedApp launches an app, uses it, and cleans it up with another daemon than the one that launched it.
func TestLaunchedApp(t *testing.T) {
	home := t.TempDir()
	c := connect(t)
	c.registry = session.NewRegistry(session.Options{Table: program.Table(), StateDir: home})
	path := electronShaped(t, c)
	listed := c.must(t, "app list trial").Data.(*apps.Installed)
	if len(listed.Apps) != 1 || listed.Apps[0].ExecutablePath != path || listed.Apps[0].Sensitivity == nil || len(listed.Apps[0].Evidence) != 2 {
		t.Fatalf("%+v", listed)
	}
	for line, want := range map[string]api.Code{
		`app launch notes --deny trial`: api.ActionDenied, `app launch notes --allow chat`: api.ActionDenied,
		"app launch nobody": api.FileNotFound, "app launch /bin/sh": api.InvalidArgument, "app status": api.InvalidArgument, "app probe": api.BrowserNotRunning,
	} {
		if _, err := c.run(t.Context(), line); api.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	launched := c.must(t, `app launch notes`+quiet).Data.(*apps.Launched)
	r := launched.Launch
	info, err := os.Stat(filepath.Join(home, "apps", r.LaunchID+".json"))
	if err != nil || info.Mode().Perm() != 0o600 || !strings.HasPrefix(r.UserDataDir, home) || r.Port == 0 || len(launched.Targets) != 1 {
		t.Errorf("%+v %v", launched, err)
	}
	c.must(t, "open data:text/html,<title>Hi</title><input%20autofocus%20aria-label=Name>")
	probe := c.must(t, "app probe "+r.LaunchID).Data.(*apps.Probe)
	if probe.Title != "Hi" || probe.Focused != `<input aria-label="Name">` || len(probe.Refs) != 1 || len(probe.Tabs) != 1 {
		t.Errorf("%+v", probe)
	}
	if _, err := c.run(t.Context(), `app launch notes`+quiet); api.CodeOf(err) != api.LaunchConflict {
		t.Errorf("a second one in the session: %v", err)
	}
	c.must(t, "close") // the app goes on running
	status := c.must(t, "app status").Data.(*apps.Launches).Launches[0]
	if !status.ProcessAlive || !status.PortAlive || status.Mismatch == nil {
		t.Errorf("%+v", status)
	}
	if err := c.registry.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.registry = session.NewRegistry(session.Options{Table: program.Table(), StateDir: home})
	c.must(t, fmt.Sprintf("connect %d", r.Port))
	if title := c.must(t, "get title").Text; title != "Hi" {
		t.Errorf("connected again: %s", title)
	}
	c.must(t, "close")
	cleaned := c.must(t, "app cleanup").Data.(*apps.CleanedUp).Launches[0]
	if !cleaned.Complete || cleaned.State != app.Cleaned {
		t.Errorf("%+v", cleaned)
	}
	if _, err := os.Stat(r.UserDataDir); !os.IsNotExist(err) {
		t.Errorf("the profile: %v", err)
	}
}

// TestAppsThatFail: nothing of a launch that fails is left.
func TestAppsThatFail(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	c := connect(t)
	c.registry = session.NewRegistry(session.Options{Table: program.Table(), StateDir: home})
	for _, name := range []string{"chrome_100_percent.pak", "resources"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "resources", "app.asar"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "failing")
	for _, test := range []struct {
		program, text, args, reason string
		code                        api.Code
	}{
		{"/bin/false", "", "", app.PortNotFound, api.LaunchFailed},
		{"/bin/true", "", "", app.SingleInstance, api.LaunchFailed},
		{"", "no program", "", app.SpawnError, api.LaunchFailed},
		{"/usr/bin/tail", "", " --timeout 500ms -- -f /dev/null", app.PortNotFound, api.LaunchFailed}, // refuses the switches
		{"/usr/bin/env", "", " --timeout 500ms", app.PortNotFound, api.LaunchFailed},
	} {
		_ = os.Remove(path)
		if test.program != "" {
			cdptest.CopyProgram(t, test.program, path)
		} else if err := os.WriteFile(path, []byte(test.text), 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := c.run(t.Context(), "app launch "+path+test.args)
		e := api.AsError(err)
		if e == nil || e.Code != test.code || e.Data["reason"] != test.reason {
			t.Errorf("%s%s: %v %v", test.program, test.text, err, e)
			continue
		}
		if d := e.Data["diagnostics"].(*app.Diagnostics); d.DevToolsActivePort.Found || d.PIDAlive || d.TimeoutMs == 0 {
			t.Errorf("%s: %+v", test.program, d)
		}
		if left, err := os.ReadDir(filepath.Join(home, "apps")); err != nil || len(left) != 0 {
			t.Errorf("%s left %v %v", test.program, left, err)
		}
	}
}
