// Package network tells what pages log and request, and what happens in the browser.
package network

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"console":          run.Handle(console),
		"errors":           run.Handle(pageErrors),
		"network requests": run.Handle(requests),
		"network request":  run.Handle(request),
		"events":           run.Handle(events),
	}}
}
