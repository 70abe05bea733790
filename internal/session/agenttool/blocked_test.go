package agenttool_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLoginBlocks: a page that waits for an HTTP login is answered as a login, not as a dialog.
func TestLoginBlocks(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	got := c.args("open", c.base+"/login").fails("timeout")
	if got.has("inspect-dialog-after-timeout") || got.has("dismiss-dialog-after-timeout") {
		t.Errorf("%s", dump(got.raw["nextActions"]))
	}
	if n := got.action("inspect-interruption-after-timeout"); !strings.Contains(n.Reason, "--password-stdin") {
		t.Errorf("%s", dump(n))
	}
	list := c.follow(got, "inspect-interruption-after-timeout")
	id := strings.Fields(list.Text())[0]
	if !slices.Contains(got.action("answer-interruption-dismiss").Params.Args, id) {
		t.Errorf("%s: %s", id, dump(got.raw["nextActions"]))
	}
	in := c.call(`{"args":["interrupt","answer","` + id + `","--username","ada","--password-stdin"],"stdin":"open"}`).ok()
	if !strings.Contains(in.Text(), "/login") {
		t.Errorf("%s", in.Text())
	}
}

// TestBusyPage: a page that a script blocks is named as such, about when the time of the call is over, and what is suggested ends the script.
func TestBusyPage(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	for _, in := range []string{
		`{"args":["click","text=Go"],"timeoutMs":2000}`, `{"semanticAction":{"action":"click","locator":"role","role":"button","name":"Go"},"timeoutMs":2000}`,
		`{"job":{"steps":[{"action":"assertText","text":"never"}]},"timeoutMs":2000}`,
	} {
		c.args("eval", "setTimeout(() => { while (true); }); 1").ok()
		began := time.Now()
		got := c.call(in).fails("timeout")
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("%s: %v", in, took)
		}
		if !strings.Contains(got.Text(), "a script is running") {
			t.Errorf("%s: %s", in, got.Text())
		}
		c.follow(got, "interrupt-blocking-script")
		c.args("snapshot", "-i").ok()
	}
	began := time.Now()
	got := c.call(`{"args":["eval","while (true);"],"timeoutMs":1500}`).fails("timeout")
	if took := time.Since(began); took > 2500*time.Millisecond || !strings.Contains(got.Text(), "was terminated") {
		t.Errorf("%v: %s", took, got.Text())
	}
	c.follow(got, "inspect-current-page-after-timeout")
}

// TestNoPage: where there is no page, opening one is suggested, and nothing that needs one.
func TestNoPage(t *testing.T) {
	c := newCaller(t)
	for _, in := range []string{`{"args":["click","@e1"]}`, `{"args":["click","#x"]}`, `{"args":["snapshot","-i"]}`, `{"args":["tab","list"]}`,
		`{"semanticAction":{"action":"select","locator":"label","value":"Size","values":["M"]}}`} {
		got := c.call(in).failed()
		if !got.has("open-page") || got.has("refresh-interactive-refs") || got.has("list-tabs-after-no-active-page") {
			t.Errorf("%s: %s", in, dump(got.raw["nextActions"]))
		}
	}
	c.args("open", c.base+"/plain").ok()
	ref := c.args("snapshot", "-i").ok().ref("Go", 0)
	c.args("close").ok()
	got := c.args("click", ref).fails("stale-ref")
	if got.has("refresh-interactive-refs") {
		t.Errorf("%s", dump(got.raw["nextActions"]))
	}
	c.follow(got, "open-last-page")
	if url := c.args("get", "url").ok().Text(); !strings.Contains(url, "/plain") {
		t.Errorf("%s", url)
	}
}
