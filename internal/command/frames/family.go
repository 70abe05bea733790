// Package frames lists and chooses frames.
package frames

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Run: map[string]run.Func{
		"frame switch": frame, "frame list": listFrames,
	}}
}
