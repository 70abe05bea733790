package verb_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/golden"
	. "github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// The README lists what scripts for agent-browser ask for in vain. What is there by now is taken off the list.
func TestReadmeListsWhatIsMissing(t *testing.T) {
	const path, begin, end = "../../README.md", "<!-- missing: written by go generate ./internal/verb -->\n", "<!-- end of missing -->"
	var rows strings.Builder
	var none []string
	rows.WriteString("| command | instead |\n|---|---|\n")
	for _, m := range MissingCommands() {
		if table.Find(m.Name) == nil && table.Family(m.Name) == nil {
			t.Errorf("%s is not in the table: it has to answer, and to say what there is in its place", m.Name)
		}
		if m.Instead == "" {
			none = append(none, "`"+m.Name+"`")
			continue
		}
		rows.WriteString("| `" + m.Name + "` | " + strings.ReplaceAll(m.Instead, "|", "\\|") + " |\n")
		for _, quoted := range regexp.MustCompile("`[^`]+`").FindAllString(m.Instead, -1) {
			if strings.HasPrefix(quoted, "`--") {
				if name, _, _ := strings.Cut(strings.Trim(quoted, "`-"), " "); !slices.ContainsFunc(GlobalFlags(), func(f Flag) bool { return f.Name == name }) {
					t.Errorf("%s: %s is no flag", m.Name, quoted)
				}
				continue
			}
			words, err := shell.Split(strings.NewReplacer("`", "", "<url>", "x.org", "<method>", "setTimezoneOverride").Replace(quoted))
			if err != nil {
				t.Fatal(err)
			}
			if table.Find(words[0]) == nil && table.Find(strings.Join(words[:min(2, len(words))], " ")) == nil && table.Family(words[0]) == nil {
				t.Errorf("%s: %s is no command either", m.Name, quoted)
			}
		}
	}
	var flags []string
	for _, name := range MissingFlags() {
		if slices.ContainsFunc(GlobalFlags(), func(f Flag) bool { return f.Name == name }) {
			t.Errorf("--%s is in the table; take it off the list of missing flags", name)
		}
		flags = append(flags, "`--"+name+"`")
	}
	substitutes := ""
	if len(none) > 0 {
		substitutes = "Without a substitute: " + strings.Join(none, ", ") + ". "
	}
	want := rows.String() + "\n" + substitutes + "Missing flags: " + strings.Join(flags, ", ") + ".\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the list of missing commands", path)
	}
	golden.Check(t, path, before+begin+want+end+after, "go generate ./internal/verb")
}
