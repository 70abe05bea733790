package agenttool_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/verb"
)

// TestRefsOnce: a result has the refs of a snapshot once, and a client that has them does not get them again.
func TestRefsOnce(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	data := func(r answer) map[string]any {
		t.Helper()
		d, ok := r.ok().raw["data"].(map[string]any)
		if !ok || d["snapshot"] == nil {
			t.Fatalf("no data of a snapshot: %s", dump(r.raw))
		}
		return d
	}
	look := func(wantRefs, wantInData bool, words ...string) answer {
		t.Helper()
		r := c.args(append([]string{"snapshot", "-i"}, words...)...)
		if got := data(r)["refs"] != nil; got != wantInData {
			t.Errorf("refs in data: %v, want %v: %s", got, wantInData, dump(r.raw))
		}
		if got := r.Details.RefSnapshot != nil; got != wantRefs || r.Details.RefSnapshotRevision == 0 {
			t.Errorf("refSnapshot: %v, want %v: %s", got, wantRefs, dump(r.raw))
		}
		return r
	}
	first := look(true, false)
	if s := first.Details.RefSnapshot; s == nil || s.Refs["e1"].Name == "" || len(s.Refs) != len(s.RefIDs) {
		t.Errorf("%s", dump(first.raw["refSnapshot"]))
	}
	look(false, false)
	look(false, true, "--json")
	batch := c.call(`{"job":{"steps":[{"action":"snapshot"},{"action":"click","selector":"text=Go"}]}}`).ok()
	if raw := dump(batch.raw); strings.Contains(raw, `"refs":`) {
		t.Errorf("a job: %s", raw)
	}
	script := c.call(`{"script":"await browser({args: ['open', 'BASE/plain']}); return (await browser({args: ['snapshot', '-i']})).data.refs"}`).ok()
	if !strings.Contains(dump(script.raw["data"]), `"name":"Go"`) {
		t.Errorf("a script has no refs: %s", dump(script.raw))
	}
	if got := c.with(verb.Values{"release": {"true"}}, ``); got.IsError {
		t.Error(got.Text())
	}
	look(true, false) // to the client's next server
	c.client = ""
	c.args("open", c.base+"/plain").ok()
	look(true, false)
	look(true, false)
	if r := c.args("get", "title").ok(); r.Details.RefSnapshot != nil {
		t.Errorf("a command that takes no snapshot: %s", dump(r.raw))
	}
}
