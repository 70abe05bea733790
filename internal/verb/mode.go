package verb

import "strings"

// Mode is the program name that usher runs under. It selects names in messages, the prefix of environment variables,
// and a few leniencies.
type Mode uint8

const (
	Usher        Mode = iota
	AgentBrowser      // called through a link named agent-browser
)

// ModeOf returns the mode for the path by which the program was called (os.Args[0]).
func ModeOf(program string) Mode {
	base := program
	if i := strings.LastIndexAny(base, `/\`); i >= 0 {
		base = base[i+1:]
	}
	base = strings.TrimSuffix(strings.ToLower(base), ".exe")
	if base == "agent-browser" {
		return AgentBrowser
	}
	return Usher
}

// Program returns the program's name.
func (m Mode) Program() string {
	if m == AgentBrowser {
		return "agent-browser"
	}
	return "usher"
}

// EnvPrefix returns the prefix of this mode's environment variables.
func (m Mode) EnvPrefix() string {
	if m == AgentBrowser {
		return "AGENT_BROWSER_"
	}
	return "USHER_"
}

func (m Mode) String() string { return m.Program() }
