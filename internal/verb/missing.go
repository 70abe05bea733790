package verb

import "strings"

// Missing is a command of agent-browser that this program does not have yet.
type Missing struct {
	Name    string // as agent-browser spells it: "cookies", "auth"
	Instead string // the closest replacement, one sentence; empty when there is none
}

// MissingCommands returns the commands of agent-browser that are missing here, in the order of that tool's help. The
// README has the same list.
func MissingCommands() []Missing {
	return []Missing{
		{"addinitscript", ""},
		{"removeinitscript", ""},
		{"connect", "Use `--cdp <port|url>` with any command."},
		{"stream", ""},
		{"react", ""},
		{"device", ""},
		{"profiles", ""},
		{"upgrade", ""},
		{"skills", ""},
		{"plugin", "Plugins are listed in the configuration file: see `help config`."},
		{"plugins", "Plugins are listed in the configuration file: see `help config`."},
		{"dashboard", ""},
		{"chat", ""},
	}
}

// MissingFlags returns the global flags of agent-browser that this program does not have yet, without dashes.
func MissingFlags() []string {
	return []string{"extension", "init-script", "enable", "ca-cert", "no-ca-cert", "use-system-ca", "provider", "engine", "input-mode",
		"webgpu", "cdp-headers", "model"}
}

// missing returns the error for a command that is not here yet; nil for other words.
func missing(code, name string) *Error {
	for _, m := range MissingCommands() {
		if m.Name == strings.ToLower(name) {
			return &Error{Code: code, Message: Quote(name) + " is a command of agent-browser that usher does not implement", Hint: m.Instead}
		}
	}
	return nil
}
