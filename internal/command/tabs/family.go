// Package tabs lists, opens, switches and closes tabs.
package tabs

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Run: map[string]run.Func{
		"tab list":      tabList,
		"tab new":       tabNew,
		"tab switch":    tabSwitch,
		"tab close":     tabClose,
		"tab interrupt": tabInterrupt,
		"window new":    windowNew,
	}}
}
