// Package network has the commands that list console messages, errors, requests and events.
package network

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"console":          run.Handle(console),
		"errors":           run.Handle(pageErrors),
		"network requests": run.Handle(requests),
		"network request":  run.Handle(request),
		"network throttle": run.Handle(throttle),
		"events":           run.Handle(events),
	}}
}
