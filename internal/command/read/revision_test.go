package read_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestDeltaForAgentBrowser: under that name, JSON and text have the forms of that tool.
func TestDeltaForAgentBrowser(t *testing.T) {
	s := commandtest.New(t)
	s.Settings.Compatible, s.Settings.JSON = true, true
	s.Run(t, "open", cdptest.NewSite(t).URL("/buttons?n=30"))
	for i, step := range []struct{ change, flags, want string }{
		{"", "--delta -i", `"snapshot":{"kind":"full","refs":{"e1":`},
		{"", "--delta -i", `"snapshot":{"baseRevision":1,"kind":"unchanged","revision":2}}`},
		{"b20.textContent = 'Other'", "--delta -i", `"snapshot":{"baseRevision":2,"changes":[{"field":"name","op":"replace","ref":"@e`},
		{"", "--delta -i --full", `"snapshot":{"kind":"full",`},
		{"", "--delta", `"snapshot":{"kind":"full",`},
	} {
		if step.change != "" {
			s.Run(t, "eval", step.change)
		}
		got, err := api.AppendJSON(nil, s.Run(t, append([]string{"snapshot"}, strings.Fields(step.flags)...)...).Data)
		if err != nil || !strings.Contains(string(got), step.want) || !strings.Contains(string(got), `{"origin":"http`) {
			t.Errorf("%d: %.300s, %v, want %s", i, got, err, step.want)
		}
	}
	s.Settings.JSON = false
	s.Run(t, "snapshot", "-i", "--delta")
	if got := s.Run(t, "snapshot", "-i", "--delta").Text; got != "unchanged (revision 7)" {
		t.Errorf("as text: %s", got)
	}
	s.Run(t, "eval", "b21.textContent = 'Third'")
	if got := s.Run(t, "snapshot", "-i", "--delta").Text; !strings.HasPrefix(got, "{\n  \"baseRevision\": 7,\n  \"changes\": [\n    {\n      \"field\": \"name\",") {
		t.Errorf("as text, after a change: %s", got)
	}
	if got := s.Run(t, "snapshot", "-i", "--delta", "--full").Text; !strings.HasPrefix(got, "- ") || !strings.Contains(got, `button "Other"`) {
		t.Errorf("as text, with --full: %s", got)
	}
}
