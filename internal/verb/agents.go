package verb

import (
	"slices"

	"github.com/usher-browser/usher/internal/api"
)

// harmless are global flags that agents may give under the site guard, besides those that a project's file may set. Flags that restrict
// the session are not among them: another value replaces the person's, and may be looser.
var harmless = []string{"session", "namespace", "json", "timeout", "on-dialog", "strict", "enable"}

// RefusedToAgents returns an error for a command or a global flag with which an agent could loosen what protects the person, or start a
// program; nil if agents may use it. The criterion is that of project files, which others may have written. Allowed are global flags
// that agents may give besides.
func (c *Call) RefusedToAgents(allowed ...string) error {
	switch v := c.Verb; {
	case v.Name == "confirm":
		return api.Errorf(api.GuardRefused, "confirm: a person confirms commands, not the agent that gave them. Nothing was done")
	case v.Name == "close" && c.Bool("all"):
		return api.Errorf(api.GuardRefused, "close --all: agents cannot end the sessions of the person and of other agents. Nothing was done").
			WithHint("close ends your own session.")
	case v.Category == CatPlugin, v.Name == "run" && c.Has("file") && c.Str("file") != "-":
		return api.Errorf(api.GuardRefused, "%s: agents cannot use it. Nothing was done", v.Name)
	}
	for _, name := range c.Globals.Names() {
		f := GlobalFlag(name)
		if f.ProjectMaySet || slices.Contains(harmless, name) || slices.Contains(allowed, name) {
			continue
		}
		return api.Errorf(api.GuardRefused, "--%s: agents cannot set this flag. Nothing was done", name).
			WithHint("The person can give it when the server starts: `usher mcp --%s ...`.", name)
	}
	return nil
}
