// Package emulation has the commands that change the device that the pages of a session see. Each stands for global
// flags, which the session has applied before the command runs; the command reads the values back from the page.
package emulation

import (
	"github.com/usher-browser/usher/internal/command/run"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"device list":     run.Handle(listSimulators),
		"set viewport":    run.Handle(setViewport),
		"set device":      run.Handle(setDevice),
		"set devices":     run.Handle(listDevices),
		"set geo":         run.Handle(setGeolocation),
		"set offline":     run.Handle(setOffline),
		"set headers":     run.Handle(setHeaders),
		"set credentials": run.Handle(setCredentials),
		"set media":       run.Handle(setMedia),
		"set timezone":    run.Handle(setTimezone),
		"set locale":      run.Handle(setLocale),
		"set useragent":   run.Handle(setUserAgent),
		"set permissions": run.Handle(setPermissions),
	}}
}
