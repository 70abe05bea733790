package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/localtest"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/verb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// request returns a command line given in an empty home, with the environment in env
// and no other.
func request(t *testing.T, env []string, argv ...string) (*api.Request, *verb.Call) {
	t.Helper()
	return localtest.Request(t, verb.NewTable(verb.Set{Verbs: []verb.Verb{Verb()}}), env, argv...)
}

// machine returns a doctor for a Linux machine whose system files are the given ones.
func machine(t *testing.T, files map[string]string, env []string, argv ...string) *doctor {
	t.Helper()
	req, call := request(t, env, append([]string{"doctor"}, argv...)...)
	d := newDoctor("1.2.3", req, call)
	d.goos, d.root = "linux", t.TempDir()
	for path, text := range files {
		localtest.WriteFile(t, filepath.Join(d.root, path), text, 0o644)
	}
	return d
}

// expect looks for one check with that id and status whose message and fix
// contain the words.
func (d *doctor) expect(t *testing.T, id string, status Status, words ...string) {
	t.Helper()
	for _, c := range d.checks {
		text := c.Message + "\n" + c.Fix
		if c.ID == id && c.Status == status && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			return
		}
	}
	t.Errorf("no check %q with status %s and the words %q in %+v", id, status, words, d.checks)
}

// realBrowser returns the Chromium of this machine; a test without one fails.
func realBrowser(t *testing.T) string {
	t.Helper()
	path, err := chrome.Find("")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// shortDir returns a directory whose sockets have short enough paths.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ul-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
