// Package localtest makes command lines and files for tests of commands that run in the client's own process.
package localtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Request returns a command line of the table, given in an empty home, with the environment in env and no other.
func Request(t testing.TB, table *verb.Table, env []string, argv ...string) (*api.Request, *verb.Call) {
	t.Helper()
	call, err := table.Parse(argv, verb.Usher)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	req := &api.Request{
		Op: "run", Program: "usher", Argv: argv, Cwd: t.TempDir(), Build: "build-of-the-client",
		Env: append([]string{"HOME=" + home, "USHER_HOME=" + filepath.Join(home, ".usher")}, env...),
	}
	return req, call
}

// WriteFile writes a file of this mode, in a directory that it makes.
func WriteFile(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
