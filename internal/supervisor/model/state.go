package model

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// WorldName is the name of usher's isolated world in every frame; pages cannot see it.
const WorldName = "usher"

// Identifiers of the protocol.
type (
	// TargetID identifies a page, frame or worker target.
	TargetID string
	// FrameID identifies a frame; the main frame of a tab has the id of its target.
	FrameID string
	// ContextID identifies a browser context (a cookie jar of its own); the browser's default context has an id too.
	ContextID string
)

// State is the state of a browser at one moment. Nothing reachable from it changes, so it may be kept.
type State struct {
	// Seq is the number of the last input that changed anything.
	Seq uint64
	// Tabs holds every page target.
	Tabs map[TargetID]*Tab
	// Order lists the tabs in the order they appeared.
	Order []TargetID
	// Gone lists the last tabs that vanished, newest last, at most 32.
	Gone []GoneTab
	// Dialogs are the open ones, oldest first.
	Dialogs []*Dialog
	// RecentDialogs are the closed ones, newest last, at most 20 of a context.
	RecentDialogs []*Dialog
	// Interrupts are the open interruptions except dialogs, oldest first, at most 100; see [State.Interruptions] for
	// all.
	Interrupts []*Interruption
	// RecentInterrupts are the closed ones, newest last, at most 50.
	RecentInterrupts []*Interruption
	// Policies are the dialog policies, by context.
	Policies map[ContextID]Policy
	// Bridges has the contexts whose dialogs use the bridge. It is not changed in place.
	Bridges map[ContextID]Bridge
	// Downloads, oldest first, at most 100.
	Downloads []*Download
	// Outage is set while the connection is lost and is being restored. All other fields are as of its end.
	Outage *Outage
	// Closed is the reason why the connection ended for good, nil while it lives.
	Closed error

	changed chan struct{} // closed when a newer State is published
}

// NewState returns the state of a browser before any event.
func NewState() *State {
	return &State{Tabs: map[TargetID]*Tab{}, Policies: map[ContextID]Policy{}, changed: make(chan struct{})}
}

// Supersede closes the channel of Changed: a newer State has been published.
func (s *State) Supersede() { close(s.changed) }

// Changed is closed as soon as a newer State has been published.
func (s *State) Changed() <-chan struct{} { return s.changed }

// Tab is one page target.
type Tab struct {
	ID      TargetID
	Context ContextID
	// Number counts the tabs of a context from 1 in order of appearance and is never reused.
	Number int
	// Opener is the tab that opened this one by link or script, if any.
	Opener TargetID
	// URL is the address of the main document, Title the browser's title for it.
	URL, Title string
	// Session is the CDP session of the page, empty while unattached.
	Session string
	// Standby reports whether a second connection can answer the tab's dialogs if the first is lost.
	Standby bool
	// Ready reports whether the frame tree is known and the page runs.
	Ready bool
	// Frames holds every frame of the tab, in any process; Main is the top one.
	Frames map[FrameID]*Frame
	Main   FrameID
	// Commits counts the navigations of the main frame that committed, those within a document included: it
	// distinguishes a return to the same address from no navigation.
	Commits int
	// Response is the last response for the main document.
	Response Response
	// Windows counts the windows and tabs that its documents requested; each becomes a tab with this one as its Opener
	// a moment later.
	Windows int
	// Repeated is the document that the supervisor itself reloaded before it was complete: a hidden login blocked it.
	Repeated string
	// Choosers reports whether its file choosers become interruptions.
	Choosers bool
	// Crash is set while the page's renderer has crashed.
	Crash *Crash
	// Unresponsive is set while a renderer of the tab does not answer: the page's, or that of a frame in a process of
	// its own. It is determined while a command waits.
	Unresponsive *Unresponsive
	// Overflow reports whether events of this tab were lost because they came faster than they could be read.
	Overflow bool
}

// MainFrame returns the top frame; never nil once the tab is Ready.
func (t *Tab) MainFrame() *Frame { return t.Frames[t.Main] }

// Response is the HTTP response that delivered a main document.
type Response struct {
	Loader   string // of the document it delivered
	URL      string
	Status   int // HTTP status; 0 for documents without one (about:, data:, file:)
	MIMEType string
	// Failed is the browser's error if the connection failed in the middle of the document.
	Failed string
	// Challenge is the service that answered with a bot challenge in place of the document, and declares that in a
	// header; empty for none.
	Challenge string
}

