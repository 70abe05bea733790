package session_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
)

// display returns the display variables with which the session's browser was started.
func (c *client) display(t *testing.T, session string) (pid int, display []string) {
	t.Helper()
	info := fields(t, c.must(t, "session info --session "+session))
	pid = int(info["browser"].(map[string]any)["pid"].(float64))
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		t.Fatal(err)
	}
	for pair := range strings.SplitSeq(string(text), "\x00") {
		switch name, _, _ := strings.Cut(pair, "="); name {
		case "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR":
			display = append(display, pair)
		}
	}
	slices.Sort(display)
	return pid, display
}

// A headed browser opens on the caller's display. The daemon, here the test, may have been started on another one.
func TestHeadedOnTheDisplayOfTheCaller(t *testing.T) {
	t.Setenv("DISPLAY", ":1")
	t.Setenv("WAYLAND_DISPLAY", "wayland-daemon")
	t.Setenv("XAUTHORITY", "/nowhere/daemon")
	t.Setenv("XDG_RUNTIME_DIR", "/nowhere")
	c := connect(t)
	if _, err := c.run(t.Context(), "open about:blank --headed --session none"); api.CodeOf(err) != api.LaunchFailed || !strings.Contains(err.Error(), "no display") {
		t.Errorf("asked from where there is no display: %v", err)
	}
	// Chromium's headless platform, so that the displays need not exist.
	c.env["USHER_ARGS"] += ",--ozone-platform=headless"
	c.env["DISPLAY"], c.env["XAUTHORITY"], c.env["XDG_RUNTIME_DIR"] = ":77", "/nowhere/caller", t.TempDir()
	c.must(t, "open about:blank --headed --session one")
	first, got := c.display(t, "one")
	if want := []string{"DISPLAY=:77", "XAUTHORITY=/nowhere/caller", "XDG_RUNTIME_DIR=" + c.env["XDG_RUNTIME_DIR"]}; !slices.Equal(got, want) {
		t.Errorf("the browser was started with %q, want %q", got, want)
	}
	c.must(t, "open about:blank --headed --session same")
	if pid, _ := c.display(t, "same"); pid != first {
		t.Error("two sessions on one display have a browser each")
	}
	c.env["DISPLAY"] = ":78"
	c.must(t, "open about:blank --headed --session other")
	if pid, got := c.display(t, "other"); pid == first || !slices.Contains(got, "DISPLAY=:78") {
		t.Errorf("another display: the same browser: %v; started with %q", pid == first, got)
	}
	// A running browser stays on its display.
	c.must(t, "get url --headed --session one")
	if pid, _ := c.display(t, "one"); pid != first {
		t.Error("a command from another display changed the session's browser")
	}
}
