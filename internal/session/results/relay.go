package results

import (
	"fmt"
	"strings"
)

// Relay is the result of `relay start` and `relay status`.
type Relay struct {
	Running bool `json:"running"`
	Started bool `json:"started,omitzero"` // by this command
	Port    int  `json:"port,omitzero"`
	// Paired is the id of the extension that may connect; empty if none has paired.
	Paired           string   `json:"paired,omitzero"`
	Connected        bool     `json:"connected"`        // the extension is
	Since            string   `json:"since,omitzero"`   // RFC 3339, in UTC
	Browser          string   `json:"browser,omitzero"` // Chrome/156.0.8078.79
	ExtensionVersion string   `json:"extensionVersion,omitzero"`
	Clients          int      `json:"clients,omitzero"`      // CDP clients, sessions of usher included
	Tabs             int      `json:"tabs,omitzero"`         // that clients see
	Attached         int      `json:"attached,omitzero"`     // of these, that the debugger is attached to
	Mode             string   `json:"mode,omitzero"`         // auto, manual or attached-only
	Restrictions     []string `json:"restrictions,omitzero"` // read-only, lock-url, no-new-tabs
}

// Text returns the state for people.
func (r *Relay) Text() string {
	switch {
	case !r.Running:
		return "no relay is running; `relay start` starts it"
	case !r.Connected && r.Paired == "":
		return fmt.Sprintf("relay: 127.0.0.1:%d, no extension is paired; `extension pair` shows a code", r.Port)
	case !r.Connected:
		return fmt.Sprintf("relay: 127.0.0.1:%d, the extension is not connected: open Chrome", r.Port)
	}
	text := fmt.Sprintf("relay: 127.0.0.1:%d, %s, %d tabs, %d attached, %d clients, mode %s", r.Port, r.Browser, r.Tabs, r.Attached, r.Clients, r.Mode)
	if len(r.Restrictions) > 0 {
		text += " (" + strings.Join(r.Restrictions, ", ") + ")"
	}
	return text
}

// RelayStopped is the result of `relay stop`.
type RelayStopped struct {
	Stopped bool `json:"stopped"` // false if none was running
}

// Pairing is the result of `extension pair`.
type Pairing struct {
	Code      string `json:"code"`
	ExpiresAt string `json:"expiresAt"` // RFC 3339, in UTC
	Port      int    `json:"port"`      // of the relay
}
