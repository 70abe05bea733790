package relay_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/relay"
	"github.com/usher-browser/usher/internal/wire"
)

// TestExtensionReloaded: chrome.runtime.reload detaches the debugger and forgets the session with the relay. Clients go on in their
// sessions.
func TestExtensionReloaded(t *testing.T) {
	r := newRig(t)
	c, _ := r.client(t)
	form := attachTo(t, c, pageAt(t, c, "/form"))
	if err := form.Call(deadline(t), "Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": "window.init = 1"}, nil); err != nil {
		t.Fatal(err)
	}
	mustBe(t, form, "window.kept = 1", "1")
	// Chrome loads an unpacked extension again in developer mode only, in which users are who have loaded this one.
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := r.direct.Browser().Call(deadline(t), "Target.createTarget", map[string]string{"url": "chrome://extensions/"}, &made); err != nil {
		t.Fatal(err)
	}
	page := attachTo(t, r.direct, made.TargetID)
	becomes(t, page, "document.readyState === 'complete' && !!chrome.developerPrivate", "true")
	mustBe(t, page, "chrome.developerPrivate.updateProfileConfiguration({inDeveloperMode: true}).then(() => 1)", "1")
	since := r.relay.Status().Link.Since
	r.worker(t).Post("Runtime.evaluate", map[string]string{"expression": "chrome.runtime.reload()"}, nil) // ends before it answers
	r.await(t, "the extension is back", func(s relay.Status) bool { return s.Link.Connected && s.Link.Since.After(since) })
	mustBe(t, form, "window.kept", "1")
	if err := form.Call(deadline(t), "Page.reload", nil, nil); err != nil {
		t.Fatal(err)
	}
	mustBe(t, form, "new Promise((done) => { const look = () => window.init ? done(window.init) : setTimeout(look, 20); look() })", "1")
}

// TestCutAgain: a connection that is cut again right after the extension is back, while the relay asks it for its tabs, costs no client its
// sessions.
func TestCutAgain(t *testing.T) {
	r, proxy := newProxiedRig(t)
	c, _ := r.client(t)
	form := attachTo(t, c, pageAt(t, c, "/form"))
	mustBe(t, form, "window.kept = 1", "1")
	for range 40 {
		for range 2 {
			since := r.relay.Status().Link.Since
			proxy.Cut()
			r.await(t, "the extension is back", func(s relay.Status) bool { return s.Link.Connected && s.Link.Since.After(since) })
		}
		mustBe(t, form, "window.kept", "1")
	}
}

