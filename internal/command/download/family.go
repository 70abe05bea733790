// Package download has the commands that save downloads.
package download

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"download":  run.Handle(download),
		"downloads": run.Handle(listDownloads),
	}}
}
