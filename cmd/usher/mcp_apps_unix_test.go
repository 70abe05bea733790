//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdptest"
)

// ownApp makes an app that runs nowhere else: the browser under another path, which tells its processes from all others.
func ownApp(t *testing.T, shell func(...string) string) string {
	t.Helper()
	shell("--session", "look", "open")
	var info struct {
		Data struct {
			Browser struct {
				Executable string `json:"executable"`
			} `json:"browser"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(shell("--session", "look", "--json", "session", "info")), &info); err != nil {
		t.Fatal(err)
	}
	shell("--session", "look", "close")
	program := info.Data.Browser.Executable
	entries, err := os.ReadDir(filepath.Dir(program))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, e := range entries {
		from, to := filepath.Join(filepath.Dir(program), e.Name()), filepath.Join(dir, e.Name())
		if from != program {
			err = os.Symlink(from, to)
		} else if err = os.Link(from, to); err != nil { // another file system
			err = copyFile(from, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, filepath.Base(program))
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}

// headless are the arguments without which the app needs a display.
var headless = []string{"--headless=new", "--no-sandbox", "--disable-gpu"}

// personStarts starts the app as its user does, with a debugging port, and returns that.
func personStarts(t *testing.T, app string, pages ...string) (port string, cmd *exec.Cmd) {
	t.Helper()
	profile := t.TempDir()
	cmd = exec.Command(app, append(append(headless[:len(headless):len(headless)], "--remote-debugging-port=0", "--user-data-dir="+profile), pages...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait() // it was killed
	})
	for deadline := time.Now().Add(cdptest.Timeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort")); err == nil && strings.Contains(string(text), "\n") {
			port, _, _ = strings.Cut(string(text), "\n")
			return port, cmd
		}
	}
	t.Fatal("the app opened no debugging port")
	return "", nil
}

func runs(pid int) bool { return syscall.Kill(pid, 0) == nil }

// TestBrowserToolPersonsApp: an app that its user has started is used over its port, by its path or its address, and lives
// on whatever is closed.
func TestBrowserToolPersonsApp(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--toolsets", codeTools)
	app := ownApp(t, shell)
	port, cmd := personStarts(t, app, site.URL("/forms"))
	spawned := map[string]any{"path": app, "args": headless}

	data := a.opens(map[string]any{"name": "app", "app": spawned})
	if want := "Opened tab \"app\" on spawned " + app + " (pid " + strconv.Itoa(cmd.Process.Pid) + ")\n"; !strings.HasPrefix(data["result"].(string), want) || data["browser"] != "spawned" {
		t.Errorf("the running app: %v, wanted %q", data, want)
	}
	if got := a.runs("app", "await page.waitForURL(/forms$/); return page.url()"); got != site.URL("/forms") {
		t.Errorf("the page is %s", got)
	}
	if _, data := a.browser(map[string]any{"action": "open", "name": "app"}); data["code"] != "launch_conflict" || !strings.Contains(data["error"].(string), "spawned "+app) {
		t.Errorf("its name in the session's own browser: %v", data)
	}

	own := filepath.Join(filepath.Dir(app), "resources")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "index.html"), []byte("<title>Its own</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	shell("--session", "person", "connect", port)
	shell("--session", "person", "open", "file://"+filepath.Join(own, "index.html"))
	if got := a.runs("app", "return await page.title()"); got != "Its own" {
		t.Errorf("the app's own page is %q", got)
	}
	shell("--session", "person", "open", "file://"+filepath.Dir(own)+"/")
	if _, data := a.browser(map[string]any{"action": "run", "name": "app", "code": "return await page.title()"}); data["code"] != "url_blocked" {
		t.Errorf("other files of the machine: %v", data)
	}
	shell("--session", "person", "open", site.URL("/forms"))
	a.runs("app", "await page.evaluate(() => { document.title = 'Devtools of it' })")
	shell("--session", "person", "tab", "new", site.URL("/small"))
	address := map[string]any{"cdp_url": "http://127.0.0.1:" + port + "/"}
	data = a.opens(map[string]any{"name": "by address", "app": address})
	if want := "Opened tab \"by address\" on connected http://127.0.0.1:" + port + "\nURL: " + site.URL("/small"); !strings.HasPrefix(data["result"].(string), want) || data["browser"] != "connected" {
		t.Errorf("what is no tool's page is taken first: %v, wanted %q", data, want)
	}
	for _, part := range []string{"DEVTOOLS OF", "/forms"} {
		data = a.opens(map[string]any{"name": "picked", "app": map[string]any{"cdp_url": "http://127.0.0.1:" + port, "target": part}})
		if data["url"] != site.URL("/forms") {
			t.Errorf("the page with %q: %v", part, data)
		}
		a.browser(map[string]any{"action": "close", "name": "picked"})
	}
	_, data = a.browser(map[string]any{"action": "open", "name": "none", "app": map[string]any{"path": app, "target": "elsewhere"}})
	if says, _ := data["error"].(string); data["code"] != "tab_not_found" || !strings.Contains(says, "Small ("+site.URL("/small")+")") || !strings.Contains(says, "/forms") {
		t.Errorf("a page that is not there: %v", data)
	}
	if got := a.runs("by address", "return await page.title()"); got != "Small" {
		t.Errorf("the page is %q", got)
	}

	_, data = a.browser(map[string]any{"action": "close", "name": "app", "kill": true})
	if warning, _ := data["warning"].(string); data["result"] != `Closed tab "app"` || !strings.Contains(warning, "was not started by usher") {
		t.Errorf("close with kill: %v", data)
	}
	a.browser(map[string]any{"action": "close", "all": true, "kill": true})
	if out := shell("session", "list"); strings.Contains(out, "shared") {
		t.Errorf("sessions are left: %s", out)
	}
	if out := shell("--session", "person", "tab", "list"); !runs(cmd.Process.Pid) || !strings.Contains(out, "/forms") || !strings.Contains(out, "/small") {
		t.Errorf("the person's app after close:\n%s", out)
	}

	shell("--session", "person", "close")
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if _, data := a.browser(map[string]any{"action": "open", "name": "gone", "timeout": 10, "app": address}); data["code"] != "attach_failed" {
		t.Errorf("an app that has ended: %v", data)
	}
}

// TestBrowserToolSpawnedApp: an app that does not run is started once, goes on running when its tabs are closed, is found
// again, and ends with kill.
func TestBrowserToolSpawnedApp(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--toolsets", codeTools)
	app := ownApp(t, shell)
	t.Cleanup(func() { shell("close", "--all", "--kill") })
	spawned := map[string]any{"path": app, "args": append([]string{site.URL("/small")}, headless...)}
	pid := func() int {
		var info struct {
			Data struct {
				App struct {
					PID     int  `json:"pid"`
					Started bool `json:"started"`
				} `json:"app"`
			} `json:"data"`
		}
		for _, name := range strings.Fields(strings.ReplaceAll(shell("session", "list"), "→", "")) {
			if !strings.HasPrefix(name, "shared-app-") {
				continue
			}
			if err := json.Unmarshal([]byte(shell("--session", name, "--json", "session", "info")), &info); err != nil || !info.Data.App.Started {
				t.Errorf("%s: %+v, %v", name, info, err)
			}
		}
		return info.Data.App.PID
	}
	a.opens(map[string]any{"name": "one", "app": spawned})
	first := pid()
	a.opens(map[string]any{"name": "two", "app": spawned})
	if again := pid(); first == 0 || again != first {
		t.Errorf("it is started again: %d, then %d", first, again)
	}
	if got := a.runs("one", "return await page.title()"); got != "Small" {
		t.Errorf("the page is %q", got)
	}
	a.browser(map[string]any{"action": "close", "name": "one"})
	if _, data := a.browser(map[string]any{"action": "run", "name": "one", "code": "return 1"}); data["code"] != "tab_not_found" {
		t.Errorf("run after close: %v", data)
	}
	if got := a.runs("two", "return await page.title()"); got != "Small" {
		t.Errorf("the other name's page is %q", got)
	}
	a.browser(map[string]any{"action": "close", "name": "two"})
	if !runs(first) {
		t.Error("it ended with its last tab")
	}
	a.opens(map[string]any{"name": "three", "app": spawned})
	if again := pid(); again != first {
		t.Errorf("the running one is not found: %d, then %d", first, again)
	}
	if _, data := a.browser(map[string]any{"action": "run", "name": "three", "code": "while (true) {}", "timeout": 1}); data["code"] != "timeout" {
		t.Errorf("endless: %v", data)
	}
	if got := a.runs("three", "return await page.title()"); got != "Small" {
		t.Errorf("after a timeout the page is %q", got)
	}
	_, data := a.browser(map[string]any{"action": "close", "name": "three", "kill": true})
	if data["warning"] != nil {
		t.Errorf("close with kill: %v", data)
	}
	for deadline := time.Now().Add(cdptest.Timeout); runs(first); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it outlives kill")
		}
	}
}
