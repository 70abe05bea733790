package model

import (
	"time"
)

// OpenDialog returns an open dialog, or nil.
func (s *State) OpenDialog(id string) *Dialog {
	for _, d := range s.Dialogs {
		if d.ID == id {
			return d
		}
	}
	return nil
}

// ClosedDialog returns a recently closed dialog, or nil.
func (s *State) ClosedDialog(id string) *Dialog {
	for _, d := range s.RecentDialogs {
		if d.ID == id {
			return d
		}
	}
	return nil
}

// Dialog is a native JavaScript dialog.
type Dialog struct {
	// ID is d-1, d-2, … per browser.
	ID      string
	Tab     TargetID
	Context ContextID
	Frame   FrameID
	// Type is alert, confirm, prompt or beforeunload.
	Type          string
	Message       string // page content; cut if it is very long
	DefaultPrompt string // page content
	// URL is the address of the frame that opened it, Origin its origin.
	URL, Origin string
	OpenedAt    time.Time
	// Bridge reports whether it is a bridged dialog and no native one.
	Bridge bool
	// Deadline is when the watchdog dismisses it; zero if it was answered at once.
	Deadline time.Time
	// Reach is how it can be answered.
	Reach Reach

	// The rest is set when it is closed.
	ClosedAt time.Time
	ClosedBy ClosedBy
	// Rule is the name of the rule that closed it, if ClosedBy is ByPolicy and the policy's mode did not.
	Rule     string
	Accepted bool
	Answer   string // text given to a prompt

	// The rest is for the fold, which has no other record of open dialogs.

	// Answering is the sender of an answer in flight.
	Answering ClosedBy `json:"-"`
	// Checking reports whether a call is in flight that shows if the dialog can be answered.
	Checking bool `json:"-"`
	// UnconfirmedBy is the sender of an answer that was in flight when the connection was lost.
	UnconfirmedBy ClosedBy `json:"-"`
	// Session is the CDP session that reported the dialog: the page's, or that of the paused document if Bridge is set.
	// It is empty if the standby connection reported it.
	Session string `json:"-"`
	// Ended is set while the browser has reported the end and has not replied to the answer in flight.
	Ended *DialogEnd `json:"-"`
	// CallFrame and Loader name the paused function and its document, if Bridge is set.
	CallFrame string `json:"-"`
	Loader    string `json:"-"`
}

// DialogEnd is the end of a dialog as the browser reports it.
type DialogEnd struct {
	Accepted bool
	Text     string // given to a prompt
}

// NeedsAnswer reports whether the dialog waits for an answer, and none is in flight.
func (d *Dialog) NeedsAnswer() bool { return d.Answering == "" && d.Ended == nil }

// ClosedBy is the cause of a dialog's end.
type ClosedBy string

// The causes of a dialog's end.
const (
	ByAgent    ClosedBy = "agent"       // an explicit answer
	ByPolicy   ClosedBy = "auto_policy" // the session's dialog policy, or one of its rules
	ByWatchdog ClosedBy = "watchdog"    // the watchdog's timeout
	ByRemote   ClosedBy = "remote"      // the page was left, or another client or a person answered
)

// Dialog returns the oldest open dialog of a tab, or nil.
func (s *State) Dialog(tab TargetID) *Dialog {
	for _, d := range s.Dialogs {
		if d.Tab == tab {
			return d
		}
	}
	return nil
}

// Outcome returns how a closed dialog ended, in one word.
func (d *Dialog) Outcome() string {
	if d.Accepted {
		return "accepted"
	}
	return "dismissed"
}

// Reach is how an open dialog can be answered.
type Reach string

// The ways in which a dialog can be answered.
const (
	// ReachFull: with any answer.
	ReachFull Reach = ""
	// ReachDismiss: it was open when the connection was lost, and can only be dismissed.
	ReachDismiss Reach = "dismiss"
	// ReachNone: not before the connection is back.
	ReachNone Reach = "none"
)

// Dismissible reports whether dismissing the dialog is the only possible answer, as for an alert.
func (d *Dialog) Dismissible(accept bool) bool { return !accept || d.Type == "alert" }
