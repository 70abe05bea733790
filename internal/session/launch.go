package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/verb"
)

// launchOptions are the options that are fixed when a browser starts.
type launchOptions struct {
	browser browserhost.Options
	isolate bool
	stealth bool
	record  string // the file to record into; empty for none
	stored  storedOptions
}

func launchOptionsOf(set *config.Settings) launchOptions {
	var o launchOptions
	for _, row := range options() {
		if row.launch != nil {
			row.launch(&o, row.in(set))
		}
	}
	o.isolate = o.isolate || o.traits().DebugPort // other sessions' pages could be read through it
	return o
}

func (o *launchOptions) traits() browserhost.Traits { return browserhost.New(o.browser).Traits() }

// attaches reports whether the settings name a running browser.
func attaches(set *config.Settings) bool {
	o := launchOptionsOf(set)
	return o.attached()
}

// launchWords returns the launch options in force, by name, for comparison.
func launchWords(set *config.Settings) map[string]string {
	words := map[string]string{}
	for _, v := range set.InScope(verb.AtLaunch) {
		words[v.Name] = strings.Join(v.Words, "\n")
	}
	return words
}

// displayOf returns the variables of the caller's display for a headed browser, because the daemon may have been started
// with another display, or none. It is nil for a headless browser.
func displayOf(cmd Command) []string {
	if !cmd.Settings.Bool("headed") {
		return nil
	}
	return browserhost.Display(cmd.Env)
}

// launchKey returns a key that is equal for sessions that may share a browser. Display is the result of displayOf.
func launchKey(set *config.Settings, display []string) string {
	words := launchWords(set)
	names := slices.Sorted(maps.Keys(words))
	parts := make([]string, 0, len(names)+len(display))
	for _, n := range names {
		if !ofState(n) { // sessions with other states can share a browser
			parts = append(parts, n+"="+words[n])
		}
	}
	return joinKey(append(parts, display...)...)
}

// checkLaunch compares the launch options of a command with those the browser runs with. A missing option means "keep".
// A flag with another value is an error, because only another browser could apply it; an environment variable or a
// configuration file is not specific to this command, so the browser is kept and the caller gets a warning.
func (s *Session) checkLaunch(set *config.Settings) (warning string, err error) {
	s.mu.Lock()
	launched := s.launched
	s.mu.Unlock()
	for _, v := range set.InScope(verb.AtLaunch) {
		want := strings.Join(v.Words, "\n")
		have, given := launched[v.Name]
		if given && have == want || !given && want == verb.GlobalFlag(v.Name).BuiltIn() {
			continue
		}
		if ofState(v.Name) {
			if v.From == config.Flags {
				return "", api.Errorf(api.LaunchConflict, "--%s takes effect when a session starts, and session %s has begun with %s", v.Name, s.name, describe(v.Name, have, given)).
					WithHint("Omit the flag to keep the page; or `close` first (the page is lost); or use `state load`, or another --session.")
			}
			warning = api.JoinWarnings(warning, "session "+s.name+" goes on with "+describe(v.Name, have, given)+": "+v.Where+" takes effect when a session starts")
			continue
		}
		if v.From == config.Flags {
			return "", api.Errorf(api.LaunchConflict, "--%s %s needs another browser than that of session %s (%s)",
				v.Name, strings.Join(v.Words, " "), s.name, describe(v.Name, have, given)).
				WithHint("Omit the flag to keep the page; or `close` first (the page is lost); or use another --session.")
		}
		warning = api.JoinWarnings(warning, "session "+s.name+" keeps its browser: "+v.Where+" asks for another --"+v.Name+" ("+describe(v.Name, have, given)+" is in force)")
	}
	return warning, nil
}

func describe(name, have string, given bool) string {
	if !given {
		if b := verb.GlobalFlag(name).BuiltIn(); b != "" {
			return name + " " + b
		}
		return "no " + name
	}
	return strings.TrimSuffix(name+" "+have, " ")
}
