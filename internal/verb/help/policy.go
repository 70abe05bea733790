package help

import (
	"strings"

	"github.com/usher-browser/usher/internal/verb"
)

// policies returns the help about policies, with the commands of each category.
func policies(t *verb.Table) string {
	var b strings.Builder
	b.WriteString(`The file of --action-policy says which commands may run:

  {"default": "allow", "deny": ["eval"], "confirm": ["download", "get html"]}

default is allow, deny or confirm. The lists have categories, commands, first words of commands (tab), or the action
names of agent-browser's protocol (evaluate). deny applies before confirm, confirm before allow, and default to what no
list has. --confirm-actions adds names to confirm. A mistake in the file is an error; if the file becomes invalid later,
its last valid version stays in force. The commands of session and tool are never refused, nor is open without an address;
but a list that names set, one of its commands, connect or app launch applies to those. connect counts as state load, too,
app launch and connect --app as eval, a11y, which quotes elements, as get html.

Categories:
`)
	for _, c := range verb.Categories() {
		b.WriteString("\n" + string(c.Category) + "\n")
		b.WriteString(wrapped(c.Doc, "  "))
		var names []string
		for i := range t.All() {
			if v := &t.All()[i]; v.Category == c.Category {
				names = append(names, v.Name)
			}
		}
		if names == nil {
			names = []string{"no command yet"}
		}
		b.WriteString(wrapped(strings.Join(names, ", "), "  "))
	}
	return b.String()
}
