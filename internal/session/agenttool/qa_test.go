package agenttool_test

import (
	"strings"
	"testing"
)

// TestExpectedText: qa finds every text that `wait --text` finds, and what fields and several blocks show.
func TestExpectedText(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/parts").ok()
	all := []string{"Hello Ada!", "one two", "a caption", "any news", "in a shadow", "in a frame"}
	for _, text := range all {
		c.args("wait", "--text", text).ok()
	}
	got := c.call(dump(map[string]any{"qa": map[string]any{"attached": true, "expectedText": append(all, "First Second", "in a field")}}))
	if got.IsError {
		t.Errorf("%s", got.Text())
	}
	got = c.call(`{"qa":{"attached":true,"expectedText":"not shown"}}`).fails("qa-failure")
	if !strings.Contains(got.Text(), `✗ text "not shown": expected text not found: "not shown"`) {
		t.Errorf("%s", got.Text())
	}
}

// TestAttachedJudgesThePage: what pages before, failed navigations and other tabs have left in the records is not the page's; what its
// frames do is.
func TestAttachedJudgesThePage(t *testing.T) {
	c := newCaller(t)
	const all = `{"qa":{"attached":true,"checkErrors":true,"checkConsole":true,"checkNetwork":true}}`
	c.args("open", c.base+"/bad").ok()
	c.args("wait", "--load", "networkidle").ok()
	bad := c.call(all).fails("qa-failure")
	for _, want := range []string{"1 page error", "1 console error message", "1 actionable failed network request"} {
		if !strings.Contains(bad.Text(), want) {
			t.Errorf("no %s: %s", want, bad.Text())
		}
	}
	if got := c.args("open", "http://127.0.0.1:1/refused"); !got.IsError {
		t.Errorf("%s", got.Text())
	}
	c.args("open", c.base+"/good").ok()
	if got := c.call(all); got.IsError {
		t.Errorf("after a bad page: %s", got.Text())
	}
	c.args("tab", "new", c.base+"/bad").ok()
	c.args("wait", "--load", "networkidle").ok()
	c.args("tab", "t1").ok()
	if got := c.call(all); got.IsError {
		t.Errorf("beside a bad tab: %s", got.Text())
	}
	c.args("open", c.base+"/badframe").ok()
	c.args("wait", "--load", "networkidle").ok()
	frame := c.call(all).fails("qa-failure")
	for _, want := range []string{"1 page error", "1 console error message", "1 actionable failed network request"} {
		if !strings.Contains(frame.Text(), want) {
			t.Errorf("of the frame, no %s: %s", want, frame.Text())
		}
	}
}

// TestNotChecked: a verdict says what was not examined, once, and how to have it examined.
func TestNotChecked(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/good").ok()
	const line = "- not checked: network, console, page errors (for that, give checkNetwork, checkConsole, checkErrors: true)"
	got := c.call(`{"qa":{"attached":true}}`).ok()
	if strings.Count(got.Text(), line) != 1 || strings.Join(got.Details.QAPreset.NotChecked, " ") != "network console page errors" {
		t.Errorf("%s\n%s", got.Text(), dump(got.raw["qaPreset"]))
	}
	got = c.call(`{"qa":{"attached":true,"checkConsole":true,"expectedText":"nowhere"}}`).fails("qa-failure")
	if !strings.Contains(got.Text(), "- not checked: network, page errors (for that, give checkNetwork, checkErrors: true)") {
		t.Errorf("%s", got.Text())
	}
	got = c.call(`{"qa":{"url":"BASE/good"}}`).ok()
	if strings.Contains(got.Text(), "not checked") || got.Details.QAPreset.NotChecked != nil {
		t.Errorf("%s", got.Text())
	}
}

