// Package upload has the command that gives files to pages.
package upload

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{"upload": run.Handle(upload), "drop": run.Handle(drop)}}
}
