// Package capture saves what a page looks like: screenshots and PDF.
package capture

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"screenshot": run.Handle(screenshot),
		"pdf":        run.Handle(pdf),
	}}
}
