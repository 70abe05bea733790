//go:build unix

package chrome

import (
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
