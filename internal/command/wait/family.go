// Package wait waits for what pages do.
package wait

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"wait": run.Handle(wait),
	}}
}
