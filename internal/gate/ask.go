package gate

import (
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// Ask asks the person at the caller's terminal whether a call may run, and returns nil if they agree. ask is nil without a
// terminal; it returns the line that they type.
func Ask(c *verb.Call, ask func(question string) (string, error)) error {
	name := c.Verb.Name
	if ask == nil {
		return api.Errorf(api.ActionDenied, "Action '%s' denied: it needs a confirmation, and standard input is not a terminal", name).With("action", name)
	}
	answer, err := ask("Allow: " + plain.Line(c.String()) + " ? [y/N] ")
	if err != nil {
		return api.Errorf(api.ActionDenied, "Action '%s' denied: the answer could not be read: %w", name, err).With("action", name)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return api.Errorf(api.ActionDenied, "Action '%s' denied: the person did not allow it", name).With("action", name)
}
