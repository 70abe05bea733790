package agenttool_test

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/session/results"
)

// electronShaped makes an app of the test's Chromium.
func electronShaped(t *testing.T, c *caller) (path string) {
	t.Helper()
	c.args("open", "about:blank").ok()
	path = cdptest.ElectronShaped(t, c.inspect().Browser.PID)
	c.args("close").ok()
	return path
}

// launch launches an app that shows the page /plain.
func (c *caller) launch(path string) answer {
	c.t.Helper()
	c.t.Cleanup(func() { c.shell("app", "cleanup", "--all") }) // it would outlive a test that fails
	return c.call(dump(map[string]any{"electron": map[string]any{"action": "launch", "executablePath": path,
		"appArgs": []string{"--headless=new", "--no-sandbox", "--disable-background-networking", "--disable-component-update", c.base + "/plain"}}})).ok()
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
	launch := c.launch(path)
	for _, id := range []string{"status-electron-launch", "probe-electron-launch", "list-electron-tabs", "snapshot-electron-session"} {
		c.follow(launch, id)
	}
	if got := c.args("get", "title").ok(); !strings.Contains(got.Text(), "Plain") || got.Details.ElectronPostCommandHealth != nil {
		t.Errorf("%s", got.Text())
	}
	whole := c.args("get", "text", "body").ok()
	c.follow(whole, "snapshot-for-electron-text-scope")
	const scope = `{"electronContext":{"launchId":"ID","sessionName":"S","url":"U"},"selector":"body",` +
		`"summary":"get text body reads the whole window of the app; a ref of a snapshot, or a selector of one part, reads less."}`
	id := launch.action("status-electron-launch").Params.Electron.LaunchID
	named := strings.NewReplacer(id, "ID", whole.Details.SessionName, "S", c.base+"/plain", "U")
	if got := named.Replace(dump(whole.raw["electronGetTextScopeWarning"])); got != scope || whole.raw["electronGetTextScopeWarnings"] != nil {
		t.Errorf("have %s\nwant %s", got, scope)
	}
	two := c.call(`{"args":["batch"],"stdin":"[[\"get\",\"text\",\"HTML\"],[\"get\",\"text\",\"button\"],[\"get\",\"text\",\"main\"],[\"get\",\"text\",\"body\"]]"}`)
	if all := two.Details.ElectronGetTextScopeWarnings; len(all) != 2 || all[1].Selector != "body" {
		t.Errorf("%s", dump(two.raw))
	}
	c.follow(two, "snapshot-for-electron-text-scope-2")
	if part := c.args("get", "text", "button").ok(); part.raw["electronGetTextScopeWarning"] != nil {
		t.Errorf("%s", dump(part.raw))
	}
	shot := c.args("snapshot", "-i").ok()
	acted := c.args("click", shot.ref("Go", 0)).ok()
	const freshness = `{"command":"click","launchId":"ID","nextActionIds":["refresh-electron-refs-after-rerender"],` +
		`"summary":"click acted on a ref in an app, which may have rendered its window anew: refs of elements that are gone are refused."}`
	if got := strings.ReplaceAll(dump(acted.raw["electronRefFreshness"]), id, "ID"); got != freshness {
		t.Errorf("have %s\nwant %s", got, freshness)
	}
	c.follow(acted, "refresh-electron-refs-after-rerender")
	for _, without := range []answer{shot, c.args("click", "text=Go").ok()} {
		if without.raw["electronRefFreshness"] != nil {
			t.Errorf("%s", dump(without.raw))
		}
	}
	var record struct {
		Launch struct {
			PID     int    `json:"pid"`
			Profile string `json:"userDataDir"`
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
	// A link in place of the profile is not followed: the clean-up is partial.
	if err := os.RemoveAll(record.Launch.Profile); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), record.Launch.Profile); err != nil {
		t.Fatal(err)
	}
	partial := c.call(dump(got.action("cleanup-electron-launch").Params)).fails("cleanup-failed")
	if err := os.Remove(record.Launch.Profile); err != nil {
		t.Fatal(err)
	}
	c.follow(partial, "retry-electron-cleanup")
}

// TestReattach: an app whose session was closed runs on, and connecting to it again is suggested by its status and by a probe.
func TestReattach(t *testing.T) {
	c := newCaller(t)
	launch := c.launch(electronShaped(t, c))
	c.args("close").ok()
	status := c.call(dump(launch.action("status-electron-launch").Params)).ok()
	c.call(dump(launch.action("probe-electron-launch").Params)).fails("upstream-error").action("reattach-electron-launch")
	if m := status.Details.ElectronSessionMismatch; m == nil || m.Reason != "launch-session-not-current" || m.LiveTarget == nil || !strings.HasSuffix(m.LiveTarget.URL, "/plain") ||
		m.ManagedSession.SessionName == "" || len(m.StatusTargets) < 10 || !slices.Equal(m.NextActionIDs, []string{"reattach-electron-launch"}) {
		t.Errorf("%s", dump(status.raw))
	}
	c.follow(status, "reattach-electron-launch")
	if got := c.args("get", "title").ok(); !strings.Contains(got.Text(), "Plain") {
		t.Errorf("%s", got.Text())
	}
	ref := c.args("snapshot", "-i").ok().ref("Go", 0)
	if got := c.args("click", ref).ok(); got.Details.ElectronRefFreshness == nil { // it is known that this session is the app's
		t.Errorf("%s", dump(got.raw))
	}
	if again := c.call(dump(launch.action("status-electron-launch").Params)).ok(); again.has("reattach-electron-launch") || again.Details.ElectronSessionMismatch != nil {
		t.Errorf("it is connected: %s", dump(again.raw))
	}
	c.follow(launch, "cleanup-electron-launch")
}

// TestBlankInApp: a session whose window was closed, and that shows a blank one, is told of the window that has a page.
func TestBlankInApp(t *testing.T) {
	c := newCaller(t)
	launch := c.launch(electronShaped(t, c))
	name := c.args("get", "url").ok().Details.SessionName
	c.args("tab", "new", c.base+"/tabs").ok()
	c.shell("--session", name, "tab", "new")
	c.shell("--session", name, "tab", "close", "t2")
	got := c.args("get", "title").ok()
	m := got.Details.ElectronSessionMismatch
	if m == nil || m.Reason != "managed-session-about-blank-while-launch-target-live" || m.LiveTarget == nil || !strings.HasSuffix(m.LiveTarget.URL, "/plain") {
		t.Fatalf("%s", dump(got.raw))
	}
	if again := c.follow(got, "select-intended-tab-after-drift"); again.Details.ElectronSessionMismatch != nil {
		t.Errorf("%s", dump(again.raw))
	}
	c.follow(launch, "cleanup-electron-launch")
}
