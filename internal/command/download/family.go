// Package download saves what pages offer for download.
package download

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Run: map[string]run.Func{
		"download": download, "downloads": listDownloads,
	}}
}
