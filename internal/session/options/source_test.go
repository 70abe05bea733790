package options

import (
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/verb"
)

// TestLaunchFlagsForARunningBrowser: a flag that a running browser cannot have is refused, but under the name
// agent-browser, which accepts and ignores it, named in a warning.
func TestLaunchFlagsForARunningBrowser(t *testing.T) {
	for mode, want := range map[verb.Mode]api.Code{verb.Usher: api.InvalidArgument, verb.AgentBrowser: ""} {
		call, err := verb.NewTable(command.Grammar()...).Parse([]string{"open", "a.example", "--cdp", "9222", "--proxy", "http://127.0.0.1:1"}, mode)
		if err != nil {
			t.Fatal(err)
		}
		home := t.TempDir()
		set, err := config.Load(config.Source{Mode: mode, Cwd: home, Flags: call.Globals, Env: func(name string) (string, bool) {
			if name == "HOME" {
				return home, true
			}
			return "", false
		}})
		if err != nil {
			t.Fatal(err)
		}
		warning, err := CheckSource(set)
		if api.CodeOf(err) != want || err == nil && warning != "not applied to a running browser: --proxy" {
			t.Errorf("%v: %q, %v", mode, warning, err)
		}
	}
}
