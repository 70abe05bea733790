package program_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/skills"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// TestPlaybookParses: every command that the playbook of agent_browser mentions is one that the table accepts.
func TestPlaybookParses(t *testing.T) {
	t.Parallel()
	seen := 0
	parse := func(words []string) {
		t.Helper()
		seen++
		if _, err := program.Table().Parse(words, verb.Usher); err != nil {
			t.Errorf("%q: %v", words, err)
		}
	}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(skills.Playbook(), -1) {
		words, err := shell.Split(m[1])
		if err != nil {
			t.Fatal(err)
		}
		parse(words)
	}
	for _, m := range regexp.MustCompile(`\{"args":(\[[^\]]*\])(?:,"stdin":("(?:[^"\\]|\\.)*"))?`).FindAllStringSubmatch(skills.Playbook(), -1) {
		var words []string
		if err := json.Unmarshal([]byte(m[1]), &words); err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		parse(words)
		if m[2] == "" {
			continue
		}
		var stdin string
		var rows [][]string
		if err := json.Unmarshal([]byte(m[2]), &stdin); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(stdin), &rows); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			parse(row)
		}
	}
	if seen < 15 || !strings.Contains(skills.ToolDescription(), "snapshot") {
		t.Errorf("%d commands are mentioned", seen)
	}
}
