package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
	"github.com/usher-browser/usher/internal/extension"
)

// owner is a user with a Chrome of their own, which has usher's extension.
type owner struct {
	t      *testing.T
	env    []string
	direct *cdp.Conn // what the user sees and does
	popup  *cdp.Session
}

type unheard struct{}

func (unheard) Event(cdp.Event) {}
func (unheard) Flush()          {}
func (unheard) Overflow(string) {}
func (unheard) Closed(error)    {}

// usher runs a command, which has to succeed.
func (o *owner) usher(argv ...string) string {
	o.t.Helper()
	out, err := o.try(argv...)
	if err != nil {
		o.t.Fatalf("usher %s: %v\n%s", strings.Join(argv, " "), err, out)
	}
	return strings.TrimSpace(out)
}

func (o *owner) try(argv ...string) (string, error) {
	cmd := exec.Command("usher", argv...)
	cmd.Env = append(os.Environ(), o.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// doctor compares the marks and messages of `extension doctor`.
func (o *owner) doctor(when string, want ...string) {
	o.t.Helper()
	out := o.usher("extension", "doctor")
	for _, line := range want {
		if !strings.Contains(out, line) {
			o.t.Errorf("%s: no %q in\n%s", when, line, out)
		}
	}
}

// newOwner goes the way of a user: install the extension, load it, pair. The doctor says at each step what is missing.
func newOwner(t *testing.T) *owner {
	chromium := cdptest.Chromium(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	p, err := program.New("usher", chromium, "USHER_HOME={home}/u", "USHER_EXECUTABLE_PATH="+chromium, fmt.Sprintf("USHER_RELAY_PORT=%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := p.End(); err != nil {
			t.Errorf("clear up: %v", err)
		}
	})
	o := &owner{t: t, env: p.Env}
	dir := filepath.Join(p.Home, "u", "extension")
	o.doctor("at first", "✗ the extension is not written to "+dir+"\n  Run `usher extension install`.", "✗ no relay is running", "Not ready.")
	o.usher("extension", "install")
	o.usher("relay", "start")
	o.doctor("installed", "✓ extension "+extension.Version()+" is in "+dir, fmt.Sprintf("✓ the relay listens at 127.0.0.1:%d", port),
		"✗ no extension has paired", "✗ the extension is not connected", "Not ready.")

	chrome := cdptest.Launch(t, "--load-extension="+dir, "--disable-extensions-except="+dir, "--disable-features=DisableLoadExtensionCommandLineSwitch")
	o.direct = cdp.New(chrome.Dial(t), unheard{})
	t.Cleanup(func() { _ = o.direct.Close() })
	o.popup = o.page("chrome-extension://" + extension.ID() + "/popup.html")
	o.until(o.popup, "document.getElementById('code')?.checkVisibility() ?? false", "true")
	var code struct {
		Data struct {
			Code string `json:"code"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(o.usher("--json", "extension", "pair")), &code); err != nil {
		t.Fatal(err)
	}
	o.evaluate(o.popup, fmt.Sprintf("document.getElementById('code').value = %q; document.querySelector('#pair button').click()", code.Data.Code))
	o.until(o.popup, "document.getElementById('state-text').textContent", `"Connected"`)
	o.doctor("paired", "✓ usher's extension has paired", "✓ Chrome/", "✓ the browser runs extension "+extension.Version(), "✓ the user allows: mode auto\n", "Ready: use --browser mine.")
	return o
}

func (o *owner) call(s *cdp.Session, method string, params, result any) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), cdptest.Timeout)
	defer cancel()
	if err := s.Call(ctx, method, params, result); err != nil {
		o.t.Fatalf("%s: %v", method, err)
	}
}

// page opens a tab as the user does.
func (o *owner) page(url string) *cdp.Session {
	o.t.Helper()
	var target struct {
		ID string `json:"targetId"`
	}
	o.call(o.direct.Browser(), "Target.createTarget", map[string]any{"url": url}, &target)
	var attached struct {
		ID string `json:"sessionId"`
	}
	o.call(o.direct.Browser(), "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached)
	return o.direct.Session(attached.ID)
}

// evaluate returns the value of an expression as JSON.
func (o *owner) evaluate(s *cdp.Session, expression string) string {
	o.t.Helper()
	var got struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
	}
	o.call(s, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	return string(got.Result.Value)
}

// until evaluates an expression until it is as wanted.
func (o *owner) until(s *cdp.Session, expression, want string) {
	o.t.Helper()
	got := ""
	for limit := time.Now().Add(cdptest.Timeout); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		if got = o.evaluate(s, expression); got == want {
			return
		}
	}
	o.t.Fatalf("%s is %s, want %s", expression, got, want)
}

// TestExtensionDoctor: what it says from nothing to ready, and of what the user does afterwards.
func TestExtensionDoctor(t *testing.T) {
	o := newOwner(t)
	var report struct {
		Data struct {
			Ready  bool
			Checks []struct{ ID, Status string }
		}
	}
	if err := json.Unmarshal([]byte(o.usher("--json", "extension", "doctor")), &report); err != nil || !report.Data.Ready || len(report.Data.Checks) != 6 {
		t.Errorf("%+v, %v", report, err)
	}
	o.evaluate(o.popup, "chrome.storage.local.set({settings: {readOnly: true, mode: 'manual'}})")
	for limit := time.Now().Add(cdptest.Timeout); !strings.Contains(o.usher("relay", "status"), "read-only"); {
		if time.Now().After(limit) {
			t.Fatalf("the settings do not arrive: %s", o.usher("relay", "status"))
		}
	}
	o.doctor("restricted", "✓ the user allows: mode manual, read-only", "Ready")
	manifest := filepath.Join(strings.TrimSuffix(o.usher("extension", "path"), "\n"), "manifest.json")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, []byte(strings.ReplaceAll(string(text), extension.Version(), "0.9.0-00000000")), 0o600); err != nil {
		t.Fatal(err)
	}
	o.doctor("another version is written", "⚠ ", "has extension 0.9.0-00000000; this program has "+extension.Version(), "Run `usher extension install`.")
	o.usher("extension", "install")
	out, _ := o.try("--relay-port", "1", "extension", "doctor")
	if !strings.Contains(out, "the settings say 1") {
		t.Errorf("another port: %s", out)
	}
	o.evaluate(o.popup, "document.getElementById('disconnect').click()")
	o.until(o.popup, "document.getElementById('state-text').textContent", `"Disconnected"`)
	o.doctor("disconnected", "✓ usher's extension has paired", "✗ the extension is not connected", "Open the browser", "Not ready.")
	o.usher("relay", "stop")
	o.doctor("stopped", "✗ no relay is running", "Not ready.")
}
