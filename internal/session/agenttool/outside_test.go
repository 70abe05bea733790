package agenttool_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// failed is the answer, which must be a failure of whatever category.
func (r answer) failed() answer {
	r.t.Helper()
	if !r.IsError {
		r.t.Errorf("it did not fail: %s", r.Text())
	}
	return r
}

// TestFinalControlByAnySelector: after "stop before", a final control is judged by what the page calls it, and not by the words of the command.
func TestFinalControlByAnySelector(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/final").ok()
	c.prompt = "Fill in the form but stop before placing the order."
	for _, in := range []string{
		`{"args":["click","#b"]}`, `{"args":["dblclick","#b"]}`, `{"args":["tap","#b"]}`, `{"semanticAction":{"action":"click","selector":"#b"}}`,
		`{"job":{"steps":[{"action":"fill","selector":"#nm","text":"x"},{"action":"click","selector":"#b"},{"action":"fill","selector":"#nm","text":"late"}]}}`,
		`{"args":["find","first","form button","click"]}`, `{"args":["find","first","form button"]}`, `{"args":["click","#s"]}`, `{"args":["click","#l"]}`,
		`{"args":["type","#nm","x\n"]}`, `{"args":["keyboard","type","\n"]}`, `{"args":["keydown","Enter"]}`,
		`{"args":["batch"],"stdin":"[[\"focus\",\"#b\"],[\"press\",\"Space\"]]"}`,
	} {
		got := c.call(in).fails("policy-blocked")
		if g := got.Details.PromptGuard; g == nil || g.Reason != "explicit-user-stop-boundary" || g.BlockedTarget == "" || !strings.Contains(got.Text(), "stop before the final action") {
			t.Errorf("%s: %s\n%s", in, got.Text(), dump(got.raw))
		}
	}
	if got := c.args("click", "#none").failed(); !strings.Contains(got.Text(), "could not be read") || got.Details.FailureCategory != "selector-not-found" {
		t.Errorf("%s: %s", got.Details.FailureCategory, got.Text())
	}
	c.args("click", "#other").ok()
	c.args("click", "#inner", "--frame", "inside").ok()
	c.call(`{"args":["batch"],"stdin":"[[\"focus\",\"#nm\"],[\"press\",\"Space\"]]"}`).ok()
	if got := c.args("get", "value", "#nm").ok().Text(); strings.TrimSpace(got) != "x" {
		t.Errorf("the field has %q", got)
	}
	c.prompt = ""
	if got := c.args("get", "text", "#o").ok().Text(); strings.Contains(got, "ORDERED") {
		t.Errorf("the page says %q", got)
	}
	c.args("click", "#b").ok()
	if got := c.args("get", "text", "#o").ok().Text(); !strings.Contains(got, "ORDERED 1") {
		t.Errorf("without the words of the user the page says %q", got)
	}
}

// TestCloseAllIsOwn: close --all ends the sessions of the agent, and of nobody else.
func TestCloseAllIsOwn(t *testing.T) {
	c := newCaller(t)
	c.client = "other"
	c.args("open", c.base+"/plain").ok()
	c.args("--session", "person", "open", c.base+"/plain").ok()
	c.client = "third"
	c.args("open", c.base+"/plain").ok()
	c.call(`{"args":["batch"],"stdin":"[[\"fill\",\"#name\",\"close\"],[\"press\",\"--all\"]]"}`).failed()
	got := c.args("close", "--all").ok()
	if !got.Details.CloseAllApplied {
		t.Errorf("%s", dump(got.raw))
	}
	c.args("get", "url").failed()
	if got := c.args("--session", "person", "get", "url").ok().Text(); !strings.Contains(got, "/plain") {
		t.Errorf("the person's session is at %s", got)
	}
	c.client = "other"
	if got := c.args("get", "url").ok().Text(); !strings.Contains(got, "/plain") {
		t.Errorf("the other agent's session is at %s", got)
	}
}

