package session

import (
	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/session/options"
)

// mayHavePort returns an error if the command requests a debugging port under the site guard, or for a browser that usher
// does not launch.
func (s *Session) mayHavePort(cmd Command) error {
	if cmd.Settings.From("cdp-port") != config.Flags {
		return nil
	}
	o := options.LaunchOf(cmd.Settings)
	if err := portRefused(cmd, &o); err != nil {
		return err
	}
	if o.Attached() {
		return api.Errorf(api.InvalidArgument, "--cdp-port is for browsers that usher launches; --cdp and --auto-connect use a running one").
			WithHint("Omit --cdp-port: `get cdp-url` prints the address of an attached browser.")
	}
	return nil
}

// portRefused returns an error if a caller under the site guard would launch a browser with a debugging port: a page
// could find the port, and through it read everything that the guard blocks.
func portRefused(cmd Command, o *options.Launch) error {
	if o.Attached() || !o.Traits().DebugPort || !guardOn(guardSettings(cmd)) {
		return nil
	}
	from := cmd.Settings.Value("cdp-port")
	if o.Browser.DebugPort == "" {
		from = cmd.Settings.Value("args")
	}
	return api.Errorf(api.GuardRefused, "%s asks for a debugging port, which gives access to all pages and cookies without the site guard; nothing was started", from.Where).
		WithHint("Omit the port, or start the session without --site-guard in your own shell.")
}
