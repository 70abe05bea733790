package frame

// Version is the protocol number. It changes only if an old client could misread a new daemon; other differences between
// builds are handled with [Request.Build].
const Version = 2

// The operations of a request. Every build understands all but [OpRun], whatever its version, so that a client can ask a
// daemon of another build for its status and stop it.
const (
	// OpRun runs the command in Argv, or in Verb and Values.
	OpRun = "run"
	// OpStatus writes one JSON object about the daemon to standard output.
	OpStatus = "status"
	// OpStop closes every session and ends the daemon. The answer comes after the browsers have ended.
	OpStop = "stop"
)

// Request is one command with the parts of its environment that affect it.
type Request struct {
	// V is the client's protocol [Version].
	V int
	// Op is one of the operations above.
	Op string
	// ID is chosen by the client and appears in logs; it may be empty.
	ID string
	// Program is the name under which the client was started: "usher" or "agent-browser".
	Program string
	// Argv are the arguments after the program's name, valid UTF-8.
	Argv []string
	// Verb and Values are a command with named values, for programs. A value is never parsed as a flag. Argv is empty
	// then.
	Verb   string
	Values map[string][]string
	// Tab is the tab to work in: its id, label or target id; empty for the active one.
	Tab string
	// Cwd is the client's working directory, to which relative paths are resolved.
	Cwd string
	// Env has "NAME=value" for the variables that [WantEnv] selects.
	Env []string
	// TTY describes the client's standard streams.
	TTY Terminal
	// Build identifies the client's binary. A daemon of another build does not run its commands.
	Build string

	// PeerUID is the user at the other end of the socket, as reported by the kernel; -1 where the system does not report
	// it. The daemon sets it; it is not sent.
	PeerUID int
}

// Terminal describes the client's standard streams.
type Terminal struct {
	// In, Out and Err report which of the streams are terminals.
	In, Out, Err bool
	// Width is the number of columns, 0 if unknown or not a terminal.
	Width int
	// Color allows escape sequences: Out is a terminal, NO_COLOR is unset and TERM is not "dumb". ErrColor is the same
	// for Err.
	Color, ErrColor bool
}

// Getenv returns the value of name in r.Env, "" if absent.
func (r *Request) Getenv(name string) string {
	value, _ := r.LookupEnv(name)
	return value
}

// LookupEnv returns the value of name in r.Env, and whether it is present.
func (r *Request) LookupEnv(name string) (string, bool) {
	for _, pair := range r.Env {
		if len(pair) > len(name) && pair[len(name)] == '=' && pair[:len(name)] == name {
			return pair[len(name)+1:], true
		}
	}
	return "", false
}

// WantEnv reports whether a variable (NAME or NAME=value) is sent to the daemon: usher's own, those of agent-browser, and
// the few that affect browsers or paths. Others are not sent.
func WantEnv(pair string) bool {
	name := pair
	for i := 0; i < len(pair); i++ {
		if pair[i] == '=' {
			name = pair[:i]
			break
		}
	}
	if hasPrefix(name, "USHER_") || hasPrefix(name, "AGENT_BROWSER_") {
		return true
	}
	switch name {
	case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
		"http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"NO_COLOR", "TERM", "HOME", "USERPROFILE", "LOCALAPPDATA",
		"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DOWNLOAD_DIR", "XDG_RUNTIME_DIR",
		"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
		"BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SEARXNG_URL", // for web search
		"TMPDIR", "LANG", "LC_ALL", "TZ", "SHELL", "PATH":
		return true
	}
	return false
}

func hasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && s[:len(prefix)] == prefix
}
