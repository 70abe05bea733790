package session

import (
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/verb"
)

// TestDefaultTimeoutBoundsWaits: agent-browser's variable is for waits and page loads, ours and the flag are for every
// command.
func TestDefaultTimeoutBoundsWaits(t *testing.T) {
	for _, c := range []struct {
		variable string
		line     []string
		want     time.Duration
		given    bool
	}{
		{"AGENT_BROWSER_DEFAULT_TIMEOUT", []string{"is", "visible", "#a"}, options.ActionLimit, false},
		{"AGENT_BROWSER_DEFAULT_TIMEOUT", []string{"click", "#a"}, options.ActionLimit, false},
		{"AGENT_BROWSER_DEFAULT_TIMEOUT", []string{"eval", "1"}, options.DefaultLimit, false},
		{"AGENT_BROWSER_DEFAULT_TIMEOUT", []string{"wait", "#a"}, 7 * time.Second, true},
		{"AGENT_BROWSER_DEFAULT_TIMEOUT", []string{"open", "example.com"}, 7 * time.Second, true},
		{"AGENT_BROWSER_DEFAULT_TIMEOUT", []string{"tab", "new", "example.com"}, 7 * time.Second, true},
		{"AGENT_BROWSER_DEFAULT_TIMEOUT", []string{"click", "#a", "--timeout", "2s"}, 2 * time.Second, true},
		{"USHER_TIMEOUT", []string{"click", "#a"}, 7 * time.Second, true},
	} {
		call, err := table().Parse(c.line, verb.AgentBrowser)
		if err != nil {
			t.Fatal(err)
		}
		home := t.TempDir()
		set, err := config.Load(config.Source{Mode: verb.AgentBrowser, Cwd: home, Flags: call.Globals, Env: func(name string) (string, bool) {
			switch name {
			case "HOME":
				return home, true
			case c.variable:
				return "7000", true
			}
			return "", false
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got, given := options.LimitOf(set, call.Verb); got != c.want || given != c.given {
			t.Errorf("%s %s: %s, %v; want %s, %v", c.variable, c.line, got, given, c.want, c.given)
		}
	}
}