// TestRoleOfSeveral: a semantic action by role and name warns, or is refused, where `find` is.
func TestRoleOfSeveral(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/several").ok()
	got := c.call(`{"semanticAction":{"action":"click","locator":"role","value":"button","name":"Edit"}}`).ok()
	if !strings.Contains(got.Text(), "3 elements match equally well") {
		t.Errorf("%s", got.Text())
	}
	got = c.call(`{"semanticAction":{"action":"click","locator":"role","value":"button","name":"Pay"}}`).failed()
	if !strings.Contains(got.Text(), "2 child frames") {
		t.Errorf("%s", got.Text())
	}
	if got := c.args("get", "text", "#o").ok().Text(); strings.Contains(got, "71") {
		t.Errorf("the page says %q", got)
	}
}

// TestOwnAdvice: errors name no session of another agent, and no flag that is refused.
func TestOwnAdvice(t *testing.T) {
	c := newCaller(t)
	c.client = "other"
	other := c.args("open", c.base+"/plain").ok().Details.SessionName
	c.client = "test"
	if got := c.args("get", "title").failed(); strings.Contains(got.Text(), other) || strings.Contains(got.Text(), "with --session") {
		t.Errorf("%s", got.Text())
	}
	if got := c.call(`{"script":"const r = await browser({args:['get','title']}); return r.text + JSON.stringify(r.nextActions)"}`).ok(); strings.Contains(got.Text(), "--session") || strings.Contains(got.Text(), other) {
		t.Errorf("%s", got.Text())
	}
	script := c.call(`{"script":"await browser({args:['open','BASE/plain']}); const r = await browser({args:['click','@e999']}); const n = await browser(r.nextActions[0].params); return n.text"}`).ok()
	if !strings.Contains(script.Text(), "Place order") {
		t.Errorf("%s", script.Text())
	}
	c.env["USHER_SITE_GUARD"] = "true"
	c.args("open", c.base+"/plain").ok()
	c.args("eval", `document.body.innerHTML = "<input type=file id=f>"`).ok()
	got := c.args("upload", "#f", "/etc/hostname").fails("policy-blocked")
	if strings.Contains(got.Text(), "use --upload-root") || !strings.Contains(got.Text(), "working directory") {
		t.Errorf("%s", got.Text())
	}
}

// TestMissingStdin: a command that reads standard input is refused without it.
func TestMissingStdin(t *testing.T) {
	c := newCaller(t)
	for _, in := range []string{`{"args":["eval","--stdin"]}`, `{"args":["batch"],"stdin":"[[\"eval\",\"--stdin\"]]"}`, `{"args":["auth","save","shop","--username","a","--password-stdin"]}`} {
		if got := c.call(in).fails("validation-error"); !strings.Contains(got.Text(), "field stdin") {
			t.Errorf("%s: %s", in, got.Text())
		}
	}
	if got := c.args("daemon", "stop").fails("validation-error"); strings.Contains(got.Text(), "Did you mean") || !strings.Contains(got.Text(), "in a shell only") {
		t.Errorf("%s", got.Text())
	}
}

// TestShownInsteadOfDownloaded: a download that the browser shows ends when it is shown, in the tab or in another, and can be saved then.
func TestShownInsteadOfDownloaded(t *testing.T) {
	c := newCaller(t)
	for _, name := range []string{"Here", "Beside"} {
		c.args("open", c.base+"/shown").ok()
		began := time.Now()
		got := c.args("download", "text="+name, name+".txt").fails("download-not-verified")
		if took := time.Since(began); took > 8*time.Second || !strings.Contains(got.Text(), "shows "+c.base+"/note.txt (text/plain)") || got.has("wait-for-download") {
			t.Errorf("%v: %s", took, got.Text())
		}
		c.follow(got, "save-shown-document")
		if raw, err := os.ReadFile(filepath.Join(c.dir, name+".txt")); err != nil || string(raw) != "a note" {
			t.Errorf("%q %v", raw, err)
		}
	}
}

// TestWaitOfLimitedTime: a time that is longer than the limit of its command ends at the limit.
func TestWaitOfLimitedTime(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	began := time.Now()
	c.args("wait", "9000", "--timeout", "500").fails("timeout")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%v", took)
	}
	c.args("wait", "200", "--timeout", "500").ok()
}

