package config

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
)

// resolvePath makes a path absolute: ~ is the home directory of the caller, anything relative starts at base. The bare name of
// a program stays one, to be looked for in PATH.
func resolvePath(name, path, base string, src Source) (string, error) {
	bare := !strings.ContainsAny(path, `/\`) && !strings.HasPrefix(path, "~") && path != "." && path != ".."
	switch {
	case bare && name == "executable-path":
		return path, nil
	case bare && name == "profile":
		return "", errors.New("a profile is a directory, and " + path + " is a bare name; write ./" + path + " or an absolute path")
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
