package agenttool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/verb"
)

// TestConfirmation: a command that needs a confirmation is held, and both answers are suggested.
func TestConfirmation(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	held := func() answer {
		t.Helper()
		r := c.args("--confirm-actions", "click", "click", "text=Go").fails("confirmation-required")
		if p := r.Details.PageChangeSummary; p == nil || p.ChangeType != "confirmation" {
			t.Errorf("%s", dump(r.raw["pageChangeSummary"]))
		}
		return r
	}
	c.follow(held(), "deny-confirmation")
	if got := c.args("get", "text", "#out").Text(); got != "" {
		t.Errorf("it was clicked: %s", got)
	}
	c.follow(held(), "approve-confirmation")
	if got := c.args("get", "text", "#out").Text(); got != "clicked" {
		t.Errorf("it was not clicked: %s", got)
	}
}

// TestPersonsSession: in a session of a person's the tool does not switch tabs back, and says that another is active.
func TestPersonsSession(t *testing.T) {
	c := newCaller(t)
	shared := func(in string) answer { return c.with(verb.Values{"session": {"shared"}}, in) }
	shared(`{"args":["open","BASE/plain"]}`).ok()
	c.shell("--session", "shared", "tab", "new", c.base+"/next")
	got := shared(`{"args":["get","title"]}`).ok()
	if got.Details.SessionTabCorrection != nil || !strings.Contains(got.Text(), "Another tab is active") {
		t.Errorf("%s", got.Text())
	}
	n := got.action("select-intended-tab-after-drift")
	if back := shared(dump(map[string]any{"args": n.Params.Args})); back.IsError {
		t.Errorf("%s", back.Text())
	}
	if got := shared(`{"args":["get","title"]}`).ok(); !strings.Contains(got.Text(), "Plain") {
		t.Errorf("%s", got.Text())
	}
}

// TestFreshThatDoesNotStart: nothing lives, and a browser without a page is suggested.
func TestFreshThatDoesNotStart(t *testing.T) {
	c := newCaller(t)
	got := c.call(`{"args":["--executable-path","/nonexistent","open","BASE/plain"],"sessionMode":"fresh"}`)
	if o := got.Details.ManagedSessionOutcome; !got.IsError || o == nil || o.Status != "abandoned" || o.ActiveAfter {
		t.Errorf("%s", dump(got.raw))
	}
	c.follow(got, "retry-fresh-managed-session")
}

// TestConnected: what is suggested after connecting to a browser.
func TestConnected(t *testing.T) {
	c := newCaller(t)
	c.args("--session", "other", "open", c.base+"/next").ok()
	endpoint := c.args("--session", "other", "get", "cdp-url").ok().Text()
	got := c.call(dump(map[string]any{"args": []string{"connect", strings.TrimSpace(endpoint)}, "sessionMode": "fresh"})).ok()
	c.follow(got, "verify-connected-session-url")
	c.follow(got, "list-connected-session-tabs")
	all := c.args("close", "--all").ok()
	if !all.Details.CloseAllApplied {
		t.Errorf("%s", dump(all.raw))
	}
}

// TestNamespace: a call in another namespace names it, also in what it suggests.
func TestNamespace(t *testing.T) {
	c := newCaller(t)
	got := c.args("--namespace", "n", "--session", "s", "open", c.base+"/plain").ok()
	if got.Details.Namespace != "n" || got.Details.SessionName != "s" {
		t.Errorf("%s", dump(got.raw))
	}
	if shot := c.follow(got, "inspect-opened-page"); shot.Details.Namespace != "n" || !strings.Contains(shot.Text(), "Go") {
		t.Errorf("%s", shot.Text())
	}
}