// TestBrowserKilled: clients are told that the tabs have gone, commands fail and say why; and the next browser is there for the same
// client.
func TestBrowserKilled(t *testing.T) {
	r := newRig(t)
	c, seen := r.client(t)
	target := pageAt(t, c, "/form")
	form := attachTo(t, c, target)
	mustBe(t, form, "1", "1")
	waiting := make(chan error, 1)
	go func() {
		_, err := evaluate(t, form, "new Promise(() => {})")
		waiting <- err
	}()
	r.await(t, "a command is under way", func(s relay.Status) bool { return s.Link.Pending == 1 })
	process, err := os.FindProcess(r.browser.PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err == nil || !strings.Contains(err.Error(), "extension is not connected") {
		t.Errorf("a command that was under way: %v", err)
	}
	seen.await(t, 0, "Target.detachedFromTarget", form.ID())
	seen.await(t, 0, "Target.targetDestroyed", target)
	if _, err := evaluate(t, form, "1"); err == nil {
		t.Error("a command for a tab that has gone was answered")
	}
	if err := c.Browser().Call(deadline(t), "Target.createTarget", map[string]string{"url": "about:blank"}, nil); err == nil || !strings.Contains(err.Error(), "not connected") {
		t.Errorf("a new tab without a browser: %v", err)
	}
	if s := r.relay.Status(); s.Link.Connected || s.Tabs != 0 || s.Attached != 0 || s.Link.Pending != 0 {
		t.Errorf("left: %+v", s)
	}

	before := seen.count()
	r.launch(t)
	r.open(t, "/form")
	r.await(t, "the next browser", func(s relay.Status) bool { return s.Link.Connected })
	seen.await(t, before, "Target.target", "/form")
	mustBe(t, attachTo(t, c, pageAt(t, c, "/form")), "document.title", `"form"`)
}

// ownProcess is the variable with which this test binary serves a relay until it is killed. Its value is the directory and the port.
const ownProcess = "USHER_TEST_RELAY"

func serveUntilKilled(what string) {
	dir, port, _ := strings.Cut(what, "\n")
	r, err := relay.New(relay.Options{Dir: dir, Version: "test"})
	if err == nil {
		number := 0
		if _, err = fmt.Sscan(port, &number); err == nil {
			_, err = r.Serve(nil, number, "")
		}
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("serving")
	select {}
}

// startRelay starts a relay in a process of its own.
func (r *rig) startRelay(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%d", ownProcess, dir, r.port))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "serving\n" {
		t.Fatalf("the relay said %q, %v", line, err)
	}
	return cmd
}

// TestRelayKilled: the extension finds the next relay, which knows nothing of the tabs that the last one had attached, and serves
// them.
func TestRelayKilled(t *testing.T) {
	r := newRig(t)
	dir, token := r.dir, r.relay.Pairing().ClientToken()
	r.relay.Close() // the port is for the relays in processes of their own
	r.server.Close()
	for i, n := range []string{"1", "2", "3"} {
		process := r.startRelay(t, dir)
		conn, err := wire.Dial(deadline(t), fmt.Sprintf("ws://127.0.0.1:%d/cdp?token=%s", r.port, token), nil)
		if err != nil {
			t.Fatalf("after %d relays: %v", i, err)
		}
		seen := newEvents()
		c := cdp.New(conn, seen)
		form := attachTo(t, c, pageAt(t, c, "/form"))
		if err := form.Call(deadline(t), "Runtime.enable", nil, nil); err != nil {
			t.Fatal(err)
		}
		mustBe(t, form, "window.relays = (window.relays ?? 0) + 1", n)
		seen.await(t, 0, "Runtime.executionContextCreated", "isDefault")
		if err := process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = process.Wait() // it was killed
		<-c.Done()
		_ = c.Close()
	}
}

// TestCommandAfterDetach: Chrome has detached the debugger from a tab, and the relay does not know. Commands that come then are carried out, in
// their order, after it is attached again; Chrome's answer that it is not attached would be wrong for a client.
func TestCommandAfterDetach(t *testing.T) {
	r := newRig(t)
	c, _ := r.client(t)
	target := r.open(t, "/form?detach")
	s := attachTo(t, c, pageAt(t, c, "/form?detach"))
	if err := s.Call(deadline(t), "Runtime.enable", nil, nil); err != nil {
		t.Fatal(err)
	}
	mustBe(t, s, "window.kept = 1", "1")
	mustBe(t, r.worker(t), `chrome.debugger.getTargets().then((all) => chrome.debugger.detach({tabId: all.find((t) => t.id === "`+target+`").tabId})).then(() => 1)`, "1")
	got, added := make(chan string, 3), make(chan error, 1)
	s.Post("Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": "window.times = (window.times ?? 0) + 1"}, func(_ jsontext.Value, err error) { added <- err })
	for range 3 {
		s.Post("Runtime.evaluate", map[string]string{"expression": "++window.kept"}, func(result jsontext.Value, err error) { got <- fmt.Sprint(string(result), err) })
	}
	for i := range 3 {
		select {
		case <-deadline(t).Done():
			t.Fatal("no reply")
		case text := <-got:
			if !strings.Contains(text, fmt.Sprintf(`"value":%d`, i+2)) {
				t.Errorf("reply %d: %s", i, text)
			}
		}
	}
	if err := <-added; err != nil {
		t.Errorf("add a script: %v", err)
	}
	if err := s.Call(deadline(t), "Page.reload", nil, nil); err != nil {
		t.Fatal(err)
	}
	becomes(t, s, "document.readyState === 'complete' && window.times", "1") // the record of the session has the script, too
}
