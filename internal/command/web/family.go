// Package web has the commands that search and read the web without a browser, and `read`, which reads the page of the
// tab in the same way.
package web

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"read page":   run.Handle(readPage),
		"read url":    run.Handle(readURL),
		"web search":  run.Handle(searchWeb),
		"web extract": run.Handle(extractWeb),
	}}
}
