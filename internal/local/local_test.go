package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/localtest"
	"github.com/usher-browser/usher/internal/verb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// request returns a command line given in an empty home, with the environment in env
// and no other.
func request(t *testing.T, env []string, argv ...string) (*api.Request, *verb.Call) {
	t.Helper()
	return localtest.Request(t, verb.NewTable(Grammar(), verb.Set{Families: []verb.Family{{Name: "session", Bare: "session"}}}), env, argv...)
}

func TestSessionID(t *testing.T) {
	t.Parallel()
	repository := t.TempDir()
	localtest.WriteFile(t, filepath.Join(repository, ".git", "HEAD"), "", 0o644)
	below := filepath.Join(repository, "a", "b")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, scope := range []string{"cwd", "git-root", "worktree"} {
		req, call := request(t, nil, "session", "id", "--scope", scope, "--prefix", "shop")
		req.Cwd = below
		out, err := sessionID(req, call)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.Text, "shop-") || len(out.Text) != len("shop-")+12 {
			t.Errorf("%s: %q is not the prefix and 12 digits", scope, out.Text)
		}
		ids[scope] = out.Text
	}
	req, call := request(t, nil, "session", "id", "--prefix", "an app/größe 2")
	if out, err := sessionID(req, call); err != nil || !strings.HasPrefix(out.Text, "an-app-größe-2-") {
		t.Errorf("a prefix that no name can have: %q, %v", out.Text, err)
	}
	if ids["git-root"] != ids["worktree"] || ids["cwd"] == ids["git-root"] {
		t.Errorf("the whole repository should share a name, and a directory have its own: %v", ids)
	}
}

func TestSessionName(t *testing.T) {
	t.Parallel()
	req, call := request(t, []string{"USHER_SESSION=from-environment"}, "session")
	if out, err := sessionName(req, call); err != nil || out.Text != "from-environment" {
		t.Errorf("%q, %v", out.Text, err)
	}
	req, call = request(t, nil, "session", "--config", "missing.yaml")
	_, err := sessionName(req, call)
	if code := api.CodeOf(err); code != api.InvalidConfig {
		t.Errorf("a missing configuration file is %s: %v", code, err)
	}
}
