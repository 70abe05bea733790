// Package network tells what pages log and request, and what happens in the browser.
package network

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Run: map[string]run.Func{
		"console":          console,
		"errors":           pageErrors,
		"network requests": requests,
		"network request":  request,
		"events":           events,
	}}
}
