package mcp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstallKeepsFile(t *testing.T) {
	servers := &clientConfig{path: "x.json", key: "mcpServers"}
	for name, c := range map[string]struct{ before, after string }{
		"no file": {"", `{
  "mcpServers": {
    "usher": {"command": "/bin/usher", "args": ["mcp"]}
  }
}
`},
		"other settings": {`{
	"theme": "dark",
	"big": 12345678901234567890
}
`, `{
	"theme": "dark",
	"big": 12345678901234567890,
	"mcpServers": {
		"usher": {"command": "/bin/usher", "args": ["mcp"]}
	}
}
`},
		"another server, with comments": {`// mine
{
  "mcpServers": {
    // the other
    "other": {"command": "x"},
  },
}
`, `// mine
{
  "mcpServers": {
    // the other
    "other": {"command": "x"},
    "usher": {"command": "/bin/usher", "args": ["mcp"]}
  },
}
`},
		"an older entry": {`{
  "mcpServers": {
    "usher": {"command": "old", "env": {"A": "1"}},
    "z": {}
  }
}
`, `{
  "mcpServers": {
    "usher": {"command": "/bin/usher", "args": ["mcp"]},
    "z": {}
  }
}
`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := servers.withEntry([]byte(c.before), "/bin/usher", []string{"mcp"})
			if err != nil || string(got) != c.after {
				t.Errorf("%v\n%s\nwant\n%s", err, got, c.after)
			}
			if !strings.Contains(c.before, "//") && !json.Valid(got) {
				t.Error("it was JSON before, and is none now")
			}
			again, err := servers.withEntry(got, "/bin/usher", []string{"mcp"})
			if err != nil || string(again) != string(got) {
				t.Errorf("a second installation changed the file: %v\n%s", err, again)
			}
		})
	}
}

func TestInstallTOML(t *testing.T) {
	codex := &clientConfig{path: "config.toml", key: "mcp_servers", toml: true}
	before := "# mine\nmodel = \"o\"\n\n[mcp_servers.usher]\ncommand = \"old\"\nargs = [\n  \"a\",\n]\n\n[other]\na = 1\n"
	want := "# mine\nmodel = \"o\"\n\n[mcp_servers.usher]\ncommand = \"C:\\\\usher.exe\"\nargs = [\"mcp\"]\n\n[other]\na = 1\n"
	got, err := codex.withEntry([]byte(before), `C:\usher.exe`, []string{"mcp"})
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if again, err := codex.withEntry(got, `C:\usher.exe`, []string{"mcp"}); err != nil || string(again) != want {
		t.Errorf("a second installation changed the file: %v\n%s", err, again)
	}
}

// TestInstallInvalidFile: an invalid configuration file is refused and not changed.
func TestInstallInvalidFile(t *testing.T) {
	for _, c := range []struct {
		p    clientConfig
		file string
	}{
		{clientConfig{key: "mcpServers"}, "{"}, {clientConfig{key: "mcpServers"}, "[]"}, {clientConfig{key: "mcpServers"}, `{"mcpServers": 3}`},
		{clientConfig{key: "mcpServers"}, "\x00\x01"}, {clientConfig{key: "mcp_servers", toml: true}, "[mcp_servers"},
		{clientConfig{key: "mcp_servers", toml: true}, "mcp_servers = 3\n"},
	} {
		if got, err := c.p.withEntry([]byte(c.file), "x", nil); err == nil || !strings.Contains(err.Error(), "not changed") {
			t.Errorf("%q: %v, %q", c.file, err, got)
		}
	}
}

func TestConfigPaths(t *testing.T) {
	s := system{"linux", "/h", "/p", func(string) string { return "" }}
	for client, want := range map[string]string{"claude": "/h/.claude.json", "vscode": "/h/.config/Code/User/mcp.json", "codex": "/h/.codex/config.toml"} {
		if p, err := s.configOf(client, false); err != nil || filepath.ToSlash(p.path) != want {
			t.Errorf("%s: %v, %v", client, p.path, err)
		}
	}
	if p, err := s.configOf("vscode", true); err != nil || filepath.ToSlash(p.path) != "/p/.vscode/mcp.json" {
		t.Errorf("vscode in a project: %v, %v", p.path, err)
	}
	for client, project := range map[string]bool{"": false, "nobody": false, "windsurf": true} {
		if p, err := s.configOf(client, project); err == nil {
			t.Errorf("%s: %v", client, p)
		}
	}
}
