package config

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
)

// resolvePath makes a path absolute: ~ is the home directory of the caller, anything relative starts at base. The bare name of
// a program, or of a profile of the user's, stays one.
func resolvePath(name, path, base string, src Source) (string, error) {
	bare := !strings.ContainsAny(path, `/\`) && !strings.HasPrefix(path, "~") && path != "." && path != ".."
	switch {
	case bare && (name == "executable-path" || name == "profile"): // a profile of a browser of the user's
		return path, nil
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
		home, _ := src.Env(homeVariable())
		if home == "" {
			return "", errors.New("~ cannot be resolved, because " + homeVariable() + " is not set")
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	return filepath.Join(base, path), nil
}

func homeVariable() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}
