// Package raw sends raw CDP calls.
package raw

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"cdp": run.Handle(call),
	}}
}
