// Package permit checks, before code runs, what the person whose browser it is lets code do. It matters where the browser is the
// person's own, over the relay; other browsers have no restrictions.
package permit

import (
	"github.com/usher-browser/usher/internal/api"
)

// Restrictions are the person's choices for their browser.
type Restrictions struct {
	// Manual lets code use only tabs that the person has attached, of which there are Attached.
	Manual   bool
	Attached int
	// NoNewTabs forbids to open tabs.
	NoNewTabs bool
}

// Intent is what code is about to do, as its caller says.
type Intent string

// The intents. Auto is open if there is no page to inspect.
const (
	Inspect Intent = "inspect"
	Open    Intent = "open"
	Auto    Intent = "auto"
)

// The codes that BrowserForce's callers match. Errors have them as the member relayCode of their data, beside a code of ours.
const (
	NoAttachedPage          = "BF_NO_ATTACHED_PAGE"
	NewTabsDisabled         = "BF_NEW_TABS_DISABLED"
	RestrictionsUnavailable = "BF_RESTRICTIONS_UNAVAILABLE"
)

// Check returns why code with this intent may not run; nil if it may. Without restrictions (nil) everything is allowed. failed is why
// the restrictions could not be read: then nothing is allowed.
func Check(r *Restrictions, failed error, intent Intent) error {
	switch {
	case failed != nil:
		return api.Errorf(api.ConnectionLost, "the restrictions of the person's browser cannot be read: %w", failed).With("relayCode", RestrictionsUnavailable).
			WithHint("Check that the browser runs and its extension is connected, then try again.")
	case r == nil:
		return nil
	}
	opens := intent == Open || intent == Auto && r.Attached == 0
	switch {
	case opens && r.NoNewTabs:
		return api.Errorf(api.ActionDenied, "the person does not let code open tabs").With("relayCode", NewTabsDisabled).
			WithHint("Work in a tab that is attached, with the intent inspect, or ask the person to allow new tabs.")
	case !opens && r.Manual && r.Attached == 0:
		return api.Errorf(api.TabNotFound, "no tab is attached: the person lets code use only tabs that they attach").With("relayCode", NoAttachedPage).
			WithHint("Ask the person to attach a tab with the extension's button.")
	}
	return nil
}
