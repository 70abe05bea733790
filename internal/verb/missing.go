package verb

import (
	"strings"

	"github.com/usher-browser/usher/internal/plain"
)

// Missing is a command of agent-browser that this program does not have yet.
type Missing struct {
	Name    string // as agent-browser spells it: "cookies", "auth"
	Instead string // the closest replacement, one sentence; empty when there is none
}

// MissingCommands returns the commands of agent-browser that are missing here, in the order of that tool's help. The
// README has the same list.
func MissingCommands() []Missing {
	return []Missing{
		{"stream", "It comes in a later version. Meanwhile `events --follow` tells what happens, and `record` and `screenshot` show it."},
		{"dashboard", "It comes in a later version. Meanwhile use `session list`, and `events --follow` for a session."},
		{"chat", "It comes in a later version. Meanwhile any agent can use the browser over `mcp`."},
	}
}

// MissingFlags returns the global flags of agent-browser that this program does not have yet, without dashes.
func MissingFlags() []string {
	return []string{"model"}
}

// missing returns the error for a command that is not here yet; nil for other words.
func missing(code, name string) *Error {
	for _, m := range MissingCommands() {
		if m.Name == strings.ToLower(name) {
			return &Error{Code: code, Message: plain.Quote(name) + " is a command of agent-browser that usher does not implement", Hint: m.Instead}
		}
	}
	return nil
}