// Frame is a frame, in the process of its parent or in its own.
type Frame struct {
	ID     FrameID
	Parent FrameID // empty for the main frame
	Tab    TargetID
	// Session is the CDP session of the frame.
	Session string
	// OOPIF reports whether the frame is the root of a process of its own.
	OOPIF  bool
	URL    string
	Origin string
	Name   string
	// Loader identifies the document: another document, another loader.
	Loader string
	// MIMEType is the type of the document.
	MIMEType string
	// Replaced is the document that was shown before it.
	Replaced string
	// Since is when the browser first reported the document.
	Since time.Time
	// RemoteAddress is the network address that the document came from, as 203.0.113.7 or 2001:db8::7; a proxy's, if
	// there is one. It is empty if the browser reports none (a document without a request, or from before the
	// connection) or if that is long ago.
	RemoteAddress string
	// MainContext is the unique id of the page's own JavaScript context, empty
	// when unknown.
	MainContext string
	// ContextNumber is the number of MainContext in its process.
	ContextNumber int64
	// DOMReady, Loaded and NetworkIdle are the lifecycle of the present document.
	DOMReady, Loaded, NetworkIdle bool
	// Stopped is set if the document stopped loading before its load event: its connection failed, or the page stopped it. As nothing
	// more comes, DOMReady, Loaded and NetworkIdle are set as well.
	Stopped bool
	// Written is set if a script opened the present document anew, with document.open or document.write. What it wrote is there at
	// once, but DOMReady comes only when a script closes the document, which it may never do.
	Written bool
	// PendingURL is the URL of a pending navigation to another document, which has neither committed nor failed. While
	// it is set Chromium may hold back every call to the frame's renderer until the server answers (measured on
	// Chromium
	// 156).
	PendingURL string
	// Crash is set while the renderer of an OOPIF has crashed.
	Crash *Crash
	// Unresponsive is set while the renderer does not answer, on the main frame and
	// on OOPIFs.
	Unresponsive *Unresponsive

	// Order numbers frames in order of appearance, which is the order of the document if no script moves frames.
	Order uint64 `json:"-"`
}

// Ready reports whether the scripts of the document have run, or a script writes the document.
func (f *Frame) Ready() bool { return f.DOMReady || f.Written }

// Crash is how a renderer ended.
type Crash struct {
	Status string // "crashed", "oom", "killed", …
	Code   int64
	At     time.Time
}

// GoneTab is a tab that no longer exists.
type GoneTab struct {
	ID      TargetID
	Context ContextID
	Number  int
	URL     string
	At      time.Time
}

// DownloadState is the progress of a download, as Chromium names it.
type DownloadState string

// States of a download.
const (
	DownloadInProgress DownloadState = "inProgress"
	DownloadCompleted  DownloadState = "completed"
	DownloadCanceled   DownloadState = "canceled"
)

// Download is one file download of the browser.
type Download struct {
	GUID          string // also the file's name in the download directory
	Tab           TargetID
	Frame         FrameID
	URL           string
	SuggestedName string
	State         DownloadState
	Received      int64 // bytes
	Total         int64 // bytes; 0 if unknown
	StartedAt     time.Time
}

// NativeDialog returns the open native dialog of a tab, or nil.
func (s *State) NativeDialog(tab TargetID) *Dialog {
	for _, d := range s.Dialogs {
		if d.Tab == tab && !d.Bridge {
			return d
		}
	}
	return nil
}

// Frame returns a frame of any tab, nil if there is none.
func (s *State) Frame(id FrameID) *Frame {
	if t := s.Tabs[TargetID(id)]; t != nil { // the main frame: the common case
		if f := t.Frames[id]; f != nil {
			return f
		}
	}
	for _, t := range s.Tabs {
		if f := t.Frames[id]; f != nil {
			return f
		}
	}
	return nil
}

// MainFrame returns the main frame of a tab, nil while the tab is not there.
func (s *State) MainFrame(tab TargetID) *Frame {
	if t := s.Tabs[tab]; t != nil {
		return t.MainFrame()
	}
	return nil
}

// ContextTabs returns the tabs of a context in order of appearance.
func (s *State) ContextTabs(c ContextID) []*Tab {
	var tabs []*Tab
	for _, id := range s.Order {
		if t := s.Tabs[id]; t.Context == c {
			tabs = append(tabs, t)
		}
	}
	return tabs
}

// Children returns the direct children of a frame in order of appearance.
func (t *Tab) Children(id FrameID) []*Frame {
	var out []*Frame
	for _, f := range t.Frames {
		if f.Parent == id && f.ID != id {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, byOrder)
	return out
}

func byOrder(a, b *Frame) int { return cmp.Compare(a.Order, b.Order) }

// Clone copies the State for the model to change; tabs and their frames are copied at their first change.
func (s *State) Clone() *State {
	c := *s
	c.Tabs = maps.Clone(s.Tabs)
	c.Order = slices.Clone(s.Order)
	c.Gone = slices.Clone(s.Gone)
	c.Dialogs = slices.Clone(s.Dialogs)
	c.RecentDialogs = slices.Clone(s.RecentDialogs)
	c.Interrupts = slices.Clone(s.Interrupts)
	c.RecentInterrupts = slices.Clone(s.RecentInterrupts)
	c.Policies = maps.Clone(s.Policies)
	c.Downloads = slices.Clone(s.Downloads)
	c.changed = make(chan struct{})
	return &c
}
