package read_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestDeltaForAgentBrowser: under that name, JSON has the forms of that tool, and text those of ours.
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
	s.Run(t, "snapshot", "-i")
	if got := s.Run(t, "snapshot", "-i", "--delta").Text; !strings.Contains(got, "nothing changed") {
		t.Errorf("as text: %s", got)
	}
	if got := s.Run(t, "snapshot", "-i", "--delta", "--full").Text; !strings.Contains(got, `button "Other"`) {
		t.Errorf("as text, with --full: %s", got)
	}
}
