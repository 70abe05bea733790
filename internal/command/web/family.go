// Package web reaches the web without a browser.
package web

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Run: map[string]run.Func{
		"web search": searchWeb, "web extract": extractWeb,
	}}
}
