package options

import (
	"time"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/verb"
)

// LimitOf returns how long a command may take: the requested time, or its verb's default. agent-browser's variable for it
// bounds waits and page loads only: that tool's actions and readings do not wait for their elements, so scripts that set
// it expect an answer about a missing element long before.
func LimitOf(set *config.Settings, v *verb.Verb) (limit time.Duration, given bool) {
	waits := v.Category == verb.CatWait || v.Category == verb.CatNavigate || v.Is(verb.Starts)
	if set.Given("timeout") && (waits || !fromDefaultTimeout(set)) {
		return set.Dur("timeout"), true
	}
	switch v.Category {
	case verb.CatClick, verb.CatFill, verb.CatInteract, verb.CatScroll, verb.CatUpload, verb.CatGet, verb.CatSiteData:
		return ActionLimit, false
	}
	return DefaultLimit, false
}

// fromDefaultTimeout reports whether the time comes from AGENT_BROWSER_DEFAULT_TIMEOUT.
func fromDefaultTimeout(set *config.Settings) bool {
	return set.Value("timeout").Where == verb.AgentBrowser.EnvPrefix()+verb.GlobalFlag("timeout").Env
}

// The default limits of commands.
const (
	// DefaultLimit is for navigation, waiting and scripts (agent-browser's).
	DefaultLimit = 25 * time.Second
	// ActionLimit is for an action, including the wait until its element is actionable.
	ActionLimit = 5 * time.Second
)

// loadTimeout is how long verbs that wait for a page to load or change wait for one that does not answer at a stretch, if the
// caller gave no time: pages that load are busy. So do the commands of code, whose libraries know no busy page.
const loadTimeout = 10 * time.Second

// LimitWhileGoing returns how long a verb may take in a tab that is on its way to another page: until that comes, Chromium may let the
// present page answer nothing. Navigations, waits and scripts keep their time.
func LimitWhileGoing(env *run.Env, v *verb.Verb) time.Duration {
	switch v.Category {
	case verb.CatNavigate, verb.CatWait, verb.CatEval:
		return env.Limit
	}
	if env.Limited || env.Patient {
		return env.Limit
	}
	return min(env.Limit, loadTimeout)
}

// UnresponsiveTimeout returns how long a verb waits for a renderer that does not answer. A time that the caller gave is
// used in full; otherwise the verb fails as soon as the renderer is known to be unresponsive.
func UnresponsiveTimeout(env *run.Env, v *verb.Verb) guard.UnresponsiveTimeout {
	switch {
	case env.Limited:
		return guard.UnresponsiveTimeout{Until: time.Now().Add(env.Limit)}
	case v.Category == verb.CatNavigate: // which ends the script of a page that was busy before
		return guard.UnresponsiveTimeout{For: loadTimeout, Until: time.Now().Add(loadTimeout)}
	case env.Patient, v.Category == verb.CatWait:
		return guard.UnresponsiveTimeout{For: loadTimeout}
	}
	return guard.UnresponsiveTimeout{}
}
