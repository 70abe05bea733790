package model

import (
	"fmt"
	"time"
)

// BlockedError is the cause that ends a guarded context: the tab cannot answer.
// Exactly one field besides Tab and For is set.
type BlockedError struct {
	Tab          TargetID
	Dialog       *Dialog       // an open dialog holds the page
	Crash        *Crash        // the renderer has crashed
	Interruption *Interruption // a login or permission request holds the page
	Gone         bool          // the tab was closed
	// Unresponsive is set if the renderer does not answer, For is for how long.
	Unresponsive *Unresponsive
	For          time.Duration
	Outage       *Outage // the connection to the browser is lost and is being restored
	Closed       error   // the connection to the browser ended for good
}

func (e *BlockedError) Error() string {
	switch {
	case e.Dialog != nil:
		return fmt.Sprintf("a JavaScript %s dialog (%s) is open and blocks the page: %q", e.Dialog.Type, e.Dialog.ID, e.Dialog.Message)
	case e.Crash != nil:
		return fmt.Sprintf("the page's renderer crashed (%s)", e.Crash.Status)
	case e.Interruption != nil:
		return fmt.Sprintf("the page is blocked until %s (%s) is answered: %s", e.Interruption.ID, e.Interruption.Kind, e.Interruption.Message)
	case e.Gone:
		return "the tab is closed"
	case e.Unresponsive != nil:
		return fmt.Sprintf("%s (for %s so far)", e.Unresponsive, max(0, e.For).Round(100*time.Millisecond))
	case e.Outage != nil:
		return e.Outage.Error()
	}
	return fmt.Sprintf("the browser is gone: %v", e.Closed)
}

// Unwrap makes errors.Is(err, cdp.ErrClosed) true for a lost connection.
func (e *BlockedError) Unwrap() error {
	if e.Outage != nil {
		return e.Outage
	}
	return e.Closed
}

// Unreachable returns the reason why the browser cannot be reached, nil if it can: a *BlockedError with Closed or
// Outage set.
func (s *State) Unreachable() error {
	switch {
	case s.Closed != nil:
		return &BlockedError{Closed: s.Closed}
	case s.Outage != nil:
		return &BlockedError{Outage: s.Outage}
	}
	return nil
}

// TabLost returns an error for a tab that cannot appear any more, nil for others.
func (s *State) TabLost(tab TargetID) error {
	if err := s.Unreachable(); err != nil {
		return err
	}
	if s.Tabs[tab] == nil {
		return &BlockedError{Tab: tab, Gone: true}
	}
	return nil
}

// Blocked returns why a tab cannot answer now, nil if it can.
func (s *State) Blocked(tab TargetID) *BlockedError {
	if s.Closed != nil {
		return &BlockedError{Tab: tab, Closed: s.Closed}
	}
	if s.Outage != nil {
		return &BlockedError{Tab: tab, Outage: s.Outage}
	}
	t := s.Tabs[tab]
	switch {
	case t == nil:
		return &BlockedError{Tab: tab, Gone: true}
	case t.Crash != nil:
		return &BlockedError{Tab: tab, Crash: t.Crash}
	}
	for _, d := range s.Dialogs { // by the bridge there may be several
		if d.Tab == tab && d.NeedsAnswer() {
			return &BlockedError{Tab: tab, Dialog: d}
		}
	}
	if i := s.PendingInterruption(tab); i != nil {
		return &BlockedError{Tab: tab, Interruption: i}
	}
	return nil
}

// RelatedDialog returns an open dialog in another tab of the same opener group.
func (s *State) RelatedDialog(tab TargetID) *Dialog {
	root := s.rootOpener(tab)
	for _, d := range s.Dialogs {
		if d.Tab != tab && d.NeedsAnswer() && s.rootOpener(d.Tab) == root {
			return d
		}
	}
	return nil
}

// rootOpener follows the openers of a tab to the first.
func (s *State) rootOpener(tab TargetID) TargetID {
	for range len(s.Tabs) {
		t := s.Tabs[tab]
		if t == nil || t.Opener == "" {
			break
		}
		tab = t.Opener
	}
	return tab
}
