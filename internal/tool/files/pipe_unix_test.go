//go:build unix

package files

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/tooltest"
	"github.com/usher-browser/usher/internal/tool"
)

// TestPipes: tools refuse or skip a named pipe below a root, and do not wait for a writer.
func TestPipes(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &tool.Host{Roots: []string{root}}
	for _, c := range []struct{ tool, args, want string }{
		{"read_file", `{"path":"pipe"}`, "read pipe: it is a named pipe, not a regular file"},
		{"patch", `{"path":"pipe","old_string":"a","new_string":"b"}`, "read pipe: it is a named pipe, not a regular file"},
		{"write_file", `{"path":"pipe","content":"x"}`, "pipe is not a file"},
		{"vision_analyze", `{"image_path":"pipe","question":"what"}`, "read pipe: it is a named pipe, not a regular file"},
		{"search_files", `{"pattern":"x"}`, `{"success":true,"matches":[],"truncated":false}`},
	} {
		if got := tooltest.Call(t, slices.Concat(Tools(), ImageTools()), h, c.tool, c.args); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: %s\nwant %s", c.tool, c.args, got, c.want)
		}
	}
}
