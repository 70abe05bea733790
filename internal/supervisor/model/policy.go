package model

import (
	"time"

	"github.com/usher-browser/usher/internal/policy"
)

// Policy is how dialogs are answered without the agent. Its slices are not changed in place.
type Policy struct {
	Mode PolicyMode
	// Timeout is how long an open dialog waits for an answer before the watchdog
	// dismisses it; 0 means DefaultDialogTimeout.
	Timeout time.Duration
	// Rules take precedence over the mode, the first that matches applies: those given by command, then those of the
	// settings.
	Rules, Standing []policy.DialogRule
}

// PolicyMode is the default treatment of dialogs.
type PolicyMode string

// The modes of a policy.
const (
	// MustRespond leaves a dialog to the agent, until the watchdog's timeout.
	MustRespond PolicyMode = "must_respond"
	// AutoDismiss cancels every dialog at once.
	AutoDismiss PolicyMode = "auto_dismiss"
	// AutoAccept accepts every dialog at once, prompts with their default text.
	AutoAccept PolicyMode = "auto_accept"
	// AcceptNotices accepts alert and beforeunload and leaves questions to the agent: agent-browser's behaviour.
	AcceptNotices PolicyMode = "accept_notices"
)

// DefaultDialogTimeout is the default timeout of the watchdog (the value of the public supervisor design this follows).
const DefaultDialogTimeout = 300 * time.Second

// WatchdogTimeout returns how long a dialog waits for an answer.
func (p *Policy) WatchdogTimeout() time.Duration {
	if p.Timeout > 0 {
		return p.Timeout
	}
	return DefaultDialogTimeout
}

// Action returns what the mode does with a dialog.
func (p *Policy) Action(kind string) policy.DialogAction {
	switch {
	case p.Mode == AutoDismiss:
		return policy.Dismiss
	case p.Mode == AutoAccept, p.Mode == AcceptNotices && (kind == "alert" || kind == "beforeunload"):
		return policy.Accept
	}
	return policy.Ask
}
