// Package read reads from pages: outlines, text, values, scripts.
package read

import (
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

// Family is its commands.
func Family() run.Family {
	return run.Family{Grammar: verb.Join(grammar(), grammarSnapshot()), Run: map[string]run.Func{
		"get title":   getTitle,
		"get url":     getURL,
		"get cdp-url": getCDPURL,
		"get text":    textOf((*element.Actor).Text, "text"),
		"get html":    textOf((*element.Actor).HTML, "html"),
		"get value":   getValue,
		"get attr":    getAttr,
		"get count":   getCount,
		"get box":     getBox,
		"get styles":  getStyles,
		"is visible":  is("visible", func(s element.Status) bool { return s.Visible }),
		"is enabled":  is("enabled", func(s element.Status) bool { return s.Enabled }),
		"is checked":  is("checked", func(s element.Status) bool { return s.Checked == "true" }),
		"eval":        eval,
		"snapshot":    snapshot,
	}}
}