// TestFilePage: null from a script on a file: page proves nothing, and is said to.
func TestFilePage(t *testing.T) {
	c := newCaller(t)
	path := filepath.Join(c.dir, "page.html")
	if err := os.WriteFile(path, []byte("<!doctype html><title>File</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.args("open", "file://"+path).ok()
	if got := c.call(`{"args":["eval","--stdin"],"stdin":"document.querySelector('h1')"}`).ok(); got.Details.EvalResultWarning == nil {
		t.Errorf("%s", dump(got.raw))
	}
	if got := c.call(`{"args":["eval","--stdin"],"stdin":"document.title"}`).ok(); got.Details.EvalResultWarning != nil {
		t.Errorf("%s", dump(got.raw))
	}
}

// TestTabGone: a snapshot of a pinned tab that was closed says that there is no page, and what to do.
func TestTabGone(t *testing.T) {
	c := newCaller(t)
	c.args("--pin-tab", "open", c.base+"/plain").ok()
	c.args("--pin-tab", "tab", "new", c.base+"/next").ok()
	c.args("--pin-tab", "tab", "close").ok()
	got := c.args("--pin-tab", "snapshot", "-i").fails("tab-gone")
	if got.Details.RefSnapshotInvalidation == nil {
		t.Errorf("%s", dump(got.raw))
	}
	for _, id := range []string{"list-tabs-after-tab-gone", "list-tabs-after-no-active-page", "open-tab-after-tab-gone"} {
		c.follow(got, id)
	}
}

// TestStaleSelector: a semantic action on a ref that has gone is not suggested again: the ref would not find its element then either.
func TestStaleSelector(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	ref := c.args("snapshot", "-i").ok().ref("Go", 0)
	c.args("open", c.base+"/next").ok()
	got := c.call(`{"semanticAction":{"action":"click","selector":"` + ref + `"}}`)
	if got.Details.FailureCategory != "stale-ref" || !got.has("refresh-interactive-refs") || got.has("retry-semantic-action-after-stale-ref") {
		t.Errorf("%s: %s", got.Text(), dump(got.raw["nextActions"]))
	}
}

// TestScriptLeft: the session of a script whose HAR cannot be written is closed by what is suggested.
func TestScriptLeft(t *testing.T) {
	c := newCaller(t)
	dir := filepath.Join(c.dir, "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c.removed = dir // by the page /remove
	got := c.call(dump(map[string]any{"script": `await browser({args: ["open", "` + c.base + `/plain"]});
await browser({args: ["network", "har", "start", "` + dir + `/traffic.har"]});
return await browser({args: ["eval", "fetch('/remove').then(r => r.status)"]})`})).fails("cleanup-failed")
	if s := got.Details.ScriptSession; s == nil || s.Cleanup != "failed" {
		t.Errorf("%s", dump(got.raw))
	}
	c.follow(got, "close-script-session-after-cleanup-failure")
	if got := c.call(`{"script":"await browser({args: ['open', 'BASE/plain']}); return 1"}`).ok(); got.has("close-script-session-after-cleanup-failure") || got.Details.ScriptSession.Cleanup != "closed" {
		t.Errorf("%s", dump(got.raw))
	}
}

// TestFileThatGoes: a file that goes away while it is looked for is missing, and where it was to be is said.
func TestFileThatGoes(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	path := filepath.Join(c.dir, "shot.png")
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			default:
				_ = os.Remove(path) // mostly it is not there
			}
		}
	}()
	var got answer
	for until := time.Now().Add(cdptest.Timeout); time.Now().Before(until); {
		if got = c.args("screenshot", "shot.png"); got.IsError {
			break
		}
	}
	close(done)
	<-ended
	got.fails("artifact-missing")
	if n := got.action("verify-artifact-path"); n.ArtifactPath != path {
		t.Errorf("%+v", n)
	}
	if v := got.Details.ArtifactVerification; v == nil || v.MissingCount != 1 || v.Verified {
		t.Errorf("%s", dump(got.raw["artifactVerification"]))
	}
	again := c.args("screenshot", "shot.png").ok()
	if again.has("verify-artifact-path") {
		t.Errorf("%s", dump(again.raw["nextActions"]))
	}
	c.follow(got, "verify-artifact-path") // it is there now
}

// TestDownloadRecovery: a file that the browser shows is fetched; one that the server refuses is not, and nothing is written.
func TestDownloadRecovery(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/files").ok()
	got := c.args("download", c.args("snapshot", "-i").ok().ref("Note", 0), "by-ref.txt", "--timeout", "500").ok()
	if raw, err := os.ReadFile(filepath.Join(c.dir, "by-ref.txt")); err != nil || string(raw) != "a note" || got.Details.SavedFilePath != filepath.Join(c.dir, "by-ref.txt") {
		t.Errorf("%q %v: %s", raw, err, dump(got.raw))
	}
	c.args("open", c.base+"/files").ok()
	refused := c.args("download", "#refused", "none.txt", "--timeout", "500").fails("download-not-verified")
	if _, err := os.Stat(filepath.Join(c.dir, "none.txt")); err == nil || refused.Details.DownloadRecovery != nil {
		t.Errorf("%v: %s", err, dump(refused.raw))
	}
}

