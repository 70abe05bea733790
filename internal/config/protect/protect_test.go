package protect

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// newHome returns a home with usher's directory, a project, and ways around.
func newHome(t *testing.T) (home, project string, p func(Extra) *Paths) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home = filepath.Join(top, "home")
	project = filepath.Join(home, "work", "project")
	state := filepath.Join(project, "state") // below an opened directory
	for _, dir := range []string{project, filepath.Join(state, "run"), filepath.Join(state, "artifacts"), filepath.Join(home, ".ssh"), filepath.Join(project, ".git", "hooks")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(state, "mcp-token"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string {
		return map[string]string{homeVariable(): home, "USHER_HOME": state}[name]
	}
	return home, project, func(x Extra) *Paths { return New(env, x) }
}

// TestWrite: what starts programs is refused under every spelling, and the files of a project are not.
func TestWrite(t *testing.T) {
	home, project, paths := newHome(t)
	link := func(to, name string) string {
		t.Helper()
		at := filepath.Join(project, name)
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, file := range []string{"bare/HEAD", "bare/objects/x", "split/commondir", "plugin.py"} {
		at := filepath.Join(project, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	p := paths(Extra{Files: []string{filepath.Join(project, "plugin.py")}, Opened: []string{project}})
	state := filepath.Join(project, "state")
	refused := []string{
		filepath.Join(state, "config.yaml"), state, filepath.Join(state, "trust", "x.agreed"), filepath.Join(state, "cache", "chrome"), filepath.Join(state, "namespaces", "n", "x"),
		filepath.Join(project, "src", "..", "state", "mcp-token"), filepath.Join(link(state, "link"), "config.yaml"), link(filepath.Join(state, "config.yaml"), "dangling"),
		filepath.Join(link(filepath.Join(home, ".config"), "not-there-yet"), "autostart", "x"), filepath.Join(home, ".bashrc"), filepath.Join(home, ".config", "autostart", "x.desktop"),
		filepath.Join(home, ".new-thing"), filepath.Join(home, ".SSH", "authorized_keys"), filepath.Join(home, ".local", "bin", "x"), filepath.Join(home, "bin", "ls"),
		filepath.Join(home, ".config", "worktrees", "a", "b"), filepath.Join(project, ".git", "worktrees", "a", "config.worktree"),
		filepath.Join(project, ".git", "hooks", "pre-commit"), filepath.Join(project, ".GIT", "config"), filepath.Join(project, "sub", ".git"), filepath.Join(project, ".git.", "config"),
		filepath.Join(project, ".g\u200cit", "config"), filepath.Join(project, ".git::$INDEX_ALLOCATION", "config"), filepath.Join(project, "GIT~1", "config"),
		filepath.Join(project, ".mcp.json"), filepath.Join(project, ".vscode", "tasks.json"), filepath.Join(project, ".envrc"), filepath.Join(project, "a.code-workspace"), filepath.Join(project, ".npmrc"),
		filepath.Join(project, "usher.yaml"), filepath.Join(project, "sub", "USHER.yaml"), filepath.Join(project, "agent-browser.json"), filepath.Join(home, ".agent-browser", "config.json"),
		filepath.Join(project, "bare", "refs", "heads"), filepath.Join(project, "split", "HEAD"), filepath.Join(project, "plugin.py"),
	}
	if runtime.GOOS != "windows" {
		refused = append(refused, "/home/somebody/.profile", "/root/.ssh/authorized_keys", "/etc/cron.d/x", "/usr/local/bin/x", "/proc/self/mem")
	}
	for _, path := range refused {
		var bad *Refused
		if err := p.Write(path); !errors.As(err, &bad) {
			t.Errorf("%s may be written: %v", path, err)
		}
	}
	for _, path := range []string{
		filepath.Join(project, "a.txt"), filepath.Join(project, "new", "dir", "b.go"), filepath.Join(project, ".gitignore"), filepath.Join(project, ".github", "workflows", "x.yml"),
		filepath.Join(project, ".gitattributes"), filepath.Join(project, ".env.example"), filepath.Join(project, ".editorconfig"), filepath.Join(home, "Documents", "x"),
		filepath.Join(project, "state", "artifacts", "x.png"), filepath.Join(project, "objects", "x"), filepath.Join(project, "bare", "config.json"),
		filepath.Join(project, ".claude", "worktrees", "one", "main.go"), filepath.Join(home, ".cursor", "worktrees", "repo", "one", "main.go"), filepath.Join(project, "plugin.txt"),
	} {
		if err := p.Write(path); err != nil {
			t.Errorf("%s may not be written: %v", path, err)
		}
	}
	if err := p.Write(filepath.Join(project, ".claude", "worktrees", "one", ".claude", "settings.json")); err == nil {
		t.Error("what is in a checkout may start programs")
	}
}

// TestRead: what usher keeps to itself is read by no name, and what is hidden in a home where that was opened itself.
func TestRead(t *testing.T) {
	home, project, paths := newHome(t)
	token := filepath.Join(project, "state", "mcp-token")
	hard := filepath.Join(project, "innocent.txt")
	if err := os.Link(token, hard); err != nil {
		t.Fatal(err)
	}
	both := filepath.Join(project, "both.txt")
	if err := errors.Join(os.WriteFile(both, nil, 0o600), os.Link(both, filepath.Join(project, "other.txt"))); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(home, ".ssh", "id")
	p := paths(Extra{Opened: []string{home}})
	for _, path := range []string{token, hard, key, filepath.Join(project, "state", "run", "daemon.log")} {
		if err := p.Read(path); err == nil {
			t.Errorf("%s may be read", path)
		}
	}
	for _, path := range []string{filepath.Join(project, ".git", "config"), filepath.Join(project, "usher.yaml"), filepath.Join(project, "state", "artifacts", "x"), both} {
		if err := p.Read(path); err != nil {
			t.Errorf("%s may not be read: %v", path, err)
		}
	}
	opened := paths(Extra{Opened: []string{filepath.Join(home, ".ssh")}})
	if err := opened.Read(key); err != nil {
		t.Errorf("what was opened by name: %v", err)
	}
	if err := opened.Write(key); err == nil {
		t.Error("what was opened by name is written, although it starts programs")
	}
}
