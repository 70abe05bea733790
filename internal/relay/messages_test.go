package relay_test

import (
	"strings"
	"testing"
	"time"
)

// has fails unless as many events have the texts.
func (e *events) has(t *testing.T, want int, parts ...string) {
	t.Helper()
	n := 0
	for _, text := range e.list() {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(text, part)
		}
		if all {
			n++
		}
	}
	if n != want {
		t.Errorf("%d events have %q, not %d", n, parts, want)
	}
}

// logs makes a console message, an exception and a log entry with a name, and waits until the page has them.
const logs = `new Promise(done => {
  console.log('%s said', {a: 1});
  setTimeout(() => { throw new Error('%s thrown') });
  const image = new Image();
  image.onerror = () => setTimeout(done, 50, 1);
  image.src = 'http://127.0.0.1:1/%s.png';
})`

// TestMessagesOfBefore: who enables a domain that another client has enabled, or had until just now, is told of the messages of before, as by Chrome.
func TestMessagesOfBefore(t *testing.T) {
	r := newRig(t)
	first, _, form := r.keeper(t, "/form")
	must(t, first, "Log.enable", nil)
	mustBe(t, first, strings.ReplaceAll(logs, "%s", "one"), "1")

	expect := func(seen *events, name string, times int) {
		t.Helper()
		seen.has(t, times, "Runtime.consoleAPICalled", name+" said")
		seen.has(t, times, "Runtime.exceptionThrown", name+" thrown")
		seen.has(t, times, "Log.entryAdded", name+".png")
	}
	two, seen := r.client(t)
	s := attachTo(t, two, form)
	must(t, s, "Runtime.enable", nil)
	must(t, s, "Log.enable", nil)
	expect(seen, "one", 1)

	must(t, s, "Runtime.discardConsoleEntries", nil)
	must(t, s, "Log.clear", nil)
	mustBe(t, s, strings.ReplaceAll(logs, "%s", "two"), "1")
	three, seen := r.client(t)
	s = attachTo(t, three, form)
	must(t, s, "Runtime.enable", nil)
	must(t, s, "Log.enable", nil)
	expect(seen, "one", 0)
	expect(seen, "two", 1)

	must(t, s, "Page.enable", nil)
	count := seen.count()
	must(t, s, "Page.reload", nil)
	seen.await(t, count, "Page.loadEventFired")
	four, seen := r.client(t)
	s = attachTo(t, four, form)
	must(t, s, "Runtime.enable", nil)
	must(t, s, "Log.enable", nil)
	expect(seen, "two", 0)
}

// TestComesAgain: a client that comes again at once, or later, is told of each context and message once, though nobody listened meanwhile.
func TestComesAgain(t *testing.T) {
	r := newRig(t)
	c, _ := r.client(t)
	form := pageAt(t, c, "/form")
	stays := attachTo(t, c, form)
	mustBe(t, stays, "console.log('begin'), 1", "1")
	for _, rest := range []time.Duration{0, 100 * time.Millisecond, 2500 * time.Millisecond, 0, 2500 * time.Millisecond} {
		again, seen := r.client(t)
		s := attachTo(t, again, form)
		must(t, s, "Page.enable", nil)
		must(t, s, "Page.setLifecycleEventsEnabled", map[string]bool{"enabled": true})
		must(t, s, "Runtime.enable", nil)
		must(t, s, "Log.enable", nil)
		must(t, s, "Network.enable", nil)
		seen.has(t, 1, "Runtime.executionContextCreated", form, `"isDefault":true`)
		seen.has(t, 1, "Runtime.consoleAPICalled", "begin")
		seen.has(t, 1, "Page.lifecycleEvent", `"load"`)
		count := seen.count()
		mustBe(t, s, "fetch('/inner').then(() => (console.log('here'), 1))", "1")
		seen.await(t, count, "Network.responseReceived", "/inner")
		seen.await(t, count, "Runtime.consoleAPICalled", "here")
		must(t, s, "Runtime.discardConsoleEntries", nil)
		mustBe(t, s, "console.log('begin'), 1", "1")
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rest) // what the client had enabled stays so for two seconds
	}
}

// TestAssured: scripts for new documents and emulated media are answered for while the page is busy, and wrong parameters get Chrome's error.
func TestAssured(t *testing.T) {
	r := newRig(t)
	first, _, form := r.keeper(t, "/form")
	two, seen := r.client(t)
	s := attachTo(t, two, form)
	must(t, s, "Page.enable", nil)
	first.Post("Runtime.evaluate", map[string]any{"expression": "const end = Date.now() + 700; while (Date.now() < end);"}, nil)
	began := time.Now()
	must(t, s, "Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": "globalThis.added = 1"})
	set(t, s, "dark")
	must(t, s, "Emulation.setFocusEmulationEnabled", map[string]bool{"enabled": true})
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("the answers took %v on a busy page", took)
	}
	mustBe(t, s, isDark, "true")
	count := seen.count()
	must(t, s, "Page.reload", nil)
	seen.await(t, count, "Page.loadEventFired")
	mustBe(t, s, "globalThis.added", "1")
	for method, params := range map[string]any{
		"Page.addScriptToEvaluateOnNewDocument": map[string]int{"source": 1},
		"Emulation.setEmulatedMedia":            map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme"}}},
		"Emulation.setFocusEmulationEnabled":    map[string]string{},
	} {
		if err := s.Call(deadline(t), method, params, nil); err == nil || !strings.Contains(err.Error(), "Invalid parameters") {
			t.Errorf("%s with wrong parameters: %v", method, err)
		}
	}
}
