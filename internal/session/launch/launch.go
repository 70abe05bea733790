// Package launch completes the options of a browser that a session is to get with what comes from elsewhere: the caller's
// display and profiles, plugins, and services that rent browsers.
package launch

import (
	"context"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/session/options"
)

// Caller is the command that may launch a browser, and its session.
type Caller struct {
	Session  string // the session's name
	FullName string // the name with its namespace
	Settings *config.Settings
	Env      func(name string) (string, bool) // the caller's environment
	StateDir string                           // the directory of the sessions' files
	Version  string                           // of this program
}

// Complete adds to the options of a browser that is to be launched, attached or rented: the display, what renting needs, a
// copy of a profile of the user's, and what plugins add. The warning names sessions at providers that it stopped because
// no daemon used them, and what a browser that usher does not launch cannot have.
func (c Caller) Complete(ctx context.Context, o *options.Launch) (warning string, err error) {
	o.Browser.Display = c.display()
	warning = c.rents(ctx, o)
	if o.Browser.Broker != nil {
		c.broker(o)
	}
	if !o.Launches() {
		if len(o.Browser.Extensions) > 0 {
			warning = api.JoinWarnings(warning, "extensions are not loaded into a browser that usher did not launch")
		}
		return warning, nil
	}
	if o.Profile != "" {
		if o.Browser.Copy, err = browserhost.FindProfile(ctx, c.Env, o.Profile, o.Browser.Executable); err != nil {
			return "", err
		}
	}
	return warning, c.mutate(ctx, o)
}

// display returns the variables of the caller's display for a headed browser, because the daemon may have been started
// with another display, or none. It is nil for a headless browser.
func (c Caller) display() []string {
	if !c.Settings.Bool("headed") {
		return nil
	}
	return browserhost.Display(c.Env)
}
