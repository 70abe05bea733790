package agenttool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFields: each diagnostic and action has a call that makes it appear, and one that must not.
func TestFields(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	for _, f := range []struct {
		field       string
		page        string
		with        string // the call that makes it appear
		action      string // and this action, if any
		without     string // the call that must not
		withoutPage string
	}{
		{"visibleRefFallback", "/icon", `{"args":["find","text","save  CHANGES","click"]}`, "try-current-visible-ref", `{"args":["find","text","nothing at all","click"]}`, ""},
		{"visibleRefFallback", "/icon", `{"semanticAction":{"action":"click","locator":"text","value":"Save changes"}}`, "try-button-name-candidate", `{"args":["get","title"]}`, ""},
		{"richInputRecovery", "/icon", `{"args":["find","placeholder","Search docs","fill","secret words"]}`, "focus-current-editable-ref", `{"args":["find","text","Save changes","click"]}`, ""},
		{"clickDispatch", "/deaf", `{"args":["click","button"]}`, "inspect-click-dispatch-miss", `{"args":["click","text=Go"]}`, "/plain"},
		{"scrollNoop", "/short", `{"args":["scroll","down","900"]}`, "inspect-after-noop-scroll", `{"args":["scroll","down","300"]}`, "/big"},
		{"comboboxFocus", "/combo", `{"args":["click","[role=combobox]"]}`, "try-open-combobox-with-arrow", `{"args":["click","text=Go"]}`, "/plain"},
		{"selectorTextVisibility", "/tabs", `{"args":["get","text",".panel"]}`, "inspect-visible-text-candidates", `{"args":["get","text",".one"]}`, ""},
		{"evalStdinHint", "/plain", `{"args":["eval","--stdin"],"stdin":"() => ({a: 1})"}`, "", `{"args":["eval","--stdin"],"stdin":"({})"}`, ""},
		{"timeoutPartialProgress", "/plain", `{"args":["wait","9000"],"timeoutMs":600}`, "retry-timeout-step", `{"args":["wait","100"]}`, ""},
		{"refIds", "/plain", `{"args":["click","@e9999"]}`, "refresh-interactive-refs", `{"args":["click","text=Go"]}`, ""},
		{"validationError", "/plain", `{"args":["title"]}`, "use-get-title", `{"args":["get","title"]}`, ""},
		{"invalidValueFlag", "/plain", `{"args":["snapshot","--timeout"]}`, "", `{"args":["snapshot","--timeout","5s"]}`, ""},
		{"overlayBlockers", "/covered", `{"args":["snapshot","-i"]}`, "try-overlay-blocker-candidate-1", `{"args":["snapshot","-i"]}`, "/plain"},
		{"artifacts", "/plain", `{"args":["screenshot","x.png"]}`, "use-saved-artifact", `{"args":["get","url"]}`, ""},
		{"savedFilePath", "/plain", `{"args":["pdf","x.pdf"]}`, "use-saved-artifact", `{"args":["screenshot","y.png"]}`, ""},
		{"navigationSummary", "/plain", `{"args":["click","text=Next"]}`, "inspect-after-mutation", `{"args":["click","text=Go"]}`, "/plain"},
		{"outputFile", "/plain", `{"args":["get","title"],"outputPath":"title.txt"}`, "", `{"args":["get","title"]}`, ""},
		{"inspection", "/plain", `{"args":["click","--help"]}`, "", `{"args":["skills","list"]}`, ""},
		{"batchFailure", "/plain", `{"args":["batch"],"stdin":"[[\"get\",\"title\"],[\"click\",\"#no\"]]"}`, "refresh-interactive-refs", `{"args":["batch"],"stdin":"[[\"get\",\"title\"]]"}`, ""},
	} {
		c.args("open", c.base+f.page).ok()
		got := c.call(f.with)
		if got.raw[f.field] == nil {
			t.Errorf("%s: %s does not have it: %s\n%s", f.field, f.with, got.Text(), dump(got.raw))
		}
		if f.action != "" && !got.has(f.action) {
			t.Errorf("%s: %s does not suggest %s: %s", f.field, f.with, f.action, dump(got.raw["nextActions"]))
		}
		if f.field == "richInputRecovery" && strings.Contains(dump(got.raw["nextActions"])+dump(got.raw[f.field]), "secret words") {
			t.Errorf("the recovery repeats the text: %s", dump(got.raw))
		}
		if f.action != "" && got.has(f.action) && f.field != "timeoutPartialProgress" {
			c.follow(got, f.action)
		}
		if f.withoutPage != "" {
			c.args("open", c.base+f.withoutPage).ok()
		}
		if got := c.call(f.without); got.raw[f.field] != nil {
			t.Errorf("%s: %s has it: %s", f.field, f.without, dump(got.raw[f.field]))
		}
	}
	c.args("open", c.base+"/plain").ok()
	c.args("eval", `document.querySelector("#name").oninput=e=>{e.target.value=e.target.value.toUpperCase()}`).ok()
	filled := c.args("fill", "#name", "ada").ok()
	if v := filled.Details.FillVerification; v == nil || v.Actual != "ADA" || v.Expected != "ada" {
		t.Errorf("%s", dump(filled.raw))
	}
	c.follow(filled, "verify-filled-value")
	if got := c.args("fill", "#name", "ADA").ok(); got.Details.FillVerification != nil {
		t.Errorf("%s", dump(got.raw["fillVerification"]))
	}
}

