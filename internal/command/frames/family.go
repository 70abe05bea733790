// Package frames has the commands that list and choose frames.
package frames

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"frame switch": run.Handle(switchFrame),
		"frame list":   run.Handle(listFrames),
	}}
}