// TestRecordingIsNotSuggestedTwice: while a HAR is recorded, starting one is not suggested.
func TestRecordingIsNotSuggestedTwice(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	c.args("network", "har", "start").ok()
	if got := c.args("network", "requests").ok(); got.has("start-network-har-capture") || !got.has("inspect-network-request") {
		t.Errorf("%s", dump(got.raw["nextActions"]))
	}
}

// TestRequestsOfAddress: --current-url leaves the requests to the address of the page, whatever follows ? or #, and no others.
func TestRequestsOfAddress(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/next?first#part").ok()
	c.args("eval", "Promise.all(['/next?second', '/next/more', '/nextone', '/plain?of=/next'].map(u => fetch(u))).then(() => 1)").ok()
	got := c.args("network", "requests", "--current-url").ok()
	var data struct {
		Requests []struct {
			URL string `json:"url"`
		} `json:"requests"`
	}
	readInto(t, got.Details.Data, &data)
	var paths []string
	for _, r := range data.Requests {
		paths = append(paths, strings.TrimPrefix(r.URL, c.base))
	}
	if list := strings.Join(paths, " "); list != "/next?first /next?second" && list != "/next?first#part /next?second" {
		t.Errorf("%s", list)
	}
	if f := got.Details.NetworkRequestsPageFilter; f == nil || f.MatchedRows != 2 || f.TotalRows < 5 || strings.Contains(got.Text(), "nextone") || !strings.Contains(got.Text(), "/next?second (Fetch) 200") {
		t.Errorf("%s\n%s", dump(got.raw["networkRequestsPageFilter"]), got.Text())
	}
	c.args("open", "about:blank").ok()
	if got := c.args("network", "requests", "--current-url").ok(); got.Details.NetworkRequestsPageFilter.MatchedRows != 0 {
		t.Errorf("%s", got.Text())
	}
}

// TestSourceOfHiddenRequest: a request that the site guard hides has failed all the same.
func TestSourceOfHiddenRequest(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	c.args("eval", "fetch('http://nowhere.invalid/x').catch(() => 0)").ok()
	lookup := []string{"network", "source", "--filter", "nowhere.invalid"}
	if got := c.args(lookup...).ok().Text(); !strings.Contains(got, "1 failed requests") {
		t.Errorf("without the guard: %s", got)
	}
	got := c.args(append(lookup, "--site-guard")...).ok().Text()
	if !strings.Contains(got, "The site guard hides the 1 failed requests that match") || !strings.Contains(got, "nowhere.invalid does not resolve") {
		t.Errorf("%s", got)
	}
}

// TestQAFirst: a qa with an address needs no browser before it.
func TestQAFirst(t *testing.T) {
	c := newCaller(t)
	got := c.call(`{"qa":{"url":"BASE/good","expectedText":"Hello there"}}`).ok()
	if got.Details.BatchFailure != nil || !got.Details.QAPreset.Passed {
		t.Errorf("%s", dump(got.raw["qaPreset"]))
	}
	c.call(`{"qa":{"url":"BASE/good"},"sessionMode":"fresh"}`).ok()
	c.call(`{"args":["batch","--bail"],"stdin":"[[\"console\",\"--clear\"]]","sessionMode":"fresh"}`).fails("upstream-error")
}

