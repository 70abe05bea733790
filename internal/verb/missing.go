package verb

import "strings"

// Missing is a command of agent-browser that this program does not have yet.
type Missing struct {
	Name    string // as agent-browser spells it: "cookies", "network route"
	Instead string // the closest replacement, one sentence; empty when there is none
}

// MissingCommands returns the commands of agent-browser that are missing here, in the order of that tool's help. The
// README has the same list.
func MissingCommands() []Missing {
	return []Missing{
		{"read", "Use `web extract <url>`, or `get text body` for the page that is open."},
		{"addinitscript", ""},
		{"removeinitscript", ""},
		{"auth", "Use `fill`, or `--credentials` for HTTP authentication."},
		{"network route", "Use `--blocked-sites` with `--site-guard` to refuse hosts."},
		{"network unroute", ""},
		{"network har", "Use `network requests`, or `--record` for all CDP messages."},
		{"connect", "Use `--cdp <port|url>` with any command."},
		{"inspect", "Use `get cdp-url`, or start the session with `--cdp-port`."},
		{"diff", "Use `snapshot --delta`."},
		{"trace", ""},
		{"profiler", ""},
		{"stream", ""},
		{"a11y", ""},
		{"vitals", ""},
		{"web-vitals", ""},
		{"react", ""},
		{"webmcp", ""},
		{"device", ""},
		{"confirm", ""},
		{"deny", ""},
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
		"webgpu", "no-webmcp", "cdp-headers", "content-boundaries", "max-output", "allowed-domains",
		"action-policy", "confirm-actions", "confirm-interactive", "model"}
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
