package session

import (
	"fmt"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/protect"
	"github.com/usher-browser/usher/internal/policy"
)

// protected returns files that agents must not touch, in addition to those of every user: files named by the daemon's
// environment and by the settings of the command. The environment of a command cannot replace the daemon's.
func (s *Session) protected(cmd Command) protect.Extra {
	x := protect.Extra{Own: []string{s.reg.opts.StateDir, s.reg.opts.RunDir}, Output: []string{cmd.Artifacts, s.ownDownloads()}}
	for _, set := range []*config.Settings{cmd.Settings, guardSettings(cmd)} {
		for _, name := range []string{"profile", "record", "config"} {
			x.Own = append(x.Own, set.List(name)...)
		}
		for _, name := range []string{"blocked-sites-file", "executable-path"} {
			x.Files = append(x.Files, set.List(name)...)
		}
	}
	if h, _ := s.browserContext(); h != nil && h.Options.Record != "" {
		x.Own = append(x.Own, h.Options.Record)
	}
	return x
}

// mayKeep checks, for a command under the site guard, the directories in which its flags store files.
func (s *Session) mayKeep(cmd Command, sites *policy.Sites) error {
	if sites == nil || !cmd.Settings.Given("record") && !cmd.Settings.Given("download-path") {
		return nil
	}
	x := s.protected(cmd)
	x.Own = []string{s.reg.opts.StateDir, s.reg.opts.RunDir} // a recording may be written to these directories
	paths := protect.New(func(name string) string { v, _ := cmd.Env(name); return v }, x)
	for _, name := range []string{"record", "download-path"} {
		for _, path := range cmd.Settings.List(name) {
			if err := paths.Write(path); err != nil {
				return fmt.Errorf("--%s: %w", name, err)
			}
		}
	}
	return nil
}
