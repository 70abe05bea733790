// Package tabs has the commands that list, open, switch and close tabs.
package tabs

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"tab list":      run.Handle(tabList),
		"tab new":       run.Handle(tabNew),
		"tab switch":    run.Handle(tabSwitch),
		"tab close":     run.Handle(tabClose),
		"tab label":     run.Handle(tabLabel),
		"tab interrupt": run.Handle(tabInterrupt),
		"window new":    run.Handle(windowNew),
	}}
}
