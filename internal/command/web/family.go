// Package web reaches the web without a browser.
package web

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"web search":  run.Handle(searchWeb),
		"web extract": run.Handle(extractWeb),
	}}
}
