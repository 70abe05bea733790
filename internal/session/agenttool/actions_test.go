package agenttool_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// action is a row of the table of next actions: what has to happen, the call that suggests the action, and what its own call must answer.
type action struct {
	id    string
	page  string   // that is opened first; "" for none
	setup []string // calls; REF(name) is the ref of an element of a snapshot that is taken then
	call  string
	// want is in the text of the followed call.
	want string
	// fails is the category of the followed call, if it cannot succeed here.
	fails string
	with  func(c *caller)
}

// actionTable are all next actions that the tool suggests on pages. Those about apps are in the tests of apps, those about fresh sessions that
// do not start in TestSessions, qa.attached in TestModes.
var actionTable = []action{
	{id: "inspect-opened-page", call: `{"args":["open","BASE/plain"]}`, want: "Go"},
	{id: "inspect-after-mutation", page: "/plain", call: `{"args":["click","text=Go"]}`, want: "Go"},
	{id: "use-saved-artifact", page: "/plain", call: `{"args":["screenshot","shot.png"]}`},
	{id: "stop-pending-recording", page: "/plain", call: `{"args":["record","start","film.webm"]}`, want: "film.webm"},
	{id: "refresh-interactive-refs", page: "/plain", call: `{"args":["click","@e9999"]}`, want: "Go"},
	{id: "retry-semantic-action-after-stale-ref", page: "/plain", with: replaceDuring, call: `{"semanticAction":{"action":"click","locator":"role","role":"button","name":"Go"}}`},
	{id: "try-current-visible-ref", page: "/icon", call: `{"args":["find","text","Save changes","click"]}`},
	{id: "try-button-name-candidate", page: "/icon", call: `{"semanticAction":{"action":"click","locator":"text","value":"Save changes"}}`},
	{id: "try-link-name-candidate", page: "/iconlink", call: `{"semanticAction":{"action":"click","locator":"text","value":"Next page"}}`},
	{id: "focus-current-editable-ref", page: "/icon", call: `{"args":["find","placeholder","Search docs","fill","x"]}`},
	{id: "click-current-editable-ref", page: "/icon", call: `{"args":["find","placeholder","Search docs","fill","x"]}`},
	{id: "inspect-overlay-state", page: "/covered", call: `{"args":["click","#buy"]}`, want: "No thanks"},
	{id: "try-overlay-blocker-candidate-1", page: "/covered", call: `{"args":["click","#buy"]}`},
	{id: "inspect-click-dispatch-miss", page: "/deaf", call: `{"args":["click","button"]}`, want: "Go"},
	{id: "retry-click-after-dispatch-miss", page: "/deaf", call: `{"args":["click","button"]}`, fails: "upstream-error"},
	{id: "inspect-after-noop-scroll", page: "/short", call: `{"args":["scroll","down","900"]}`},
	{id: "verify-noop-scroll-visually", page: "/short", call: `{"args":["scroll","down","900"]}`},
	{id: "inspect-focused-combobox", page: "/combo", call: `{"args":["click","[role=combobox]"]}`, want: "Country"},
	{id: "try-open-combobox-with-arrow", page: "/combo", call: `{"args":["click","[role=combobox]"]}`},
	{id: "try-open-combobox-with-enter", page: "/combo", call: `{"args":["click","[role=combobox]"]}`},
	{id: "inspect-visible-text-candidates", page: "/tabs", call: `{"args":["get","text",".panel"]}`, want: "visible text"},
	{id: "inspect-after-fill-verification", page: "/upper", call: `{"args":["fill","#name","ada"]}`, want: "Name"},
	{id: "verify-filled-value", page: "/upper", call: `{"args":["fill","#name","ada"]}`, want: "ADA"},
	{id: "retry-timeout-step", page: "/plain", call: `{"args":["wait","700"],"timeoutMs":300}`, want: "Done"},
	{id: "inspect-current-page-after-timeout", page: "/plain", call: `{"args":["eval","new Promise(() => {})"],"timeoutMs":600}`, want: "Go"},
	{id: "inspect-after-timeout", page: "/plain", call: `{"args":["wait","#never","--timeout","200"]}`, want: "Go"},
	{id: "inspect-after-text-assertion-failure", page: "/plain", call: `{"args":["wait","--text","never","--timeout","200"]}`, want: "Go"},
	{id: "inspect-dialog-after-timeout", page: "/plain", setup: []string{`{"args":["eval","setTimeout(()=>confirm('sure?'))"]}`}, call: `{"args":["click","text=Go"]}`, want: "sure?"},
	{id: "dismiss-dialog-after-timeout", page: "/plain", setup: []string{`{"args":["eval","setTimeout(()=>confirm('sure?'))"]}`}, call: `{"args":["click","text=Go"]}`},
	{id: "inspect-page-after-navigation-error", page: "/plain", call: `{"args":["open","http://127.0.0.1:9/"]}`},
	{id: "list-tabs-for-recovery", page: "/plain", call: `{"args":["tab","t77"]}`, want: "Plain"},
	{id: "wait-for-download", page: "/plain", call: `{"args":["wait","--download","d.bin","--timeout","200"]}`, fails: "download-not-verified"},
	{id: "inspect-actionable-network-request", page: "/bad", setup: settled, call: `{"args":["network","requests"]}`, want: "missing.json"},
	{id: "trace-actionable-network-source", page: "/bad", setup: settled, call: `{"args":["network","requests"]}`, want: "missing.json"},
	{id: "filter-network-requests-by-path", page: "/bad", setup: settled, call: `{"args":["network","requests"]}`, want: "missing.json"},
	{id: "clear-network-requests-before-repro", page: "/bad", setup: settled, call: `{"args":["network","requests"]}`},
	{id: "inspect-network-request", page: "/plain", call: `{"args":["network","requests"]}`, want: "/plain"},
	{id: "inspect-benign-network-request", page: "/plain", setup: []string{`{"args":["eval","fetch('/favicon.ico').then(()=>1)"]}`}, call: `{"args":["network","requests"]}`, want: "favicon"},
	{id: "inspect-routed-network-request", page: "/plain", setup: routed, call: `{"args":["network","requests"]}`, want: "/api"},
	{id: "start-network-har-capture-for-route-mock", page: "/plain", setup: routed, call: `{"args":["network","requests"]}`},
	{id: "start-network-har-capture", page: "/plain", setup: []string{`{"args":["network","har","stop"]}`}, call: `{"args":["network","requests"]}`},
	{id: "use-get-title", page: "/plain", call: `{"args":["title"]}`, want: "Plain"},
	{id: "use-get-url", page: "/plain", call: `{"args":["url"]}`, want: "/plain"},
	{id: "list-tabs-for-tab-drift-recovery", page: "/plain", with: otherTab, call: `{"args":["get","title"]}`, want: "Next"},
	{id: "snapshot-after-tab-recovery", page: "/plain", with: otherTab, call: `{"args":["get","title"]}`, want: "Go"},
	{id: "list-tabs-for-about-blank-recovery", page: "/plain", with: blankTab, call: `{"args":["get","url"]}`, want: "about:blank"},
	{id: "recover-fresh-session-after-dialog-timeout", page: "/plain", setup: []string{`{"args":["eval","setTimeout(()=>confirm('sure?'))"]}`}, call: `{"args":["click","text=Go"]}`},
	{id: "inspect-interruption-after-timeout", page: "/plain", call: `{"args":["open","BASE/login"]}`, want: "realm Lab"},
	{id: "answer-interruption-dismiss", page: "/plain", call: `{"args":["open","BASE/login"]}`, want: "Done"},
	{id: "recover-fresh-session-after-interruption-timeout", page: "/plain", call: `{"args":["open","BASE/login"]}`},
	{id: "interrupt-blocking-script", page: "/plain", setup: endless, call: `{"args":["click","text=Go"],"timeoutMs":2000}`, want: "Stopped the script"},
	{id: "recover-fresh-session-after-blocked-page", page: "/plain", setup: endless, call: `{"args":["click","text=Go"],"timeoutMs":2000}`},
	{id: "open-tab-beside-blocked-page", page: "/plain", setup: []string{`{"args":["eval","setTimeout(() => { const r = new XMLHttpRequest(); r.open('GET', '/hang', false); r.send() }); 1"]}`},
		call: `{"args":["click","text=Go"],"timeoutMs":3000}`},
	{id: "save-shown-document", page: "/shown", call: `{"args":["download","text=Here","note.txt"]}`, want: "note.txt"},
	{id: "open-last-page", page: "/plain", setup: []string{`{"args":["close"]}`}, call: `{"args":["click","@e1"]}`, want: "Plain"},
	{id: "open-page", call: `{"args":["--session","nobody","snapshot","-i"]}`, want: "about:blank"},
	{id: "reload-crashed-page", page: "/plain", with: crash, call: `{"args":["get","text","body"]}`, want: "Plain"},
	{id: "fresh-session-after-url-wait-timeout", page: "/plain", call: `{"args":["wait","--url","**/never","--timeout","200"]}`},
}

