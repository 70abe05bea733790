package agenttool_test

import (
	"strings"
	"testing"
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
