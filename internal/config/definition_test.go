package config

import (
	"strings"
	"testing"
)

// TestDefinition: whatever decides what is started, or who is told what, makes another definition; what does not, and how it
// is written, does not. Values of variables are no part of what people are shown.
func TestDefinition(t *testing.T) {
	const same = "mcp_servers: {x: {command: a, args: [b, c], env: {K: v}, cwd: /d}}"
	seen := map[string]string{}
	for _, text := range []string{
		same,
		"mcp_servers: {y: {command: a, args: [b, c], env: {K: v}, cwd: /d}}",
		"plugins: {x: {command: a, args: [b, c], env: {K: v}, cwd: /d}}",
		"mcp_servers: {x: {command: ab, args: [c], env: {K: v}, cwd: /d}}",
		"mcp_servers: {x: {command: a, args: [bc], env: {K: v}, cwd: /d}}",
		"mcp_servers: {x: {command: a, args: [b, c, d], env: {K: v}, cwd: /d}}",
		"mcp_servers: {x: {command: a, args: [b, c], env: {K: w}, cwd: /d}}",
		"mcp_servers: {x: {command: a, args: [b, c], env: {K: v, L: v}, cwd: /d}}",
		"mcp_servers: {x: {command: a, args: [b, c], env: {K: v}, cwd: /e}}",
		"mcp_servers: {x: {command: a, args: [b, c], env: {K: v}, cwd: /d, provides: {read_file: r}}}",
		"mcp_servers: {x: {url: 'http://a/', headers: {A: b}}}",
		"mcp_servers: {x: {url: 'http://a/', headers: {A: c}}}",
		"mcp_servers: {x: {url: 'http://b/', headers: {A: b}}}",
	} {
		d := defined(t, text).Digest
		if other := seen[d]; other != "" || len(d) != 64 {
			t.Errorf("%s has the digest of %s: %q", text, other, d)
		}
		seen[d] = text
	}
	for _, text := range []string{
		"# moved\n\n" + same,
		"mcp_servers:\n  x:\n    cwd: /d\n    args:\n      - b\n      - c\n    env:\n      K: v\n    command: a\n    timeout: 5\n    include: [z]\n",
	} {
		if seen[defined(t, text).Digest] == "" {
			t.Errorf("%s is another definition", text)
		}
	}
	var shown []string
	for _, w := range defined(t, "mcp_servers: {x: {command: a, args: ['${HOME}'], env: {K: hidden}}}").Written {
		shown = append(shown, w.Key+"="+strings.Join(w.Words, ","))
	}
	if got := strings.Join(shown, " "); got != "args=${HOME} command=a env=K" {
		t.Errorf("shown is %s", got)
	}
}

// defined returns what a text defines, as if all stood in one directory, which is part of a definition.
func defined(t *testing.T, text string) Server {
	t.Helper()
	root, bad := parseNode([]byte(text))
	if bad != nil {
		t.Fatal(bad)
	}
	kind := root.Content[0].Value
	s := Server{Name: root.Content[1].Content[0].Value}
	if bad := s.define(kind, "/home/x/config.yaml", root.Content[1].Content[1]); bad != nil {
		t.Fatal(bad)
	}
	return s
}
