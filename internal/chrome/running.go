package chrome

import (
	"strconv"
	"strings"
)

// Running is a process of a program.
type Running struct {
	PID int
	// Args are its arguments, as far as the system tells them apart: outside Linux, those that contain spaces are split.
	Args []string
}

// Switch returns the value of a command-line switch, given as --name=value or as --name value.
func (r *Running) Switch(name string) (value string, found bool) {
	for i, arg := range r.Args {
		switch given, value := cutSwitch(arg); {
		case given != name:
		case strings.Contains(arg, "="):
			return value, true
		case i+1 < len(r.Args):
			return r.Args[i+1], true
		default:
			return "", true
		}
	}
	return "", false
}

// RunningAs returns the processes whose program is this executable, or the browser that it, a distribution's script, starts.
// Child processes of Chromium are left out. On Windows it finds none.
func RunningAs(executable string) ([]Running, error) { return runningAs(executable) }

// UsingProfile returns the numbers of the processes whose command line has --user-data-dir with exactly this directory, Chromium's own
// children included: main are those that are no child of Chromium. It cannot tell on Windows: the error is [errors.ErrUnsupported].
func UsingProfile(dir string) (main, children []int, err error) { return usingProfile(dir) }

// ActivePort returns the port and the WebSocket address that a program built on Chromium wrote into its profile when it opened its
// debugging port. It does not check that something listens. The error is that of reading the file, such as [fs.ErrNotExist], or says
// that it is not complete.
func ActivePort(profile string) (port int, socket string, err error) {
	socket, err = readActivePort(profile)
	if err != nil {
		return 0, "", err
	}
	address, _, _ := strings.Cut(strings.TrimPrefix(socket, "ws://127.0.0.1:"), "/")
	port, err = strconv.Atoi(address)
	return port, socket, err
}
