package model

import (
	"time"

	"github.com/usher-browser/usher/internal/policy"
)

// Policy says what happens to a dialog nobody has been asked about yet. Its slices
// are not changed in place.
type Policy struct {
	Mode PolicyMode
	// Timeout is how long an open dialog waits for an answer before the watchdog
	// dismisses it; 0 means DefaultDialogTimeout.
	Timeout time.Duration
	// Rules come before the mode, the first that matches counts: those given by
	// command, then those of the settings.
	Rules, Standing []policy.DialogRule
}

// PolicyMode is one way to treat dialogs.
type PolicyMode string

// Ways to treat dialogs.
const (
	// MustRespond leaves a dialog to the agent, and to the watchdog after that.
	MustRespond PolicyMode = "must_respond"
	// AutoDismiss cancels every dialog at once.
	AutoDismiss PolicyMode = "auto_dismiss"
	// AutoAccept accepts every dialog at once, prompts with their default text.
	AutoAccept PolicyMode = "auto_accept"
	// AcceptNotices accepts alert and beforeunload and leaves questions to the
	// agent: what agent-browser does.
	AcceptNotices PolicyMode = "accept_notices"
)

// DefaultDialogTimeout is how long the watchdog waits (the value of the public
// supervisor design this follows).
const DefaultDialogTimeout = 300 * time.Second

// WatchdogTimeout is how long a dialog waits for an answer.
func (p *Policy) WatchdogTimeout() time.Duration {
	if p.Timeout > 0 {
		return p.Timeout
	}
	return DefaultDialogTimeout
}

// Action says what the mode makes of a dialog.
func (p *Policy) Action(kind string) policy.DialogAction {
	switch {
	case p.Mode == AutoDismiss:
		return policy.Dismiss
	case p.Mode == AutoAccept, p.Mode == AcceptNotices && (kind == "alert" || kind == "beforeunload"):
		return policy.Accept
	}
	return policy.Ask
}