// TestActions: what is suggested after other failures, and that it works.
func TestActions(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/bad").ok()
	c.args("wait", "--load", "networkidle").ok()
	requests := c.args("network", "requests").ok()
	for _, id := range []string{"inspect-actionable-network-request", "filter-network-requests-by-path", "clear-network-requests-before-repro"} {
		c.follow(requests, id)
	}
	if n := requests.action("trace-actionable-network-source"); n.Params.NetworkSourceLookup == nil || n.Params.NetworkSourceLookup.RequestID == "" {
		t.Errorf("%s", dump(n))
	}
	text := c.call(`{"args":["wait","--text","never","--timeout","300"]}`).fails("timeout")
	c.follow(text, "inspect-after-text-assertion-failure")
	url := c.call(`{"args":["wait","--url","**/never","--timeout","300"]}`).fails("timeout")
	if n := url.action("fresh-session-after-url-wait-timeout"); n.Params.SessionMode != "fresh" {
		t.Errorf("%s", dump(n))
	}
	down := c.args("open", "http://127.0.0.1:9/")
	down.fails("upstream-error")
	c.follow(down, "inspect-page-after-navigation-error")
	c.args("open", c.base+"/plain").ok()
	c.args("eval", "confirm('sure?')").fails("timeout") // it waits for the dialog's answer
	dialog := c.call(`{"args":["click","text=Go"]}`).fails("timeout")
	c.follow(dialog, "inspect-dialog-after-timeout")
	c.follow(dialog, "dismiss-dialog-after-timeout")
	bad := c.args("click", "button >>>").fails("selector-unsupported")
	c.follow(bad, "refresh-interactive-refs")
	download := c.call(`{"args":["wait","--download","d.bin","--timeout","300"]}`).fails("download-not-verified")
	if n := download.action("wait-for-download"); n.Params.Args[len(n.Params.Args)-1] != filepath.Join(c.dir, "d.bin") {
		t.Errorf("%s", dump(n))
	}
}

