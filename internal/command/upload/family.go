// Package upload gives files to pages.
package upload

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{"upload": run.Handle(upload)}}
}
