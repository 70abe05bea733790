package api

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// TestOutcomeLines: the lines of an outcome are as expected, also after encoding it as JSON and back, as agents' tools
// get it.
func TestOutcomeLines(t *testing.T) {
	value := "x"
	o := Outcome{
		Navigation: &Navigation{URL: "http://a/"}, DialogOpened: true, Dialog: &Dialog{Type: "alert", Message: "Sure?", ID: "d-1"},
		Dialogs: []ClosedDialog{{Type: "prompt", Message: "Name", Accepted: true, PromptText: "Ada"},
			{Type: "confirm", Message: "On", Rule: "r1"}},
		NewTab: true, URL: "http://b/", TabID: "t2", Opened: []Tab{{"t3", "http://c/"}},
		Downloads: []Download{{SuggestedName: "a.csv", Path: "/d/a.csv", State: "completed"}, {SuggestedName: "b.csv", State: "canceled"}},
		Waits:     "waits for a file", TabClosed: true, Value: &value, Invalid: []Invalid{{"Name", "is missing"}}, Unsettled: "it loads",
	}
	want := []string{
		"is going to http://a/ (no answer yet)", "opened an alert dialog: \"Sure?\"; answer with `dialog accept` or `dialog dismiss`",
		`opened a prompt dialog, accepted with "Ada" by the policy: "Name"`, `opened a confirm dialog, dismissed by rule r1: "On"`,
		"opened tab [t2], now active: http://b/", "opened tab [t3]: http://c/", "downloaded a.csv to /d/a.csv",
		"started the download of b.csv, which failed or was canceled", "waits for a file", "closed its tab", "not sent: Name: is missing", "not settled: it loads",
	}
	if d := cmp.Diff(want, o.Lines()); d != "" {
		t.Error(d)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var again Outcome
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, again.Lines()); d != "" {
		t.Error(d)
	}
	if raw, err = json.Marshal(Outcome{}); err != nil || string(raw) != "{}" {
		t.Errorf("of nothing is told %s, %v", raw, err)
	}
}