var (
	settled = []string{`{"args":["wait","--load","networkidle"]}`}
	routed  = []string{`{"args":["network","route","**/api","--delay","20s"]}`, `{"args":["eval","void fetch('/api').catch(() => {})"]}`}
)

// endless makes the page busy for ever.
var endless = []string{`{"args":["eval","setTimeout(() => { while (true); }); 1"]}`}

// crash ends the renderer of the page.
func crash(c *caller) { c.args("open", "chrome://crash") }

// replaceDuring makes the element of the next call go away while it is looked for.
func replaceDuring(c *caller) {
	// A timer comes every 4 ms at most, in which a click may be over.
	c.args("eval", `for (let i = 0; i < 16; i++) setInterval(() => { const b = document.querySelector("button"); b.replaceWith(b.cloneNode(true)) }, 0); 1`)
}

// outside runs a command in the tool's session as a person would in a shell.
func (c *caller) outside(words ...string) {
	c.t.Helper()
	name := c.args("get", "url").Details.SessionName
	c.shell(append([]string{"--session", name}, words...)...)
}

func otherTab(c *caller) { c.outside("tab", "new", c.base+"/next") }

func blankTab(c *caller) {
	c.outside("tab", "new", "about:blank")
	c.args("get", "title") // puts the first one back
	c.outside("tab", "close")
}