// TestComboboxHowever: a combobox that gets the focus is reported by whatever it was named; another element, and a chosen option, are not.
func TestComboboxHowever(t *testing.T) {
	c := newCaller(t)
	for _, words := range [][]string{{"click", "@Country"}, {"click", "#c"}, {"focus", "xpath=//input"}, {"click", "#b"}, {"click", "@Size"}} {
		c.args("open", c.base+"/country").ok()
		c.args("eval", "document.querySelector('ul').hidden = true").ok()
		if name, isRef := strings.CutPrefix(words[1], "@"); isRef {
			words[1] = c.args("snapshot", "-i").ok().ref(name, 0)
		}
		got := c.args(words...).ok()
		if got.Details.ComboboxFocus == nil {
			t.Errorf("%q: %s", words, dump(got.raw))
			continue
		}
		c.follow(got, "try-open-combobox-with-arrow")
	}
	c.args("open", c.base+"/country").ok()
	c.args("focus", "#c").ok()
	for _, selector := range []string{"#o", "#more"} {
		if got := c.args("click", selector).ok(); got.Details.ComboboxFocus != nil {
			t.Errorf("%s: %s", selector, dump(got.raw["comboboxFocus"]))
		}
	}
}

// TestWrongRole: an element with the name and another role than the one that was looked for is offered.
func TestWrongRole(t *testing.T) {
	c := newCaller(t)
	for _, in := range []string{`{"semanticAction":{"action":"click","locator":"role","role":"button","name":"Next"}}`, `{"args":["find","role","button","click","--name","Next","--timeout","500"]}`} {
		for _, id := range []string{"try-link-name-candidate", "try-current-visible-ref"} {
			c.args("open", c.base+"/plain").ok()
			got := c.call(in).fails("selector-not-found")
			if next := c.follow(got, id); !strings.Contains(next.Text(), "/next") {
				t.Errorf("%s: %s", id, next.Text())
			}
		}
	}
	c.args("open", c.base+"/next").ok()
	c.follow(c.call(`{"semanticAction":{"action":"click","locator":"role","role":"link","name":"Back"}}`).fails("selector-not-found"), "try-button-name-candidate")
}

// TestStepsOfJob: details number the steps of a job as it gave them.
func TestStepsOfJob(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	const job = `{"job":{"steps":[{"action":"open","url":"BASE/plain","loadState":"load"},{"action":"type","selector":"#name","text":"xyz","delayMs":5},{"action":"click","selector":"#never"},{"action":"snapshot"}]}`
	got := c.call(job + "}").failed()
	f := got.Details.BatchFailure
	if f == nil || f.FailedStep.Index != 3 || f.Succeeded != 2 || f.Total != 4 {
		t.Fatalf("%s", dump(got.raw["batchFailure"]))
	}
	var at []int
	for _, s := range got.Details.BatchSteps {
		at = append(at, s.Index)
	}
	if want := []int{1, 1, 2, 2, 2, 2, 2, 2, 3}; !slices.Equal(at, want) || got.Details.BatchSteps[1].GeneratedFrom != "open.loadState" {
		t.Errorf("%v, want %v", at, want)
	}
	late := c.call(strings.Replace(job, `"#never"`, `"#never2"`, 1) + `,"timeoutMs":1500}`).fails("timeout")
	p := late.Details.TimeoutPartialProgress
	if !strings.HasPrefix(p.Summary, "2 of 4 steps had completed") || !strings.Contains(late.Text(), "3. running: click #never2") {
		t.Errorf("%s", late.Text())
	}
}

// TestActionThatOpensADialog: after an action that opened a dialog, its answers are suggested, and nothing that the dialog blocks.
func TestActionThatOpensADialog(t *testing.T) {
	c := newCaller(t)
	for _, id := range []string{"inspect-dialog-after-timeout", "dismiss-dialog-after-timeout"} {
		c.args("open", c.base+"/plain").ok()
		c.args("eval", "document.querySelector('button').onclick = () => { out.textContent = confirm('sure?') }").ok()
		got := c.args("click", "text=Go").ok()
		if got.has("inspect-after-mutation") {
			t.Errorf("%s", dump(got.raw["nextActions"]))
		}
		c.follow(got, id)
		c.args("dialog", "dismiss")
	}
	c.args("eval", "document.body.innerHTML = '<input type=file id=f>'").ok()
	got := c.args("click", "#f").ok()
	c.follow(got, "inspect-after-mutation")
	c.follow(got, "answer-interruption-dismiss")
}
