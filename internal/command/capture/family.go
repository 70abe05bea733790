// Package capture has the commands that save a page as a file: screenshots and PDF.
package capture

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"screenshot": run.Handle(screenshot),
		"pdf":        run.Handle(pdf),
		"highlight":  run.Handle(highlight),
	}}
}
