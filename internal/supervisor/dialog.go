package supervisor

import "time"

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
	// Bridge says that it is no native dialog: it came by the bridge.
	Bridge bool
	// Deadline is when the watchdog dismisses it; zero if it was answered at once.
	Deadline time.Time
	// Reach says how it can be answered.
	Reach Reach

	// The rest is set when it is closed.
	ClosedAt time.Time
	ClosedBy ClosedBy
	// Rule names the rule that closed it, if ClosedBy is ByPolicy and not the
	// policy's mode did.
	Rule     string
	Accepted bool
	Answer   string // text given to a prompt

	answering ClosedBy // who has an answer on its way
	unjudged  bool     // whether it can be answered is being asked
	tried     ClosedBy // who had one on its way when the connection was lost
	due       *Answer  // to be given as soon as it can be sent
	session   string   // CDP session of the tab when it opened; empty if the standby connection told of it
	ended     *ending  // the browser says that it is closed; whose answer did it is not known yet

	at     callFrame // of a dialog that came by the bridge: where its page waits
	loader string    // and the document that asked
}

// ending is what the browser tells of a closed dialog.
type ending struct {
	accepted bool
	text     string
}

// Waits says that the dialog waits for an answer that nobody has given yet.
func (d *Dialog) Waits() bool { return d.answering == "" && d.ended == nil }

// ClosedBy says who closed a dialog.
type ClosedBy string

// Who closes dialogs.
const (
	ByAgent    ClosedBy = "agent"       // an explicit answer
	ByPolicy   ClosedBy = "auto_policy" // the session's dialog policy, or one of its rules
	ByWatchdog ClosedBy = "watchdog"    // nobody answered in time
	ByRemote   ClosedBy = "remote"      // the page went away, or another client or the person answered
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
