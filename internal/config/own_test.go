package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/verb"
)

// TestUserOnlySettings: what gives agents everything is set by the user's own file and by nothing else.
func TestUserOnlySettings(t *testing.T) {
	const text = "security:\n  raw_cdp: unrestricted\n"
	for _, row := range []struct {
		name, file, variable string
		want                 string
	}{
		{"nobody", "", "", "restricted"},
		{"the user's file", "home/config.yaml", "", "unrestricted"},
		{"a project's file", "project/usher.yaml", "", "restricted"},
		{"a project's hidden file", "project/.usher.yaml", "", "restricted"},
		{"the environment", "", "USHER_RAW_CDP=unrestricted", "restricted"},
		{"a file named in the environment", "project/other.yaml", "USHER_CONFIG=other.yaml", "restricted"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, d := range []string{"home", "project"} {
				if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if row.file != "" {
				if err := os.WriteFile(filepath.Join(dir, row.file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := map[string]string{"HOME": dir, "USHER_HOME": filepath.Join(dir, "home")}
			if name, value, ok := strings.Cut(row.variable, "="); ok {
				env[name] = value
			}
			set, err := Load(Source{Mode: verb.Usher, Cwd: filepath.Join(dir, "project"), Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
			if err != nil {
				t.Fatal(err)
			}
			if got := set.Str("raw-cdp"); got != row.want {
				t.Errorf("raw-cdp is %s, wanted %s", got, row.want)
			}
			if told := strings.Contains(strings.Join(set.Warnings, "\n"), "raw_cdp"); told != (row.want == "restricted" && row.name != "nobody") {
				t.Errorf("warnings: %q", set.Warnings)
			}
		})
	}
	if _, err := commands().Parse([]string{"open", "example.com", "--raw-cdp", "unrestricted"}, verb.Usher); err == nil {
		t.Error("a command line sets it")
	}
}
