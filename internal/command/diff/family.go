// Package diff has the commands that compare pages: their outlines, and how they look.
package diff

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"diff snapshot":   run.Handle(diffSnapshot),
		"diff screenshot": run.Handle(diffScreenshot),
		"diff url":        run.Handle(diffURL),
	}}
}