// TestChangeSummaries: a summary says what became of the page, and there is none of commands that only look or wait.
func TestChangeSummaries(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	c.args("open", c.base+"/next").ok()
	for _, step := range []struct{ words, kind, url string }{
		{"back", "navigation", "/plain"}, {"forward", "navigation", "/next"}, {"reload", "navigation", "/next"}, {"pushstate ?tab=2", "navigation", "/next?tab=2"},
		{"back", "navigation", "/next"}, {"back", "navigation", "/plain"}, {"wait 10", "", ""}, {"wait --load load", "", ""}, {"storage local", "", ""},
		{"find text Go text", "", ""}, {"find text Go", "mutation", ""}, {"a11y", "", ""}, {"set viewport 900 700", "", ""},
	} {
		got := c.args(strings.Fields(step.words)...).ok()
		p := got.Details.PageChangeSummary
		switch {
		case step.kind == "":
			if p != nil || got.has("inspect-after-mutation") {
				t.Errorf("%s: %s %s", step.words, dump(p), dump(got.raw["nextActions"]))
			}
		case p == nil || p.ChangeType != step.kind || step.url != "" && p.URL != c.base+step.url:
			t.Errorf("%s: %s, want %s %s", step.words, dump(p), step.kind, step.url)
		default:
			c.follow(got, "inspect-after-mutation")
		}
	}
	looks := c.call(`{"args":["batch"],"stdin":"[[\"wait\",\"--load\",\"load\"],[\"get\",\"title\"]]"}`).ok()
	if looks.Details.PageChangeSummary != nil {
		t.Errorf("%s", dump(looks.raw["pageChangeSummary"]))
	}
	job := c.call(`{"job":{"steps":[{"action":"click","selector":"text=Go"},{"action":"assertText","text":"clicked"}]}}`).ok()
	if p := job.Details.PageChangeSummary; p == nil || p.Summary != "batch → mutation → 1 changed steps" {
		t.Errorf("%s", dump(p))
	}
}

// TestTypedText: the text tells of pauses only where there were some, and numbers every step.
func TestTypedText(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	once := c.call(`{"job":{"steps":[{"action":"type","selector":"#name","text":"a"},{"action":"type","text":"b","press":"Tab"}]}}`).ok().Text()
	if strings.Contains(once, "pauses") || !strings.Contains(once, "Step 2 — keyboard type") {
		t.Errorf("%s", once)
	}
	slow := c.call(`{"job":{"steps":[{"action":"type","selector":"#name","text":"xyz","delayMs":5,"press":"Tab"}]}}`).ok().Text()
	if !strings.Contains(slow, "Step 1 — keyboard type (succeeded)\nTyped \"xyz\" with pauses\nStep 1 — press") {
		t.Errorf("%s", slow)
	}
}

// TestLargeSnapshotInScript: a script gets the data of the command, however large.
func TestLargeSnapshotInScript(t *testing.T) {
	c := newCaller(t)
	got := c.call(`{"script":"await browser({args:['open','BASE/big']}); const r = await browser({args:['snapshot','-i']}); const e = await browser({args:['eval','\"x\".repeat(9000)+\"\\\\n\"']}); return [Object.keys(r.data.refs).length, e.data.result.length]"}`).ok()
	if string(got.Details.Data) != "[401,9001]" {
		t.Errorf("%s", dump(got.raw["data"]))
	}
}

// TestOpenCombobox: items of a menu are options, and a list that is open is not to be opened.
func TestOpenCombobox(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	c.args("eval", `document.body.innerHTML = '<input role=combobox aria-expanded=false aria-label=Place onclick="this.ariaExpanded=true; items.hidden=false"><ul id=items role=menu hidden></ul>'`).ok()
	open := c.args("click", c.args("snapshot", "-i").ok().ref("Place", 0)).ok()
	if f := open.Details.ComboboxFocus; f == nil || !strings.HasPrefix(f.Recommendations[0], "The list is open") || open.has("try-open-combobox-with-enter") {
		t.Errorf("%s", dump(open.raw))
	}
	c.follow(open, "inspect-focused-combobox")
	c.args("eval", `items.innerHTML = '<li role=menuitemcheckbox>Delft'`).ok()
	if got := c.args("click", c.args("snapshot", "-i").ok().ref("Place", 0)).ok(); got.Details.ComboboxFocus != nil {
		t.Errorf("%s", dump(got.raw))
	}
}

// TestNamesOfMisses: a miss tells what there is, and a check of the network what failed.
func TestNamesOfMisses(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	miss := c.call(`{"semanticAction":{"action":"select","locator":"role","role":"combobox","name":"Sizes","value":"M"}}`).fails("selector-not-found")
	if !strings.Contains(miss.Text(), `there are: "Size"`) {
		t.Errorf("%s", miss.Text())
	}
	c.follow(miss, "refresh-interactive-refs")
	qa := c.call(`{"qa":{"url":"BASE/bad"}}`).fails("qa-failure")
	if !strings.Contains(qa.Text(), "1 actionable failed network request: GET "+c.base+"/missing.json 404") {
		t.Errorf("%s", qa.Text())
	}
}
