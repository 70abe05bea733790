package daemon

import (
	"bytes"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
)

// TestTerminalIsNotSteered: what a page says does not reach a terminal as control characters, in results, warnings and errors;
// a program gets it as it is.
func TestTerminalIsNotSteered(t *testing.T) {
	const evil = "\x1b]52;c;aGk=\x07 \u009b31m \u202eevil\U000e0041 \r"
	nothing := func(string) (string, bool) { return "", false }
	for _, asJSON := range []bool{false, true} {
		argv := []string{"get", "title"}
		if asJSON {
			argv = append(argv, "--json")
		}
		call, err := program.Table().Parse(argv, verb.ModeOf("usher"))
		if err != nil {
			t.Fatal(err)
		}
		set, err := config.Load(config.Source{Mode: call.Mode, Env: nothing, Cwd: t.TempDir(), Flags: call.Globals})
		if err != nil {
			t.Fatal(err)
		}
		for _, terminal := range []bool{false, true} {
			for _, failed := range []error{nil, api.Errorf(api.ElementCovered, "covered by %s", evil).WithHint("see %s", evil)} {
				var out bytes.Buffer
				streams := newStreams(&out)
				c := &Commands{}
				res := run.Result{Data: map[string]any{"title": evil}, Text: evil, Warning: evil}
				c.finish(&api.Request{TTY: api.Terminal{Out: terminal, Err: terminal}}, call, set, res, failed, streams)
				if err := streams.Flush(); err != nil {
					t.Fatal(err)
				}
				steers := strings.ContainsAny(out.String(), "\x1b\x07\r\u009b\u202e\U000e0041")
				if steers == terminal || !strings.Contains(out.String(), "evil") {
					t.Errorf("json %v, terminal %v, %v: %q", asJSON, terminal, failed, out.String())
				}
			}
		}
	}
}
