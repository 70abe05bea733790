package fold

import (
	"slices"
	"testing"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
)

// TestStealthSetUp checks the commands sent to pages and workers: none that a page can detect, and the reporter only
// where no script has run yet.
func TestStealthSetUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, waiting string
		want          string // the method that installs the reporter
	}{
		{"page", "true", "Page.addScriptToEvaluateOnNewDocument"},
		{"page", "false", "Page.addScriptToEvaluateOnNewDocument"},
		{"worker", "true", "Runtime.evaluate"},
		{"worker", "false", ""},
	} {
		const reporter = "the reporter"
		m := New(Options{Stealth: true, Nonce: "nonce", Scripts: targets.Scripts{Reporter: reporter}})
		m.Start()
		effects := m.Apply(Input{Event: &cdp.Event{Method: "Target.attachedToTarget", Params: []byte(
			`{"sessionId":"S","waitingForDebugger":` + c.waiting + `,"targetInfo":{"targetId":"T","type":"` + c.kind + `"}}`)}})
		var sent []string
		brought := ""
		for _, effect := range effects {
			e := effect.Send
			if e == nil || e.Session != "S" {
				continue
			}
			sent = append(sent, e.Method)
			if params, ok := e.Params.(core.Params); ok && (params["source"] == reporter || params["expression"] == reporter) {
				brought = e.Method
			}
		}
		if brought != c.want {
			t.Errorf("%s, waiting %s: the reporter comes by %q, want %q", c.kind, c.waiting, brought, c.want)
		}
		if !slices.Contains(sent, "Console.enable") || slices.Contains(sent, "Runtime.enable") || slices.Contains(sent, "Debugger.enable") {
			t.Errorf("%s: %v", c.kind, sent)
		}
	}
}
