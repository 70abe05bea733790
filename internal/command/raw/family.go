// Package raw has the command that sends raw CDP calls.
package raw

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"cdp": run.Handle(call),
	}}
}
