// Package frames lists and chooses frames.
package frames

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"frame switch": run.Handle(switchFrame),
		"frame list":   run.Handle(listFrames),
	}}
}
