package run

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/config/protect"
)

// Path resolves a path against the caller's directory.
func (e *Env) Path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(e.Cwd, p)
}

// Written returns the path of a saved file for the result: under agent-browser's name the path as the caller wrote it.
func (e *Env) Written(path, written string) string {
	if e.Settings.Compatible && !IsDirectory(written, path) {
		return written
	}
	return path
}

// ProtectedFiles returns the files that agents must not read or write.
func (e *Env) ProtectedFiles() *protect.Paths {
	if e.protected == nil {
		e.protected = protect.New(func(name string) string { v, _ := e.getenv(name); return v }, e.Protected)
	}
	return e.protected
}

// LookupEnv returns a variable of the caller's environment.
func (e *Env) LookupEnv(name string) (string, bool) { return e.getenv(name) }

func (e *Env) getenv(name string) (string, bool) {
	if e.Getenv == nil {
		return "", false
	}
	return e.Getenv(name)
}

// MaySave checks whether a verb may save a file at a path. It only refuses under the site guard, which marks the
// commands of an agent: a person may overwrite their own files.
func (e *Env) MaySave(doing, path string) error {
	if e.Sites == nil {
		return nil
	}
	if err := e.ProtectedFiles().Write(path); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// OwnDir creates a directory among the artifacts, for files without a path. Its mode is 0700.
func (e *Env) OwnDir(name string) (string, error) {
	dir := e.Path(filepath.Join(e.Settings.Artifacts, name))
	for _, d := range []string{filepath.Dir(dir), dir} { // the outer one closes all below it
		if err := dirs.MakePrivate(d); err != nil {
			return "", fmt.Errorf("make the directory for %s: %w", name, err)
		}
	}
	return dir, nil
}

// IsDirectory reports whether a path denotes a directory: it ends in a separator, or is an existing directory.
func IsDirectory(written, path string) bool {
	if os.IsPathSeparator(written[len(written)-1]) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
