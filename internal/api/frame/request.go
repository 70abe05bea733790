package frame

// Version is the protocol number. It changes only when an old client could
// misread a new daemon; ordinary differences between builds are settled by
// [Request.Build].
const Version = 2

// The operations of a request. All but [OpRun] are understood by every build,
// whatever its version, so that a client can always ask a foreign daemon how it
// is and tell it to leave.
const (
	// OpRun runs the command in Argv, or that of Verb and Values.
	OpRun = "run"
	// OpStatus writes one JSON object about the daemon to stdout.
	OpStatus = "status"
	// OpStop closes every session and ends the daemon. The answer comes when
	// the browsers are gone.
	OpStop = "stop"
)

// Request is one command line with everything about its surroundings that may
// change what it does.
type Request struct {
	// V is the client's protocol [Version].
	V int
	// Op is one of the operations above.
	Op string
	// ID is chosen by the client and comes back in logs; it may be empty.
	ID string
	// Program is the name the client was started by: "usher" or "agent-browser".
	Program string
	// Argv are the words after the program's name, valid UTF-8, otherwise as the
	// shell passed them.
	Argv []string
	// Verb names a command whose Values are given by name, for programs: they need no command line, and what looks like a flag
	// in a value is none. Argv is empty then.
	Verb   string
	Values map[string][]string
	// Tab is the tab to work in: its id, label or target id; empty for the active one.
	Tab string
	// Cwd is the client's working directory; relative paths start there.
	Cwd string
	// Env holds "NAME=value" for the variables [WantEnv] picks.
	Env []string
	// TTY tells what the client's streams are.
	TTY Terminal
	// Build identifies the client's binary. A daemon of another build does not
	// run commands for it.
	Build string

	// PeerUID is the user at the other end of the socket as the kernel tells.
	// The daemon fills it in; it never travels. -1 where the system cannot say.
	PeerUID int
}

// Terminal tells what the client's standard streams are.
type Terminal struct {
	// In, Out, Err say which of the streams are terminals.
	In, Out, Err bool
	// Width is the number of columns, 0 when unknown or not a terminal.
	Width int
	// Color allows escape sequences: Out is a terminal, NO_COLOR is unset and
	// TERM is not "dumb". ErrColor says the same of Err.
	Color, ErrColor bool
}

// Getenv returns the value of name in r.Env, "" when it is not there.
func (r *Request) Getenv(name string) string {
	value, _ := r.LookupEnv(name)
	return value
}

// LookupEnv is [Request.Getenv] that tells an empty variable from a missing one.
func (r *Request) LookupEnv(name string) (string, bool) {
	for _, pair := range r.Env {
		if len(pair) > len(name) && pair[len(name)] == '=' && pair[:len(name)] == name {
			return pair[len(name)+1:], true
		}
	}
	return "", false
}

// WantEnv says whether the variable (given as NAME or NAME=value) goes to the
// daemon: usher's own, those of agent-browser, and the few that change what a
// browser or a path means. Everything else stays with the user.
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
		"BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SEARXNG_URL", // of web search
		"TMPDIR", "LANG", "LC_ALL", "TZ", "SHELL", "PATH":
		return true
	}
	return false
}

func hasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && s[:len(prefix)] == prefix
}
