// Package wait has the command that waits for conditions of a page.
package wait

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"wait": run.Handle(wait),
	}}
}
