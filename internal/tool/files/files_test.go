package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/tooltest"
	"github.com/usher-browser/usher/internal/tool"
)

func TestFiles(t *testing.T) {
	h := tooltest.Host(t)
	root := h.Roots[0]
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(filepath.Dir(root), "secret")
	if err := os.WriteFile(outside, []byte("hidden"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "picture"), []byte("\x89PNG\r\n\x1a\n\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, args, want string }{
		{"write_file", `{"path":"sub/a.txt","content":"one\ntwo\nthree\n"}`, `{"success":true,"path":"sub/a.txt","bytes":14}`},
		{"read_file", `{"path":"sub/a.txt"}`, `{"success":true,"content":"one\ntwo\nthree\n","total_lines":3}`},
		{"read_file", `{"path":"sub/a.txt","offset":2,"limit":1}`, `{"success":true,"content":"two\n","total_lines":3,"next_offset":3}`},
		{"read_file", `{"path":"sub/a.txt","offset":9}`, `{"success":true,"content":"","total_lines":3}`},
		{"patch", `{"path":"sub/a.txt","old_string":"two","new_string":"2"}`, `{"success":true,"path":"sub/a.txt","replaced":1}`},
		{"patch", `{"path":"sub/a.txt","old_string":"e","new_string":"E"}`, "sub/a.txt contains that text 3 times"},
		{"patch", `{"path":"sub/a.txt","old_string":"e","new_string":"E","replace_all":true}`, `{"success":true,"path":"sub/a.txt","replaced":3}`},
		{"patch", `{"path":"sub/a.txt","old_string":"nine","new_string":""}`, "sub/a.txt does not contain that text"},
		{"search_files", `{"pattern":"^thr"}`, `{"success":true,"matches":[{"file":"sub/a.txt","line":3,"text":"thrEE"}],"truncated":false}`},
		{"search_files", `{"pattern":"*.txt","target":"files"}`, `{"success":true,"matches":[{"file":"sub/a.txt"}],"truncated":false}`},
		{"search_files", `{"pattern":"["}`, "pattern: error parsing regexp"},
		{"read_file", `{"path":"../secret"}`, "../secret is outside the directories this tool may use"},
		{"read_file", `{"path":` + string(tool.Encode(outside)) + `}`, outside + " is outside"},
		{"read_file", `{"path":"link"}`, "read link: "},
		{"write_file", `{"path":"../x","content":""}`, "../x is outside"},
		{"read_file", `{"path":"sub"}`, "read sub: it is a directory, not a regular file"},
		{"read_file", `{"path":"none"}`, "read none: "},
		{"read_file", `{"path":"picture"}`, "picture is not text"},
		{"write_file", `{"path":"sub","content":"x"}`, "sub is not a file"},
	} {
		if got := tooltest.Call(t, Tools(), h, c.tool, c.args); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: %s\nwant %s", c.tool, c.args, got, c.want)
		}
	}
	if raw, err := os.ReadFile(outside); err != nil || string(raw) != "hidden" {
		t.Errorf("the file outside the root is now %q, %v", raw, err)
	}
	if left, err := filepath.Glob(filepath.Join(root, "*", "*.usher-new")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestWriteThroughLink: writing to a link replaces its target and keeps the link. A link out of the root is refused.
func TestWriteThroughLink(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	for path, text := range map[string]string{filepath.Join(root, "real"): "hello", outside: "hello"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": "real", "out": outside} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	h := &tool.Host{Roots: []string{root}}
	tooltest.Call(t, Tools(), h, "patch", `{"path":"link","old_string":"hello","new_string":"HELLO"}`)
	info, err := os.Lstat(filepath.Join(root, "link"))
	if raw, readErr := os.ReadFile(filepath.Join(root, "real")); err != nil || readErr != nil || string(raw) != "HELLO" || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("real holds %q, the link is %v (%v, %v)", raw, info, err, readErr)
	}
	if got := tooltest.Call(t, Tools(), h, "write_file", `{"path":"out","content":"x"}`); !strings.Contains(got, "is a link out of") {
		t.Errorf("a link that leads out: %s", got)
	}
	if raw, err := os.ReadFile(outside); err != nil || string(raw) != "hello" {
		t.Errorf("outside holds %q, %v", raw, err)
	}
}

// TestSearchDeep: a search does not descend into directories that an agent has nested extremely deep.
func TestSearchDeep(t *testing.T) {
	root := t.TempDir()
	h := &tool.Host{Roots: []string{root}}
	tooltest.Call(t, Tools(), h, "write_file", `{"path":"`+strings.Repeat("a/", 1000)+`b","content":"x"}`)
	if got := tooltest.Call(t, Tools(), h, "search_files", `{"pattern":"x"}`); !strings.Contains(got, `"truncated":true`) {
		t.Errorf("truncated is not set: %.300s", got)
	}
}
