package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestCodegenEndsWithItsSession: a session that ends while it is recorded saves the script.
func TestCodegenEndsWithItsSession(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	path := filepath.Join(t.TempDir(), "script.sh")
	c.must(t, "open "+site.URL("/small"))
	c.must(t, "codegen start --output "+path)
	c.must(t, "press Tab")
	c.must(t, "close")
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "press 'Tab'") {
		t.Errorf("%s, %v", text, err)
	}
}
