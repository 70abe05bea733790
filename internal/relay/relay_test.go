package relay_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/relay"
)

// playwright returns a run of the script with Playwright.
func (r *rig) playwright(t *testing.T, set string) *exec.Cmd {
	t.Helper()
	const manifest = "../../cmd/usher/testdata/playwright/package.json"
	dir, err := filepath.Abs("../../.cache/playwright")
	if err != nil {
		t.Fatal(err)
	}
	if err := peer.Playwright(t.Context(), manifest, dir); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/acceptance.js")
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("ws://127.0.0.1:%d/cdp?token=%s", r.port, r.relay.Pairing().ClientToken())
	cmd := exec.CommandContext(t.Context(), "node", "-e", string(script), "--", address, fmt.Sprint(r.site), set)
	cmd.Dir = dir // where require looks
	return cmd
}

func TestPlaywrightOnTabsOpenBefore(t *testing.T) {
	r := newRig(t)
	out, err := r.playwright(t, "adopt").CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "13 of 13") {
		t.Errorf("%s%v", out, err)
	}
	r.await(t, "the debugger is detached when nobody uses the tabs", func(s relay.Status) bool { return s.Clients == 0 && s.Attached == 0 })
}

func TestPlaywrightInNewTabs(t *testing.T) {
	r := newRig(t)
	if out, err := r.playwright(t, "open").CombinedOutput(); err != nil {
		t.Errorf("%s%v", out, err)
	}
}

// The tabs, their state and the client's session survive the end of the extension's worker.
func TestWorkerStopped(t *testing.T) {
	r := newRig(t)
	cmd := r.playwright(t, "survive")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	until := func(want string) {
		t.Helper()
		for lines.Scan() {
			if lines.Text() == want {
				return
			}
			t.Log(lines.Text())
		}
		t.Fatalf("Playwright ended without saying %q", want)
	}
	until("ready")
	for _, name := range []string{"one", "two"} {
		since := r.relay.Status().Link.Since
		r.stopWorker(t)
		r.await(t, "the extension is back", func(s relay.Status) bool { return s.Link.Connected && s.Link.Since.After(since) })
		fmt.Fprintln(in, name)
		until("done " + name)
	}
	_ = in.Close()
	until("3 of 3")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// What cannot be done says so, and what would clear the user's profile is refused.
func TestTruthfulAnswers(t *testing.T) {
	r := newRig(t)
	c, _ := r.client(t)
	form := pageAt(t, c, "/form")
	page := attachTo(t, c, form)
	for _, x := range []struct {
		session *cdp.Session
		method  string
		params  any
		want    string
	}{
		{c.Browser(), "Target.createBrowserContext", nil, "wasn't found"},
		{c.Browser(), "SystemInfo.getInfo", nil, "wasn't found"},
		{c.Browser(), "Browser.setDownloadBehavior", map[string]string{"behavior": "deny"}, "cannot be denied"},
		{c.Browser(), "Storage.clearCookies", nil, "refused"},
		{page, "Network.clearBrowserCookies", nil, "refused"},
		{page, "Network.clearBrowserCache", nil, "refused"},
		{page, "Storage.clearDataForOrigin", map[string]string{"origin": "*", "storageTypes": "all"}, "refused"},
		{page, "Security.enable", nil, "wasn't found"},
		{page, "Runtime.evaluate", map[string]any{"expression": "1", "contextId": 1 << 30}, "Cannot find context"},
	} {
		err := x.session.Call(deadline(t), x.method, x.params, nil)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", x.method, err)
		}
	}
	var got struct {
		Info struct {
			ID  string `json:"targetId"`
			URL string `json:"url"`
		} `json:"targetInfo"`
	}
	if err := page.Call(deadline(t), "Target.getTargetInfo", nil, &got); err != nil || got.Info.ID != form {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestBrowserTarget: a client that discovers all targets finds that of the browser, with which Puppeteer makes CDP sessions of the browser.
func TestBrowserTarget(t *testing.T) {
	r := newRig(t)
	c, seen := r.client(t)
	for _, x := range []struct {
		filter []any
		want   bool
	}{{[]any{map[string]any{"type": "browser", "exclude": true}, map[string]any{}}, false}, {[]any{map[string]any{}}, true}} {
		for _, on := range []bool{true, false} {
			if err := c.Browser().Call(deadline(t), "Target.setDiscoverTargets", map[string]any{"discover": on, "filter": x.filter}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Contains(strings.Join(seen.list(), "\n"), `"type":"browser"`); got != x.want {
			t.Errorf("with the filter %v the browser's target is announced: %v", x.filter, got)
		}
	}
	var asked struct {
		Info struct {
			ID       string `json:"targetId"`
			Attached bool   `json:"attached"`
		} `json:"targetInfo"`
	}
	if err := c.Browser().Call(deadline(t), "Target.getTargetInfo", nil, &asked); err != nil || !asked.Info.Attached {
		t.Fatalf("%+v, %v", asked, err)
	}
	if err := c.Browser().Call(deadline(t), "Target.getTargetInfo", map[string]string{"targetId": asked.Info.ID}, &asked); err != nil {
		t.Fatal(err)
	}
	if err := attachTo(t, c, asked.Info.ID).Call(deadline(t), "Browser.getVersion", nil, nil); err != nil {
		t.Error(err)
	}
}

// A result of 20 MB passes whole.
func TestLargeResult(t *testing.T) {
	r := newRig(t)
	c, _ := r.client(t)
	page := attachTo(t, c, pageAt(t, c, "/form"))
	var got struct {
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
	}
	if err := page.Call(deadline(t), "Runtime.evaluate", map[string]any{"expression": `"x".repeat(20<<20)`, "returnByValue": true}, &got); err != nil || len(got.Result.Value) != 20<<20 {
		t.Errorf("%d bytes, %v", len(got.Result.Value), err)
	}
}
