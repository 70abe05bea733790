package skills

import (
	_ "embed"
	"strings"
)

//go:embed playbook.md
var playbook string

// ToolDescription returns the description of the tool agent_browser: the first paragraph of the [Playbook].
func ToolDescription() string {
	first, _, _ := strings.Cut(playbook, "\n\n")
	return first
}

// Playbook returns how the tool agent_browser is used. The MCP prompt of that name has it, and the skill core has its list.
func Playbook() string { return strings.TrimSpace(playbook) }
