package session

import (
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/session/launch"
	"github.com/usher-browser/usher/internal/session/options"
)

// attaches reports whether the settings name a running browser.
func attaches(set *config.Settings) bool {
	o := options.LaunchOf(set)
	return o.Attached()
}

// caller returns what package launch needs of a command.
func (s *Session) caller(cmd Command) launch.Caller {
	return launch.Caller{
		Session: s.name, FullName: s.key.String(), Settings: cmd.Settings, Env: cmd.Env, StateDir: s.reg.opts.StateDir, Version: s.reg.opts.Version,
	}
}

// checkLaunch compares the launch options of a command with those the browser runs with.
func (s *Session) checkLaunch(set *config.Settings) (warning string, err error) {
	s.mu.Lock()
	launched := s.launched
	s.mu.Unlock()
	return options.CheckLaunch(s.name, launched, set)
}
