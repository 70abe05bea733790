package options

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/proxy"
	"github.com/usher-browser/usher/internal/verb"
)

// Launch are the options that are fixed when a browser starts.
type Launch struct {
	Browser browserhost.Options
	Isolate bool // no other session may use the browser
	Stealth bool
	Record  string // the file to record into; empty for none
	// Filter is the proxy of a browser with allowed domains; nil without. Who starts the browser closes it.
	Filter *proxy.Filter
	Stored Stored
	// Profile is the name of a profile of the user's, of which the browser gets a copy; empty for none.
	Profile string
	// Mutated are the options that plugins added.
	Mutated Mutation
}

// LaunchOf returns the launch options in the settings.
func LaunchOf(set *config.Settings) Launch {
	var o Launch
	for _, row := range table() {
		if row.launch != nil {
			row.launch(&o, row.in(set))
		}
	}
	o.choose(set)
	o.Isolate = o.Isolate || o.Traits().DebugPort // other sessions' pages could be read through it
	return o
}

// setProfile sets the profile: a bare name is that of one of the user's, anything else a directory.
func (o *Launch) setProfile(name string) {
	if name != "" && filepath.Base(name) == name {
		o.Profile, o.Browser.Copy = name, &browserhost.UserProfile{}
		return
	}
	o.Browser.ProfileDir = name
}

// Traits returns what follows from the options for the browser.
func (o *Launch) Traits() browserhost.Traits { return browserhost.New(o.Browser).Traits() }

// Attached reports whether usher does not launch the browser and therefore does not end it.
func (o *Launch) Attached() bool { return o.Traits().Attached }

// Launches reports whether usher launches a Chromium on this machine.
func (o *Launch) Launches() bool {
	t := o.Traits()
	return !t.Attached && !t.Rented && (o.Browser.Engine == "" || o.Browser.Engine == "chrome")
}

// MayBeWatched reports whether a person may be looking at the browser. It is then not closed for being idle.
func (o *Launch) MayBeWatched() bool { return o.Attached() || o.Traits().Headed }

// LaunchWords returns the launch options in force, by name, for comparison.
func LaunchWords(set *config.Settings) map[string]string {
	words := map[string]string{}
	for _, v := range set.InScope(verb.AtLaunch) {
		words[v.Name] = strings.Join(v.Words, "\n")
	}
	return words
}

// LaunchKey returns a key that is equal for sessions that may share a browser. display are the variables of the display
// of a headed browser, added what plugins added.
func LaunchKey(set *config.Settings, display []string, added *Mutation) string {
	words := LaunchWords(set)
	names := slices.Sorted(maps.Keys(words))
	parts := make([]string, 0, len(names)+len(display))
	for _, n := range names {
		if !ofState(n) { // sessions with other states can share a browser
			parts = append(parts, n+"="+words[n])
		}
	}
	return joinKey(slices.Concat(parts, display, added.words())...)
}

// CheckLaunch compares the launch options of a command with those the browser of a session runs with, which LaunchWords
// returned. A missing option means "keep". A flag with another value is an error, because only another browser could
// apply it; an environment variable or a configuration file is not specific to this command, so the browser is kept and
// the caller gets a warning.
func CheckLaunch(session string, launched map[string]string, set *config.Settings) (warning string, err error) {
	for _, v := range set.InScope(verb.AtLaunch) {
		want := strings.Join(v.Words, "\n")
		have, given := launched[v.Name]
		if given && have == want || !given && want == verb.GlobalFlag(v.Name).BuiltIn() {
			continue
		}
		if ofState(v.Name) {
			if v.From == config.Flags {
				return "", api.Errorf(api.LaunchConflict, "--%s takes effect when a session starts, and session %s has begun with %s", v.Name, session, describe(v.Name, have, given)).
					WithHint("Omit the flag to keep the page; or `close` first (the page is lost); or use `state load`, or another --session.")
			}
			warning = api.JoinWarnings(warning, "session "+session+" goes on with "+describe(v.Name, have, given)+": "+v.Where+" takes effect when a session starts")
			continue
		}
		if v.From == config.Flags {
			if b := LaunchOf(set).Browser.Broker; v.Name == "provider" && b != nil {
				if err := findBroker(set, b.Name); err != nil {
					return "", err
				}
			}
			return "", api.Errorf(api.LaunchConflict, "%s needs another browser than that of session %s (%s)",
				strings.TrimSuffix(v.Where+" "+shown(v), " "), session, describe(v.Name, have, given)).
				WithHint("Omit the flag to keep the page; or `close` first (the page is lost); or use another --session.")
		}
		warning = api.JoinWarnings(warning, "session "+session+" keeps its browser: "+v.Where+" asks for another --"+v.Name+" ("+describe(v.Name, have, given)+" is in force)")
	}
	return warning, nil
}

// shown returns the value of an option for messages.
func shown(v config.Value) string {
	if verb.GlobalFlag(v.Name).Secret {
		return ""
	}
	return policy.Text(strings.Join(v.Words, " "))
}

func describe(name, have string, given bool) string {
	if given && verb.GlobalFlag(name).Secret {
		return "others"
	}
	if !given {
		if b := verb.GlobalFlag(name).BuiltIn(); b != "" {
			return name + " " + b
		}
		return "no " + name
	}
	return strings.TrimSuffix(name+" "+policy.Text(have), " ")
}
