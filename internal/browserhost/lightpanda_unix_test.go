//go:build unix

package browserhost

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// TestLightpanda runs a program of that name that takes its arguments, and serves CDP with Chromium. Versions without
// --timeout exit because of it.
func TestLightpanda(t *testing.T) {
	t.Parallel()
	for _, old := range []bool{false, true} {
		dir := t.TempDir()
		script := fmt.Sprintf("#!/bin/sh\n[ \"$1 $2 $3 $4\" = 'serve --host 127.0.0.1 --port' ] || exit 9\n[ -n \"$6\" ] && %v && { echo unknown option $6 >&2; exit 1; }\nexec %q --remote-debugging-port=$5 --user-data-dir=%q %s about:blank\n",
			old, cdptest.Chromium(t), dir, strings.Join(cdptest.Arguments(), " "))
		path := filepath.Join(dir, "lightpanda")
		if err := os.WriteFile(path, []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
		o := Options{Engine: Lightpanda}
		o.Executable = path
		b := connect(t, o)
		if b.Process().PID == 0 || b.Process().Product != "lightpanda" || !strings.HasPrefix(b.Address(), "ws://127.0.0.1:") {
			t.Errorf("%+v at %s", b.Process(), b.Address())
		}
		if err := b.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if _, ended := b.Exit(cdptest.Timeout); !ended {
			t.Error("it runs on after Close")
		}
	}
}

// TestLightpandaIsMissing: the error says where the program is to be had; one that is none shows what it said.
func TestLightpandaIsMissing(t *testing.T) {
	t.Parallel()
	o := Options{Engine: Lightpanda}
	o.Executable = filepath.Join(t.TempDir(), "lightpanda")
	_, err := New(o).Connect(t.Context())
	if api.CodeOf(err) != api.BrowserNotFound || !strings.Contains(err.Error(), "https://lightpanda.io/") || !strings.Contains(err.Error(), "--executable-path") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(o.Executable, []byte("#!/bin/sh\necho out of order\nexit 4\n"), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	_, err = New(o).Connect(t.Context())
	if api.CodeOf(err) != api.LaunchFailed || !strings.Contains(err.Error(), "exited with code 4 before it served CDP") || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("%v", err)
	}
}
