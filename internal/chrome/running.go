package chrome

import "strings"

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
