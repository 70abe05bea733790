//go:build unix

package chrome

import (
	"os"
	"path/filepath"
	"strings"
)

func runningAs(executable string) ([]Running, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	programs := map[string]bool{}
	for _, path := range []string{executable, unwrap(executable)} {
		programs[path] = true
		if real, err := filepath.EvalSymlinks(path); err == nil {
			programs[real] = true
		}
	}
	var found []Running
	for _, p := range all {
		if strings.Contains(p.command, "--type=") { // a child of Chromium
			continue
		}
		if args, ok := p.runs(programs); ok {
			found = append(found, Running{PID: p.pid, Args: args})
		}
	}
	return found, nil
}

func usingProfile(dir string) (main, children []int, err error) {
	all, err := processes()
	if err != nil {
		return nil, nil, err
	}
	for _, p := range all {
		switch {
		case p.pid == os.Getpid() || !hasArgument(p.command, "--user-data-dir="+dir):
		case strings.Contains(p.command, "--type="):
			children = append(children, p.pid)
		default:
			main = append(main, p.pid)
		}
	}
	return main, children, nil
}

// hasArgument reports whether a command line, whose arguments are separated by a NUL or a space, has exactly this argument.
func hasArgument(command, argument string) bool {
	for rest := command; ; {
		before, after, found := strings.Cut(rest, argument)
		if !found {
			return false
		}
		begins := before != "" && (before[len(before)-1] == 0 || before[len(before)-1] == ' ')
		if begins && (after == "" || after[0] == 0 || after[0] == ' ') {
			return true
		}
		rest = after
	}
}