// TestQAOfBlockedPage: a page that a dialog holds does not pass, whether the dialog was there before or came meanwhile.
func TestQAOfBlockedPage(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/good").ok()
	c.args("eval", "alert('stop')").fails("timeout")
	for _, in := range []string{`{"qa":{"attached":true}}`, `{"qa":{"attached":true,"expectedText":"Hello","checkErrors":true}}`} {
		got := c.call(in).fails("qa-failure")
		if !strings.Contains(got.Text(), `is open and blocks the page: "stop"`) || !got.has("dismiss-dialog-after-timeout") {
			t.Errorf("%s: %s", in, got.Text())
		}
	}
	c.args("dialog", "accept").ok()
	c.call(`{"qa":{"attached":true}}`).ok()
	got := c.call(`{"qa":{"url":"BASE/alert"}}`).fails("qa-failure")
	if !strings.Contains(got.Text(), `is open and blocks the page: "stop"`) {
		t.Errorf("%s", got.Text())
	}
	c.follow(got, "inspect-dialog-after-timeout")
}

// TestTrueLimit: a wait that the call's own time ends names that time, and no other.
func TestTrueLimit(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	for _, in := range []string{
		`{"job":{"steps":[{"action":"assertText","text":"never"}]},"timeoutMs":700}`, `{"args":["wait","9000"],"timeoutMs":700}`,
		`{"args":["wait","--fn","false"],"timeoutMs":700}`, `{"args":["wait","#never"],"timeoutMs":700}`, `{"args":["wait","--url","never"],"timeoutMs":700}`,
		`{"args":["wait","--download","never"],"timeoutMs":700}`, `{"args":["wait","--text","never","--wide"],"timeoutMs":700}`,
		`{"args":["click","#never"],"timeoutMs":700}`, `{"args":["eval","new Promise(() => {})"],"timeoutMs":700}`,
	} {
		got := c.call(in)
		if text, _, _ := strings.Cut(got.Text(), "Timeout partial"); !strings.Contains(text, "the call was not done within 700ms") || strings.Contains(text, "timed out") {
			t.Errorf("%s: %s", in, text)
		}
	}
}

// TestLoadState: domcontentloaded does not wait for the load event, and networkidle waits for the requests that follow it.
func TestLoadState(t *testing.T) {
	c := newCaller(t)
	c.call(`{"qa":{"url":"BASE/slow","loadState":"domcontentloaded","expectedText":"Here"},"timeoutMs":15000}`).ok()
	c.call(`{"job":{"steps":[{"action":"open","url":"BASE/slow","loadState":"domcontentloaded"},{"action":"assertText","text":"Here"}]},"timeoutMs":15000}`).ok()
	idle := c.call(`{"qa":{"url":"BASE/more","loadState":"networkidle"}}`).fails("qa-failure")
	if !strings.Contains(idle.Text(), "Page: All") || !strings.Contains(idle.Text(), "missing.json 404") {
		t.Errorf("%s", idle.Text())
	}
	c.call(`{"job":{"steps":[{"action":"open","url":"BASE/more","loadState":"networkidle"}]}}`).ok()
	if got := c.args("get", "title").ok().Text(); got != "All" {
		t.Errorf("%s", got)
	}
}

// TestNumbersOfJob: the text numbers the steps of the job, however many commands each of them is.
func TestNumbersOfJob(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	got := c.call(`{"job":{"steps":[{"action":"type","selector":"#name","text":"xyz","delayMs":5,"press":"Tab"},{"action":"click","selector":"#never"},{"action":"snapshot"}]}}`)
	if !strings.Contains(got.Text(), "Batch failed: 1/3 succeeded; step 2 (click) is the first that failed.") || !strings.Contains(got.Text(), "1 step was not run.") {
		t.Errorf("%s", got.Text())
	}
	key := c.call(`{"job":{"steps":[{"action":"fill","selector":"#name","text":"kept"},{"action":"type","text":"x","press":"Foo"}]}}`).fails("validation-error")
	if !strings.Contains(key.Text(), "job.steps[1].press") {
		t.Errorf("%s", key.Text())
	}
	if value := c.args("get", "value", "#name").ok().Text(); value != "xyz" {
		t.Errorf("something ran: %s", value)
	}
}

// TestLookLimit: what only looks for an element gives up after 5 seconds.
func TestLookLimit(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	for _, in := range []string{`{"sourceLookup":{"selector":"#never"},"timeoutMs":15000}`, `{"qa":{"attached":true,"expectedSelector":"#never"},"timeoutMs":15000}`} {
		if got := c.call(in); !got.IsError || got.Details.TimedOut {
			t.Errorf("%s: %s", in, got.Text())
		}
	}
}
