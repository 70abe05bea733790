package frame

// SocketName is the file name of the daemon's socket in its run directory.
const SocketName = "usher.sock"

// maxSocketPath is the longest path of a Unix socket that every system accepts: sun_path has 104 bytes on macOS and 108
// on Linux, with the terminating zero.
const maxSocketPath = 103

// AppendSocket appends the path of the daemon's socket for common environments, with the same result as package config/dirs.
// ok is false for the others (relative or unclean paths, a path too long for a socket); the caller then uses that package.
// getenv is os.Getenv or similar.
func AppendSocket(dst []byte, getenv func(string) string, agentBrowser bool) (socket []byte, ok bool) {
	// Read HOME even if it is not needed: package config/dirs refuses an environment without it.
	start := len(dst)
	home, below := getenv("USHER_HOME"), ""
	if home == "" {
		home, below = getenv("HOME"), "/.usher"
	}
	if !isCleanAbs(home) {
		return dst, false
	}
	dir := getenv("USHER_SOCKET_DIR")
	if dir == "" && agentBrowser {
		dir = getenv("AGENT_BROWSER_SOCKET_DIR")
	}
	switch {
	case dir == "":
		dst = append(append(append(dst, home...), below...), "/run"...)
	case isCleanAbs(dir):
		dst = append(dst, dir...)
	default:
		return dst, false
	}
	dst = append(append(dst, '/'), SocketName...)
	return dst, len(dst)-start <= maxSocketPath
}

// isCleanAbs reports whether path is absolute and equal to filepath.Clean(path), on a system that separates with slashes.
func isCleanAbs(path string) bool {
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

// WantsJSON reports whether the command seems to request JSON: the flag --json anywhere, or the variable of the program's
// mode with a value that is not false. It is for failures before the command is parsed.
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
