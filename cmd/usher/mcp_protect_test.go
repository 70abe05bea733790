package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAgentsWriteNoConfiguration: whatever is opened to an agent, its tools neither write what starts programs nor read what
// usher keeps to itself; a project's own files they write.
func TestAgentsWriteNoConfiguration(t *testing.T) {
	marks := t.TempDir()
	options := &mcp.ClientOptions{}
	a, shell := connectAgent(t, options, "--toolsets", "browser,file,vision")
	home := filepath.Dir(a.home) // of the person
	project := filepath.Join(home, "project")
	for _, dir := range []string{filepath.Join(project, ".git", "hooks"), filepath.Join(home, ".config")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// A second agent, to which its client opened the whole home, and the file system.
	client := newClient(t, "test", options)
	//nolint:staticcheck // clients still tell their roots
	client.AddRoots(&mcp.Root{URI: "file://" + home}, &mcp.Root{URI: "file:///"})
	wide := agent{ClientSession: connectTo(t, client, a, "--toolsets", "browser,file,vision"), t: t}
	shell("mcp", "http")
	shell("open", "about:blank")
	if err := os.Symlink(a.home, filepath.Join(project, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(a.home, "mcp-token"), filepath.Join(project, "innocent.txt")); err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(filepath.Join(a.home, "mcp-token"))
	if err != nil {
		t.Fatal(err)
	}
	const evil = "plugins: {evil: {command: /bin/sh, args: [-c, 'touch MARK']}}"
	for _, path := range []string{
		filepath.Join(a.home, "config.yaml"), filepath.Join(project, "link", "config.yaml"), filepath.Join(project, "..", "u", "config.yaml"), filepath.Join(a.home, "trust", "x.agreed"),
		filepath.Join(home, ".bashrc"), filepath.Join(home, ".config", "autostart", "x.desktop"), filepath.Join(project, ".git", "hooks", "pre-commit"),
		filepath.Join(project, ".mcp.json"), filepath.Join(project, "usher.yaml"),
	} {
		text := strings.ReplaceAll(evil, "MARK", filepath.Join(marks, "started"))
		if got := wide.call("write_file", map[string]any{"path": path, "content": text}); got["code"] != "file_protected" {
			t.Errorf("write_file %s: %v", path, got)
		}
		// The same by a command under the guard that saves files.
		for _, words := range [][]string{{"screenshot", path}, {"pdf", path}, {"download", "a", path}} {
			out := a.fails(t, append([]string{"--site-guard", "--json"}, words...)...)
			if !strings.Contains(out, "file_protected") {
				t.Errorf("%v: %s", words, out)
			}
		}
		for _, flag := range []string{"--record=", "--download-path="} {
			if out := a.fails(t, "--site-guard", "--json", "--session", "new", flag+path, "open", "about:blank"); !strings.Contains(out, "file_protected") {
				t.Errorf("%s%s: %s", flag, path, out)
			}
		}
	}
	if got := wide.call("patch", map[string]any{"path": filepath.Join(a.home, "mcp-token"), "old_string": "A", "new_string": "B"}); got["code"] != "file_protected" {
		t.Errorf("patch: %v", got)
	}
	for _, path := range []string{filepath.Join(a.home, "mcp-token"), filepath.Join(project, "link", "mcp-token"), filepath.Join(project, "innocent.txt"), "/proc/self/environ"} {
		for name, args := range map[string]map[string]any{"read_file": {"path": path}, "vision_analyze": {"image_path": path, "question": "?"}} {
			if got := wide.call(name, args); got["code"] != "file_protected" {
				t.Errorf("%s %s: %v", name, path, got)
			}
		}
	}
	found := wide.must("search_files", map[string]any{"pattern": strings.TrimSpace(string(token)), "path": home})
	if matches, _ := found["matches"].([]any); len(matches) != 0 {
		t.Errorf("the token is found: %v", found)
	}
	for _, name := range []string{"a.txt", ".gitignore", ".github/workflows/x.yml", "src/new/b.go"} {
		wide.must("write_file", map[string]any{"path": filepath.Join(project, name), "content": "x"})
	}
	if left, err := os.ReadDir(marks); err != nil || len(left) > 0 {
		t.Errorf("a program was started: %v, %v", left, err)
	}
	shell("daemon", "stop")
}

// connectTo starts another server in the home of an agent for a client of its own.
func connectTo(t *testing.T, client *mcp.Client, a agent, args ...string) *mcp.ClientSession {
	t.Helper()
	server := a.command(append([]string{"--session", "shared", "mcp"}, args...)...)
	server.Stderr, server.Dir = os.Stderr, a.dir
	session, err := client.Connect(context.WithoutCancel(t.Context()), &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // its server may have ended with the home
	return session
}
