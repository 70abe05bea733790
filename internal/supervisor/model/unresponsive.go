package model

import (
	"time"
)

// Unresponsive is set for a renderer that does not answer.
type Unresponsive struct {
	// Since is when the unanswered probe was sent.
	Since  time.Time
	Reason UnresponsiveReason
	// Frame is the root of what its process shows in the tab: the main frame, or a frame in a process of its own.
	Frame FrameID
}

// UnresponsiveReason is the reason why a renderer does not answer.
type UnresponsiveReason string

// The reasons why a renderer does not answer.
const (
	// ReasonScript is a script that runs, endless or just long.
	ReasonScript UnresponsiveReason = "script"
	// ReasonWaiting is a main thread that runs no script: it lays out or paints a page of
	// some 100,000 elements, waits for a synchronous request, or its process is stopped.
	ReasonWaiting UnresponsiveReason = "waiting"
	// ReasonBrowser is a browser whose main process does not answer.
	ReasonBrowser UnresponsiveReason = "browser"
)

func (u *Unresponsive) String() string {
	switch u.Reason {
	case ReasonScript:
		return "the page's renderer is unresponsive: a script is running"
	case ReasonBrowser:
		return "the browser is unresponsive: it is stopped, or the machine is overloaded"
	}
	return "the page's renderer is unresponsive without a running script: layout of a very large page, a synchronous request, or a stopped process"
}

// UpdateUnresponsive sets the tab's Unresponsive: the main frame's, else that of the first of its frames.
func (t *Tab) UpdateUnresponsive() {
	t.Unresponsive = nil
	for _, f := range t.Frames {
		u := f.Unresponsive
		if u == nil {
			continue
		}
		if f.ID == t.Main {
			t.Unresponsive = u
			return
		}
		if t.Unresponsive == nil || f.ID < t.Unresponsive.Frame {
			t.Unresponsive = u
		}
	}
}

// UnresponsiveFor returns why a call to a frame is not answered: because of its own renderer, or the page's.
func (t *Tab) UnresponsiveFor(frame FrameID) *Unresponsive {
	if m := t.MainFrame(); m != nil && m.Unresponsive != nil {
		return m.Unresponsive
	}
	for f := t.Frames[frame]; f != nil && f.ID != t.Main; f = t.Frames[f.Parent] {
		if f.OOPIF {
			return f.Unresponsive
		}
	}
	return nil
}
