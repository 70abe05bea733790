package extension_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/extension"
)

// TestWorker goes through the protocol: handshake, tabs, attach, commands, events, errors.
func TestWorker(t *testing.T) {
	t.Parallel()
	site, r := cdptest.NewSite(t), newRelay(t)
	b := launch(t, r.address)
	l := r.next()
	h := l.hello
	if h.Protocol != 1 || h.Version != extension.Version() || h.Install == "" || h.Token != "" || h.Settings.Mode != "auto" || !strings.HasPrefix(h.Product, "Chrome/") || strings.Count(h.Product, ".") != 3 {
		t.Errorf("hello %+v", h)
	}
	l.welcome(false, "the token")
	b.page(site.URL("/small"))
	page := l.open(site.URL("/small"))

	code, message := l.refused(map[string]any{"tab": page.TabID, "m": "Runtime.enable"})
	if code != -32011 || !strings.Contains(message, "not attached to tab") {
		t.Errorf("a command for a tab without debugger: %d %s", code, message)
	}
	var attached, again struct {
		TargetID string `json:"targetId"`
	}
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, &attached)
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, &again)
	if attached.TargetID == "" || attached != again {
		t.Errorf("targets %+v and %+v", attached, again)
	}
	if got := l.evaluate(page.TabID, "6 * 7"); got != "42" {
		t.Errorf("6 * 7 = %s", got)
	}
	l.decode("Runtime.enable", l.reply(l.start(map[string]any{"tab": page.TabID, "m": "Runtime.enable"})), nil)
	ev := l.event("Runtime.executionContextCreated", attached.TargetID)
	if ev.Tab != page.TabID || ev.S != "" {
		t.Errorf("event of tab %d, session %q", ev.Tab, ev.S)
	}
	l.evaluate(page.TabID, `console.log("from the page")`)
	l.event("Runtime.consoleAPICalled", "from the page")

	if code, message := l.refused(map[string]any{"tab": page.TabID, "m": "No.such"}); code != -32601 {
		t.Errorf("an unknown CDP method: %d %s", code, message)
	}
	if code, message := l.refused(map[string]any{"tab": page.TabID, "m": "Runtime.evaluate", "p": map[string]any{}}); code != -32602 {
		t.Errorf("a CDP method without its parameters: %d %s", code, message)
	}
	if code, message := l.refused(map[string]any{"method": "constructor"}); code != -32601 || !strings.Contains(message, "constructor") {
		t.Errorf("an unknown method: %d %s", code, message)
	}
	if code, message := l.refused(map[string]any{"method": "tabs.remove", "params": map[string]any{"tabId": "x"}}); code != -32602 {
		t.Errorf("a tab that is no number: %d %s", code, message)
	}
	l.send(map[string]any{"method": "ping"})
	l.event("pong", "")

	var made tab
	l.call("tabs.create", map[string]any{"url": site.URL("/small?2"), "openerTabId": page.TabID}, &made)
	if made.WindowID != page.WindowID || made.OpenerTabID != page.TabID {
		t.Errorf("created %+v beside %+v", made, page)
	}
	l.event("tabs.onUpdated", `"status":"complete"`)
	l.call("tabs.update", map[string]any{"tabId": made.TabID, "active": true}, nil)
	l.event("tabs.onActivated", fmt.Sprint(made.TabID))
	l.call("debugger.attach", map[string]any{"tabId": made.TabID}, nil)
	l.call("tabs.remove", map[string]any{"tabId": made.TabID}, nil)
	l.event("tabs.onRemoved", fmt.Sprint(made.TabID))
	l.event("debugger.onDetach", "target_closed")

	// A page that a page of an agent opens is announced with its opener.
	l.decode("window.open", l.reply(l.start(map[string]any{"tab": page.TabID, "m": "Runtime.evaluate", "p": map[string]any{
		"expression": fmt.Sprintf("void window.open(%q)", site.URL("/small?3")), "userGesture": true}})), nil)
	l.event("tabs.onCreated", fmt.Sprintf(`"openerTabId":%d`, page.TabID))

	l.call("debugger.detach", map[string]any{"tabId": page.TabID}, nil)
	if code, _ := l.refused(map[string]any{"tab": page.TabID, "m": "Runtime.enable"}); code != -32011 {
		t.Errorf("a command after detach: %d", code)
	}

	// The token is sent from now on, and the session of the last welcome.
	_ = l.conn.CloseNow()
	if h := r.next().hello; h.Token != "the token" || h.Resume != "S1" {
		t.Errorf("after pairing: %+v", h)
	}
}

// TestLastTab: the browser ends with its last tab, so a blank one takes its place.
func TestLastTab(t *testing.T) {
	t.Parallel()
	r := newRelay(t)
	launch(t, r.address)
	l := r.welcomed(false)
	last := l.open("about:blank")
	l.call("tabs.remove", map[string]any{"tabId": last.TabID}, nil)
	var tabs []tab
	l.call("tabs.query", nil, &tabs)
	if len(tabs) != 1 || tabs[0].TabID == last.TabID || tabs[0].WindowID != last.WindowID {
		t.Errorf("tabs %+v after %+v was closed", tabs, last)
	}
}

// TestLargeResult: results that are sent as bytes arrive whole.
func TestLargeResult(t *testing.T) {
	t.Parallel()
	r := newRelay(t)
	launch(t, r.address)
	l := r.welcomed(false)
	page := l.open("about:blank")
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, nil)
	for _, c := range []string{"x", "ü", "漢", "a😀"} { // 1 to 4 bytes of UTF-8; the last falls on the border of every piece
		if got, want := l.evaluate(page.TabID, fmt.Sprintf("%q.repeat(200000)", c)), `"`+strings.Repeat(c, 200000)+`"`; got != want {
			t.Errorf("%s: got %d bytes, want %d", c, len(got), len(want))
		}
	}
}
