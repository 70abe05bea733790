package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPage keeps docs/security.md honest: each test and script that it names as a proof exists.
func TestSecurityPage(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, dir := range []string{".", filepath.Join("..", "cmd")} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case strings.HasSuffix(path, "_test.go"):
				text, err := os.ReadFile(path)
				code.Write(text)
				return err
			case strings.HasSuffix(path, ".txtar"):
				code.WriteString("\n" + d.Name() + "\n")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+|[a-z]+\\.txtar)`").FindAllStringSubmatch(string(raw), -1)
	if len(named) < 60 {
		t.Errorf("the page names %d proofs; is it still the one with the promises?", len(named))
	}
	for _, m := range named {
		if !strings.Contains(code.String(), "func "+m[1]+"(") && !strings.Contains(code.String(), "\n"+m[1]+"\n") {
			t.Errorf("docs/security.md names %s, which there is not", m[1])
		}
	}
}
