package extension_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/pagescript"
)

// TestReadOnly: commands that act are refused, scripts that change something end.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	r := newRelay(t)
	b := launch(t, r.address)
	l := r.welcomed(false)
	page := l.open("about:blank")
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, nil)
	own := b.own("popup.html")
	b.set(own, "{readOnly: true}")
	l.event("settings.onChanged", `"readOnly":true`)

	cdp := func(method string, params map[string]any) map[string]any {
		return map[string]any{"tab": page.TabID, "m": method, "p": params}
	}
	for _, c := range []map[string]any{
		cdp("Input.dispatchMouseEvent", map[string]any{"type": "mousePressed", "x": 1, "y": 1}),
		cdp("Input.insertText", map[string]any{"text": "x"}),
		cdp("DOM.removeNode", map[string]any{"nodeId": 1}),
		cdp("CSS.setStyleTexts", map[string]any{"edits": []any{}}),
		cdp("Network.setCookie", map[string]any{"name": "a", "value": "b", "url": "http://127.0.0.1/"}),
		cdp("Storage.clearCookies", nil),
		cdp("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "x = 1"}),
		cdp("Page.setDocumentContent", map[string]any{"frameId": "x", "html": ""}),
	} {
		if _, message := l.refused(c); !strings.Contains(message, `"read-only" is on`) {
			t.Errorf("%v: %s", c["m"], message)
		}
	}
	if got := l.evaluate(page.TabID, "document.title + 1"); got != `"1"` {
		t.Errorf("a script that reads gives %s", got)
	}
	l.evaluate(page.TabID, "document.title = 'changed'") // V8 reports the exception in the result
	if got := l.evaluate(page.TabID, "document.title"); got != `""` {
		t.Errorf("a script changed the title to %s", got)
	}
	// Of usher's own scripts those that only read run, by their whole texts: they keep what they know in maps, which is a side effect.
	l.evaluate(page.TabID, pagescript.Install())
	count, err := pagescript.Call("count", map[string]any{"target": map[string]any{"selector": map[string]string{"css": "body"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := l.evaluate(page.TabID, count); strings.Contains(got, "side-effect") || got == "" {
		t.Errorf("a call that reads gives %s", got)
	}
	scroll, err := pagescript.Call("scroll", map[string]any{"dx": 0, "dy": 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{scroll, strings.Replace(count, `):"`, `),document.title=1):"`, 1), count + ";document.title=1", strings.Replace(count, "count(", "count(document.title=1,", 1)} {
		if _, message := l.refused(cdp("Runtime.evaluate", map[string]any{"expression": text})); !strings.Contains(message, `acting on the page was refused: "read-only" is on`) {
			t.Errorf("%s: %s", text[len(pagescript.Ensure):], message)
		}
	}
	l.evaluate(page.TabID, pagescript.Install()+";document.title=1")
	if got := l.evaluate(page.TabID, "document.title"); got != `""` {
		t.Errorf("a script behind usher's changed the title to %s", got)
	}
	b.set(own, "{readOnly: false}")
	l.event("settings.onChanged", `"readOnly":false`)
	l.evaluate(page.TabID, "document.title = 'changed'")
	if got := l.evaluate(page.TabID, "document.title"); got != `"changed"` {
		t.Errorf("without read-only the title is %s", got)
	}
}

func TestLockURLAndNoNewTabs(t *testing.T) {
	t.Parallel()
	site, r := cdptest.NewSite(t), newRelay(t)
	b := launch(t, r.address)
	l := r.welcomed(false)
	page := l.open("about:blank")
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, nil)
	b.set(b.own("popup.html"), "{lockUrl: true, noNewTabs: true}")
	l.event("settings.onChanged", `"lockUrl":true`)
	for name, c := range map[string]map[string]any{
		"lock URL":     {"tab": page.TabID, "m": "Page.navigate", "p": map[string]any{"url": site.URL("/small")}},
		"lock URL ":    {"method": "tabs.update", "params": map[string]any{"tabId": page.TabID, "url": site.URL("/small")}},
		"no new tabs":  {"method": "tabs.create", "params": map[string]any{"url": "about:blank"}},
		"no new tabs ": {"tab": page.TabID, "m": "Target.createTarget", "p": map[string]any{"url": "about:blank"}},
	} {
		if _, message := l.refused(c); !strings.Contains(message, `"`+strings.TrimSpace(name)+`" is on`) {
			t.Errorf("%s: %s", name, message)
		}
	}
	l.call("tabs.update", map[string]any{"tabId": page.TabID, "active": true}, nil)
}

// TestModes: tabs that are not shared are neither listed nor reported, and are detached.
func TestModes(t *testing.T) {
	t.Parallel()
	site, r := cdptest.NewSite(t), newRelay(t)
	b := launch(t, r.address)
	l := r.welcomed(false)
	b.page(site.URL("/small"))
	first, second := l.open("about:blank"), l.open(site.URL("/small"))
	l.call("debugger.attach", map[string]any{"tabId": second.TabID}, nil)
	own := b.own("popup.html")
	b.set(own, `{mode: "manual"}`)
	l.event("debugger.onDetach", fmt.Sprintf(`{"tabId":%d,"reason":"not_shared"}`, second.TabID))
	for _, tab := range []int{first.TabID, second.TabID} {
		l.event("tabs.onRemoved", fmt.Sprintf(`"tabId":%d`, tab))
	}
	var tabs []tab
	if l.call("tabs.query", nil, &tabs); len(tabs) != 0 {
		t.Errorf("listed although nothing is shared: %+v", tabs)
	}
	if _, message := l.refused(map[string]any{"method": "debugger.attach", "params": map[string]any{"tabId": second.TabID}}); !strings.Contains(message, "not shared") {
		t.Errorf("attach: %s", message)
	}
	b.page(site.URL("/small?secret"))

	// What the user shares, and what agents open, is there.
	b.evaluate(own, fmt.Sprintf("chrome.storage.session.set({shared: [%d]})", second.TabID))
	l.event("tabs.onCreated", fmt.Sprintf(`"tabId":%d`, second.TabID))
	var made tab
	l.call("tabs.create", map[string]any{"url": "about:blank"}, &made)
	if l.call("tabs.query", nil, &tabs); len(tabs) != 2 || tabs[0].TabID+tabs[1].TabID != second.TabID+made.TabID {
		t.Errorf("tabs %+v, want %d and %d", tabs, second.TabID, made.TabID)
	}
	l.call("debugger.attach", map[string]any{"tabId": second.TabID}, nil)

	b.set(own, `{mode: "attached-only"}`)
	l.event("tabs.onRemoved", fmt.Sprintf(`"tabId":%d`, made.TabID))
	if _, message := l.refused(map[string]any{"method": "tabs.create", "params": map[string]any{}}); !strings.Contains(message, "attached-only") {
		t.Errorf("a new tab: %s", message)
	}
	if got := l.evaluate(second.TabID, "1"); got != "1" {
		t.Errorf("the shared tab: %s", got)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.frames {
		if strings.Contains(string(f.Params), "secret") {
			t.Errorf("a tab that is not shared was reported: %s %s", f.Method, f.Params)
		}
	}
}

// TestGhostCursor: the cursor is no part of the document, and the input succeeds with it.
func TestGhostCursor(t *testing.T) {
	t.Parallel()
	r := newRelay(t)
	b := launch(t, r.address)
	l := r.welcomed(false)
	page := l.open("about:blank")
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, nil)
	picture := func(s string) string {
		var shot struct {
			Data string `json:"data"`
		}
		b.call(b.attach(b.target("page", "about:blank")), "Page.captureScreenshot", nil, &shot)
		if shot.Data == "" {
			t.Fatalf("no screenshot %s", s)
		}
		return shot.Data
	}
	before := l.evaluate(page.TabID, "document.documentElement.outerHTML")
	blank := picture("before")
	b.set(b.own("popup.html"), "{ghostCursor: true}")
	l.event("settings.onChanged", `"ghostCursor":true`)
	l.call("tabs.update", map[string]any{"tabId": page.TabID, "active": true}, nil)
	l.decode("Input.dispatchMouseEvent", l.reply(l.start(map[string]any{"tab": page.TabID, "m": "Input.dispatchMouseEvent",
		"p": map[string]any{"type": "mouseMoved", "x": 100, "y": 100}})), nil)
	for i := 0; picture("with the cursor") == blank; i++ {
		if i == 100 {
			t.Fatal("no cursor is drawn")
		}
	}
	if after := l.evaluate(page.TabID, "document.documentElement.outerHTML"); after != before {
		t.Errorf("the document changed from %s to %s", before, after)
	}
}

// TestIdleTabs: the debugger is detached from a tab that no command used for a while, from no other, and the next command attaches again.
func TestIdleTabs(t *testing.T) {
	t.Parallel()
	site, r := cdptest.NewSite(t), newRelay(t)
	b := launch(t, r.address)
	l := r.welcomed(false)
	b.page(site.URL("/small"))
	idle, used := l.open("about:blank"), l.open(site.URL("/small"))
	for _, tab := range []int{idle.TabID, used.TabID} {
		l.call("debugger.attach", map[string]any{"tabId": tab}, nil)
	}
	own := b.own("popup.html")
	look := func() { // the alarm that looks comes every 30 s; this one comes now
		b.evaluate(own, "chrome.alarms.create('now', {when: Date.now()})")
	}
	b.set(own, "{idleDetachMinutes: 0}")
	l.event("settings.onChanged", `"idleDetachMinutes":0`)
	look()
	if got := l.evaluate(idle.TabID, "1"); got != "1" {
		t.Errorf("with 0, which is never, the tab was detached: %s", got)
	}
	b.set(own, "{idleDetachMinutes: 1}")
	l.event("settings.onChanged", `"idleDetachMinutes":1`)
	b.evaluate(b.worker(), "globalThis.now = Date.now; Date.now = () => now() + 61000; 1") // a minute later
	l.evaluate(used.TabID, "1")
	look()
	l.event("debugger.onDetach", fmt.Sprintf(`{"tabId":%d,"reason":"idle"}`, idle.TabID))
	if got := l.evaluate(used.TabID, "1"); got != "1" {
		t.Errorf("a tab in use was detached: %s", got)
	}
	b.until(own, "chrome.action.getBadgeText({})", `"1"`)
	l.call("debugger.attach", map[string]any{"tabId": idle.TabID}, nil)
	if got := l.evaluate(idle.TabID, "1"); got != "1" {
		t.Errorf("attached again: %s", got)
	}
}
