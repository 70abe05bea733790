// Package state has the commands about what pages store: cookies, local and session storage, and files of both that
// can be loaded again.
package state

import "github.com/usher-browser/usher/internal/command/run"

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"cookies get":     run.Handle(cookiesGet),
		"cookies set":     run.Handle(cookiesSet),
		"cookies delete":  run.Handle(cookiesDelete),
		"cookies clear":   run.Handle(cookiesClear),
		"storage local":   run.Handle(storageOf(local)),
		"storage session": run.Handle(storageOf(session)),
		"state save":      run.Handle(save),
		"state load":      run.Handle(load),
		"state list":      run.Handle(list),
		"state show":      run.Handle(show),
		"state rename":    run.Handle(rename),
		"state clear":     run.Handle(clear),
		"state clean":     run.Handle(clean),
	}}
}
