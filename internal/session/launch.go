package session

import (
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/session/options"
)

// attaches reports whether the settings name a running browser.
func attaches(set *config.Settings) bool {
	o := options.LaunchOf(set)
	return o.Attached()
}

// displayOf returns the variables of the caller's display for a headed browser, because the daemon may have been started
// with another display, or none. It is nil for a headless browser.
func displayOf(cmd Command) []string {
	if !cmd.Settings.Bool("headed") {
		return nil
	}
	return browserhost.Display(cmd.Env)
}

// checkLaunch compares the launch options of a command with those the browser runs with.
func (s *Session) checkLaunch(set *config.Settings) (warning string, err error) {
	s.mu.Lock()
	launched := s.launched
	s.mu.Unlock()
	return options.CheckLaunch(s.name, launched, set)
}
