package skills

import (
	"strings"
	"testing"
)

// TestPlaybookIsOneSource: the skill core has the list of the playbook, word for word.
func TestPlaybookIsOneSource(t *testing.T) {
	all, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(Playbook(), "\n\n")
	for _, s := range all {
		if s.Name == "core" && !strings.Contains(s.Content, strings.TrimSpace(list)) {
			t.Errorf("the skill core does not have the list of playbook.md; copy it to the section \"As a tool\":\n%s", list)
		}
	}
}
