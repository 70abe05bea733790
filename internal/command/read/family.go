// Package read has the commands that read from pages: outlines, text, values, scripts.
package read

import (
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: verb.Join(grammar(), grammarSnapshot()), Handlers: map[string]run.Handler{
		"snapshot":         withRevisions(run.Handle(snapshot)),
		"get title":        run.Handle(getTitle),
		"get url":          run.Handle(getURL),
		"get cdp-url":      run.Handle(getCDPURL),
		"get text":         textOf(func(text, origin string) Text { return Text{text, origin} }, (*element.Actor).Text),
		"get html":         textOf(func(text, origin string) HTML { return HTML{text, origin} }, (*element.Actor).HTML),
		"get value":        run.Handle(getValue),
		"get attr":         run.Handle(getAttr),
		"get count":        run.Handle(getCount),
		"get box":          run.Handle(getBox),
		"get styles":       run.Handle(getStyles),
		"is visible":       is(func(yes bool, origin string) Visible { return Visible{yes, origin} }, func(s element.Status) bool { return s.Visible }),
		"is enabled":       is(func(yes bool, origin string) Enabled { return Enabled{yes, origin} }, func(s element.Status) bool { return s.Enabled }),
		"is checked":       is(func(yes bool, origin string) Checked { return Checked{yes, origin} }, func(s element.Status) bool { return s.Checked == "true" }),
		"eval":             run.Handle(eval),
		"pushstate":        run.Handle(pushState),
		"generate-locator": run.Handle(generateLocator),
	}}
}
