package frame

// Version is the protocol number. It changes only if an old client could misread a new daemon; other differences between
// builds are handled with [Request.Build].
const Version = 2

// The operations of a request. Every build understands all but [OpRun] and [OpText], whatever its version, so that a client can ask a
// daemon of another build for its status and stop it.
const (
	// OpRun runs the command in Argv, or in Verb and Values.
	OpRun = "run"
	// OpText runs the command like OpRun, but only if its result is a text that every process of this build would print,
	// and that changes nothing, such as help. Otherwise the daemon sends [Local] or refuses it with [NotText].
	OpText = "text"
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
	// Preset are the names in Values that a server's own command line sets for all its commands: the person's, not the agent's.
	Preset []string
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
		"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_DOWNLOAD_DIR", "XDG_RUNTIME_DIR", "ProgramFiles", "ProgramFiles(x86)",
		"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
		"BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SEARXNG_URL", // for web search
		"BROWSERBASE_API_KEY", "BROWSERBASE_PROJECT_ID", "BROWSERBASE_BASE_URL", "BROWSERBASE_PROXY", "BROWSERBASE_ADVANCED_STEALTH", "BROWSERBASE_OS", // for --provider
		"BROWSERLESS_API_KEY", "BROWSERLESS_API_URL", "BROWSERLESS_BROWSER_TYPE", "BROWSERLESS_TTL", "BROWSERLESS_STEALTH",
		"BROWSER_USE_API_KEY", "BROWSER_USE_API_URL", "BROWSER_USE_PROFILE_ID", "BROWSER_USE_PROXY_COUNTRY", "BROWSER_USE_ENABLE_RECORDING",
		"KERNEL_API_KEY", "KERNEL_ENDPOINT", "KERNEL_HEADLESS", "KERNEL_STEALTH", "KERNEL_TIMEOUT_SECONDS", "KERNEL_PROFILE_NAME", "KERNEL_PROFILE_SAVE_CHANGES",
		"AGENTCORE_REGION", "AGENTCORE_BROWSER_ID", "AGENTCORE_PROFILE_ID", "AGENTCORE_SESSION_TIMEOUT", "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE",
		"TMPDIR", "LANG", "LC_ALL", "TZ", "SHELL", "PATH":
		return true
	}
	return false
}

// NamesAWS reports whether a command line or environment concerns the provider agentcore: only then are the credentials of
// AWS sent ([WantAWS]), which most users have for something else.
func NamesAWS(argv, env []string) bool {
	for _, word := range argv {
		if hasSuffix(word, "agentcore") {
			return true
		}
	}
	for _, pair := range env {
		if hasPrefix(pair, "AGENTCORE_") || hasSuffix(pair, "_PROVIDER=agentcore") {
			return true
		}
	}
	return false
}

// WantAWS is WantEnv for a request that NamesAWS.
func WantAWS(pair string) bool {
	for _, name := range [...]string{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=", "AWS_SESSION_TOKEN=", "AWS_REGION=", "AWS_DEFAULT_REGION=", "AWS_PROFILE="} {
		if hasPrefix(pair, name) {
			return true
		}
	}
	return false
}

func hasSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && s[len(s)-len(suffix):] == suffix
}

func hasPrefix[T string | []byte](s T, prefix string) bool {
	return len(s) >= len(prefix) && string(s[:len(prefix)]) == prefix
}
