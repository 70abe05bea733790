// Package debug has the commands that measure and examine pages: traces, web vitals, accessibility.
package debug

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"a11y":           run.Handle(a11y),
		"inspect":        run.Handle(inspect),
		"vitals":         run.Handle(vitals),
		"trace start":    run.Handle(traceStart),
		"trace stop":     run.Handle(traceStop),
		"profiler start": run.Handle(profilerStart),
		"profiler stop":  run.Handle(profilerStop),
	}}
}
