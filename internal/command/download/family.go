// Package download saves what pages offer for download.
package download

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"download":  run.Handle(download),
		"downloads": run.Handle(listDownloads),
	}}
}
