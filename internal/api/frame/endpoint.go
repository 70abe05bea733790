package frame

// SocketName is the file name of the daemon's socket in its run directory.
const SocketName = "usher.sock"

// maxSocketPath is the longest path every system accepts for a Unix socket:
// sun_path has 104 bytes on macOS and 108 on Linux, with the closing zero.
const maxSocketPath = 103

// RunDir returns the directory of the daemon's socket, locks and log where that
// is plain to see: what package config/dirs works out, for the environments
// nearly everyone has. ok is false for the others (relative or untidy paths, a
// name too long for a socket), which are left to that package. getenv is
// os.Getenv or a like.
func RunDir(getenv func(string) string, agentBrowser bool) (dir string, ok bool) {
	// The home is worked out even when it is not used: that package does not
	// accept an environment without one.
	home := getenv("USHER_HOME")
	if home == "" {
		if home = getenv("HOME"); !tidy(home) {
			return "", false
		}
		home += "/.usher"
	}
	switch dir = getenv("USHER_SOCKET_DIR"); {
	case dir != "":
	case agentBrowser && getenv("AGENT_BROWSER_SOCKET_DIR") != "":
		dir = getenv("AGENT_BROWSER_SOCKET_DIR")
	default:
		dir = home + "/run"
	}
	return dir, tidy(home) && tidy(dir) && len(Socket(dir)) <= maxSocketPath
}

// Socket returns the path of the daemon's socket in its run directory.
func Socket(runDir string) string { return runDir + "/" + SocketName }

// tidy says whether the path is absolute and already as filepath.Clean would
// leave it, on a system that separates with slashes.
func tidy(path string) bool {
	if len(path) < 2 || path[0] != '/' || path[len(path)-1] == '/' {
		return false
	}
	start := 1
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if part := path[start:i]; part == "" || part == "." || part == ".." {
			return false
		}
		start = i + 1
	}
	return true
}

// WantsJSON guesses whether the command asks for JSON, for failures that happen
// where nobody has parsed it: the flag --json anywhere, or the variable of the
// program's mode set to something that is not false.
func (r *Request) WantsJSON() bool {
	if values := r.Values["json"]; len(values) > 0 {
		return values[len(values)-1] == "true"
	}
	prefix := "USHER_"
	if r.Program == "agent-browser" {
		prefix = "AGENT_BROWSER_"
	}
	switch r.Getenv(prefix + "JSON") {
	case "", "0", "false", "False", "FALSE", "no", "No", "NO":
	default:
		return true
	}
	for i, word := range r.Argv {
		if word == "--json" {
			return i+1 == len(r.Argv) || r.Argv[i+1] != "false"
		}
	}
	return false
}