var refOf = regexp.MustCompile(`REF\(([^)]*)\)`)

// TestEveryAction: each action is suggested, and its call does what it says.
func TestEveryAction(t *testing.T) {
	c := newCaller(t)
	for _, a := range actionTable {
		t.Run(a.id, func(t *testing.T) {
			c := *c
			c.t = t
			if a.page != "" {
				c.args("open", c.base+a.page).ok()
			}
			for _, in := range a.setup {
				c.call(in).ok()
			}
			if a.with != nil {
				a.with(&c)
			}
			in := a.call
			if refOf.MatchString(in) {
				shot := c.args("snapshot", "-i").ok()
				in = refOf.ReplaceAllStringFunc(in, func(m string) string { return shot.ref(refOf.FindStringSubmatch(m)[1], 0) })
			}
			got := c.call(in)
			if !got.has(a.id) {
				t.Fatalf("%s does not suggest it: %s\n%s", in, got.Text(), dump(got.raw["nextActions"]))
			}
			if a.fails != "" {
				n := got.action(a.id)
				if again := c.call(dump(n.Params)); again.Details.FailureCategory != a.fails {
					t.Errorf("%s: %s", dump(n.Params), again.Text())
				}
				return
			}
			if again := c.follow(got, a.id); !strings.Contains(again.Text(), a.want) {
				t.Errorf("%s: no %q in %s", a.id, a.want, again.Text())
			}
			if strings.Contains(a.id, "dialog") && a.id != "dismiss-dialog-after-timeout" {
				c.args("dialog", "dismiss")
			}
		})
	}
}

// elsewhere are the actions that other tests follow, and those that cannot be brought about on a page.
var elsewhere = map[string]string{
	"approve-confirmation": "TestConfirmation", "deny-confirmation": "TestConfirmation",
	"list-tabs-after-tab-gone": "TestTabGone", "open-tab-after-tab-gone": "TestTabGone", "list-tabs-after-no-active-page": "TestTabGone",
	"verify-artifact-path": "TestFileThatGoes", "select-intended-tab-after-drift": "TestPersonsSession",
	"verify-current-managed-session": "TestSessions", "snapshot-current-managed-session": "TestSessions", "retry-fresh-managed-session": "TestFreshThatDoesNotStart",
	"verify-connected-session-url": "TestConnected", "list-connected-session-tabs": "TestConnected",
	"list-tabs-before-qa-attached": "TestModes", "snapshot-before-qa-attached": "TestModes",
	"status-electron-launch": "TestApps", "probe-electron-launch": "TestApps", "cleanup-electron-launch": "TestApps", "list-electron-tabs": "TestApps",
	"snapshot-electron-session": "TestApps", "retry-electron-cleanup": "TestApps", "reattach-electron-launch": "TestReattach",
	"refresh-electron-refs-after-rerender": "TestApps", "snapshot-for-electron-text-scope": "TestApps",
	"close-script-session-after-cleanup-failure": "TestScriptLeft",
}

// TestTableIsComplete: the source names no action that the tables do not have.
func TestTableIsComplete(t *testing.T) {
	var ids []string
	for _, dir := range []string{".", "diagnosis"} {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
				continue
			}
			raw, err := os.ReadFile(dir + "/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?:Add|Fresh|File|put|Numbered)\("([a-z-]+)"|ID: "([a-z-]+)"`).FindAllStringSubmatch(string(raw), -1) {
				ids = append(ids, m[1]+m[2])
			}
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	page, err := os.ReadFile("../../../docs/agent-tool.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if strings.HasSuffix(id, "-") { // its end is computed
			continue
		}
		_, ok := elsewhere[id]
		if !ok && !slices.ContainsFunc(actionTable, func(a action) bool { return a.id == id }) {
			t.Errorf("no test follows %s", id)
		}
		if short := regexp.MustCompile(`^(status|probe)-|-enter$|-\d$`).ReplaceAllString(id, ""); !strings.Contains(string(page), id) && !strings.Contains(string(page), short) {
			t.Errorf("docs/agent-tool.md does not have %s", id)
		}
	}
	if len(ids) < 50 {
		t.Errorf("%d ids were found", len(ids))
	}
}
