package model

import (
	"slices"
	"time"
)

// InterruptionKind is one kind of prompt or notice of a browser.
type InterruptionKind string

// The kinds.
const (
	KindDialog       InterruptionKind = "dialog"
	KindFileChooser  InterruptionKind = "file_chooser"
	KindHTTPLogin    InterruptionKind = "http_login"
	KindProxyLogin   InterruptionKind = "proxy_login"
	KindPermission   InterruptionKind = "permission"
	KindPrint        InterruptionKind = "print"
	KindDownload     InterruptionKind = "download"
	KindNewTab       InterruptionKind = "new_tab"
	KindCrash        InterruptionKind = "crash"
	KindUnresponsive InterruptionKind = "unresponsive"
)

// Interruption is a prompt that the browser waits on, or a notice for the agent. Its texts come from pages and servers.
type Interruption struct {
	// ID is i-1, i-2, … per browser and is never reused; dialogs have ids of their own (d-1, …). Number is the number
	// in it.
	ID     string
	Number int
	Kind   InterruptionKind
	Tab    TargetID
	// Context is empty when the tab is unknown.
	Context ContextID
	Frame   FrameID
	Origin  string
	Message string
	// OpenedAt is the time of its beginning.
	OpenedAt time.Time
	// Blocks reports whether the tab answers nothing until it is closed.
	Blocks bool
	// Notice reports whether it needs no answer.
	Notice bool

	// The fields of some kinds only.
	Dialog     *Dialog
	Chooser    *Chooser
	Login      *Login
	Permission string // as Browser.setPermission names it
	Download   string // GUID
	NewTab     TargetID

	// The rest is set when it is closed.
	ClosedAt time.Time
	ClosedBy ClosedBy
	Outcome  string // as text

	// Session is the CDP session that reported it and takes the answer.
	Session string
	// Claimed is set while an answer is in flight.
	Claimed bool `json:"-"`
	// Loader is the frame's document when it began, PendingURL the address that the frame was navigating to then.
	Loader     string `json:"-"`
	PendingURL string `json:"-"`
}

// Chooser is a page's request for files.
type Chooser struct {
	// Node is the file input, 0 when there is none.
	Node     int64
	Multiple bool
}

// Login is a challenge of a server or proxy.
type Login struct {
	Request string // of Fetch.continueWithAuth
	URL     string // of the request
	Scheme  string // basic, digest, …
	Realm   string
	// Attempt counts the challenges for one request from 1: a second one means that
	// the first answer was wrong.
	Attempt int
	// Document reports whether the request is for a frame's own document.
	Document bool
}

// Interruptions returns the open interruptions, dialogs included, oldest first.
func (s *State) Interruptions() []*Interruption {
	return merged(s.Interrupts, s.Dialogs, func(i *Interruption) time.Time { return i.OpenedAt })
}

// RecentInterruptions returns the closed ones, newest last.
func (s *State) RecentInterruptions() []*Interruption {
	return merged(s.RecentInterrupts, s.RecentDialogs, func(i *Interruption) time.Time { return i.ClosedAt })
}

func merged(own []*Interruption, dialogs []*Dialog, when func(*Interruption) time.Time) []*Interruption {
	all := slices.Clone(own)
	for _, d := range dialogs {
		all = append(all, d.interruption())
	}
	slices.SortStableFunc(all, func(a, b *Interruption) int { return when(a).Compare(when(b)) })
	return all
}

func (d *Dialog) interruption() *Interruption {
	i := &Interruption{
		ID: d.ID, Kind: KindDialog, Tab: d.Tab, Frame: d.Frame, Origin: d.Origin, Message: d.Message,
		OpenedAt: d.OpenedAt, Blocks: true, Dialog: d, ClosedAt: d.ClosedAt, ClosedBy: d.ClosedBy,
	}
	switch {
	case d.ClosedAt.IsZero():
	case d.Accepted:
		i.Outcome = "accepted"
	default:
		i.Outcome = "dismissed"
	}
	return i
}

// Interruption returns an open interruption or, failing that, a closed one; nil if there is neither. open reports
// which.
func (s *State) Interruption(id string) (found *Interruption, open bool) {
	for _, i := range s.Interruptions() {
		if i.ID == id {
			return i, true
		}
	}
	for _, i := range s.RecentInterruptions() {
		if i.ID == id {
			return i, false
		}
	}
	return nil, false
}

// PendingInterruption returns the interruption, other than a dialog, that keeps a tab from answering, nil if there is
// none.
func (s *State) PendingInterruption(tab TargetID) *Interruption {
	for _, i := range s.Interrupts {
		if i.Tab == tab && i.Blocks && !i.Claimed && (i.Login != nil || i.Permission != "") {
			return i
		}
	}
	return nil
}