// TestGuardsOnPages: what is refused before anything is done.
func TestGuardsOnPages(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	ref := c.args("snapshot", "-i").ok().ref("Go", 0)
	latched := c.call(`{"args":["batch"],"stdin":"[[\"open\",\"BASE/next\"],[\"click\",\"` + ref + `\"]]"}`).fails("stale-ref")
	if got := c.args("get", "title").Text(); got != "Plain" || len(latched.Details.BatchSteps) != 0 {
		t.Errorf("the batch has run: %s", got)
	}
	c.call(`{"args":["batch"],"stdin":"[[\"fill\",\"#name\",\"x\"],[\"click\",\"` + ref + `\"]]"}`).ok()
	c.prompt = "Fill in the form, but do not place the order. Save a screenshot as proof.png."
	order := c.args("snapshot", "-i").ok().ref("Place order", 0)
	for _, in := range []string{`{"args":["click","` + order + `"]}`, `{"args":["find","role","button","click","--name","Place order"]}`, `{"args":["press","Enter"]}`,
		`{"args":["batch"],"stdin":"[[\"get\",\"title\"],[\"click\",\"text=Place order\"]]"}`} {
		got := c.call(in).fails("policy-blocked")
		if g := got.Details.PromptGuard; g == nil || g.Reason != "explicit-user-stop-boundary" {
			t.Errorf("%s: %s", in, dump(got.raw))
		}
	}
	c.args("click", ref).ok()
	early := c.args("close").fails("policy-blocked")
	if g := early.Details.PromptGuard; g == nil || g.Reason != "requested-artifacts-missing-before-close" || len(g.MissingArtifacts) != 1 {
		t.Errorf("%s", dump(early.raw))
	}
	c.args("screenshot", "proof.png").ok()
	closed := c.args("close").ok()
	if a := closed.Details.ArtifactCleanup; a == nil || len(a.ExplicitArtifactPaths) != 1 {
		t.Errorf("%s", dump(closed.raw))
	}
	c.prompt = ""
	same := c.call(`{"args":["screenshot","a.png"],"outputPath":"a.png"}`).fails("validation-error")
	if !strings.Contains(same.Details.ValidationError, "outputPath is the file") {
		t.Errorf("%s", same.Text())
	}
	if err := os.Symlink(filepath.Join(c.dir, "b.png"), filepath.Join(c.dir, "link")); err != nil {
		t.Fatal(err)
	}
	c.call(`{"args":["screenshot","b.png"],"outputPath":"link"}`).fails("validation-error")
	for _, in := range []string{`{"args":["open","a","&&","b"]}`, `{"args":["--session-mode","fresh","open","a"]}`, `{"args":["get","title"],"stdin":"x"}`,
		`{"args":["batch"],"stdin":"[[\"batch\",\"x\"]]"}`, `{"args":["batch"],"stdin":"{}"}`, `{"args":["--session","a","--session","b","get","url"]}`,
		`{"args":["--session","agent-other","get","url"]}`, `{"args":["doctor"]}`, `{"args":["batch"],"stdin":"[[\"screenshot\",\"x.png\"],[\"screenshot\",\"x.png\"]]"}`} {
		if got := c.call(in).fails("validation-error"); got.Details.ValidationError == "" {
			t.Errorf("%s: %s", in, dump(got.raw))
		}
	}
}

// TestSessions: auto, fresh, named and released sessions.
func TestSessions(t *testing.T) {
	c := newCaller(t)
	first := c.args("open", c.base+"/plain").ok().Details.SessionName
	conflict := c.args("--user-agent", "x", "--proxy", "http://127.0.0.1:1", "get", "title").fails("validation-error")
	if h := conflict.Details.SessionRecoveryHint; h == nil || h.RecommendedSessionMode != "fresh" {
		t.Errorf("%s", dump(conflict.raw))
	}
	fresh := c.call(`{"args":["open","BASE/next"],"sessionMode":"fresh"}`).ok()
	o := fresh.Details.ManagedSessionOutcome
	if o == nil || o.Status != "replaced" || o.ReplacedSessionName != first || o.ReplacedSessionClosed == nil || !*o.ReplacedSessionClosed || !strings.Contains(o.CurrentSessionName, "-fresh-") {
		t.Errorf("%s", dump(fresh.raw["managedSessionOutcome"]))
	}
	if got := c.args("get", "title"); got.Text() != "Next" || got.Details.SessionName != o.CurrentSessionName {
		t.Errorf("%s %s", got.Text(), got.Details.SessionName)
	}
	failed := c.call(`{"args":["--executable-path","/nonexistent","open","BASE/plain"],"sessionMode":"fresh"}`)
	if o := failed.Details.ManagedSessionOutcome; !failed.IsError || o == nil || o.Status != "preserved" || o.Succeeded {
		t.Errorf("%s", dump(failed.raw))
	}
	c.follow(failed, "verify-current-managed-session")
	own := c.args("--session", "mine", "open", c.base+"/plain").ok()
	if own.Details.ManagedSessionOutcome != nil || own.Details.UsedImplicitSession || own.Details.SessionName != "mine" {
		t.Errorf("%s", dump(own.raw))
	}
	c.follow(own, "inspect-opened-page")
	if got := c.args("get", "title").Text(); got != "Next" {
		t.Errorf("a named session became the current one: %s", got)
	}
	if got := c.args("skills", "get", "core").ok(); got.Details.UsedImplicitSession || got.Details.SessionName != "" {
		t.Errorf("%s", dump(got.raw))
	}
}
