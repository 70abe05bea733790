package supervisor

import (
	"fmt"
	"slices"
	"time"
)

// InterruptionKind is one kind of thing that a browser waits on or an agent must
// learn of.
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

// Interruption is one thing that the browser waits on or an agent must learn of.
// Its texts come from pages and servers.
type Interruption struct {
	// ID is i-1, i-2, … per browser and is never given twice; dialogs keep theirs
	// (d-1, …). Number is the number in it.
	ID     string
	Number int
	Kind   InterruptionKind
	Tab    TargetID
	// Context is empty when nobody knows which tab it belongs to.
	Context ContextID
	Frame   FrameID
	Origin  string
	Message string
	// OpenedAt is when it began.
	OpenedAt time.Time
	// Blocks says that the tab answers nothing until it is over.
	Blocks bool
	// Notice says that nothing waits for an answer.
	Notice bool

	// What only some kinds have.
	Dialog     *Dialog
	Chooser    *Chooser
	Login      *Login
	Permission string // as Browser.setPermission calls it
	Download   string // GUID
	NewTab     TargetID

	// The rest is set when it is over.
	ClosedAt time.Time
	ClosedBy ClosedBy
	Outcome  string // in words

	// Session is the CDP session that told of it and takes the answer.
	Session string
	// Claimed is set while an answer is in flight.
	Claimed bool `json:"-"`
	// Loader is the frame's document when it began, Going the address that the frame was navigating to then.
	Loader string `json:"-"`
	Going  string `json:"-"`
}

// Chooser is what a page wants to be given files for.
type Chooser struct {
	// Node is the file input, 0 when there is none.
	Node     int64
	Multiple bool
}

// Login is a challenge of a server or proxy.
type Login struct {
	Request string // of Fetch.continueWithAuth
	URL     string // what was asked for
	Scheme  string // basic, digest, …
	Realm   string
	// Attempt counts the challenges for one request from 1: a second one means that
	// the first answer was wrong.
	Attempt int
	// Document says that a frame's own document is asked for.
	Document bool
}

// Bounds of the lists.
const (
	maxInterruptions       = 100
	maxRecentInterruptions = 50
)

// Interruptions lists what is open, dialogs among the rest, oldest first.
func (s *State) Interruptions() []*Interruption {
	return merged(s.Interrupts, s.Dialogs, func(i *Interruption) time.Time { return i.OpenedAt })
}

// RecentInterruptions lists what is over, the last one last.
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

// Interruption finds an open one or, failing that, one that is over; nil for
// neither. Open says which.
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

// holding returns what keeps a tab from answering besides dialogs, nil if nothing
// does.
func (s *State) holding(tab TargetID) *Interruption {
	for _, i := range s.Interrupts {
		if i.Tab == tab && i.Blocks && !i.Claimed && (i.Login != nil || i.Permission != "") {
			return i
		}
	}
	return nil
}

// Resolve moves an interruption on.
type Resolve struct {
	ID      string
	Step    ResolveStep
	By      ClosedBy
	Outcome string
}

// InputName is the name in recordings.
func (*Resolve) InputName() string { return "Resolve" }

// ResolveStep is one step on the way to the end of an interruption.
type ResolveStep int

// The steps: an answer is on its way, it failed, it is over.
const (
	ResolveClaim ResolveStep = iota
	ResolveRelease
	ResolveClose
)

func (m *Model) resolve(r *Resolve) {
	s := m.mutable()
	i := slices.IndexFunc(s.Interrupts, func(i *Interruption) bool { return i.ID == r.ID })
	if i < 0 {
		return
	}
	if r.Step == ResolveClose {
		m.closeInterruption(s.Interrupts[i], r.By, r.Outcome)
		return
	}
	c := *s.Interrupts[i]
	c.Claimed = r.Step == ResolveClaim
	s.Interrupts[i] = &c
	m.block(c.Tab)
}

// interrupt adds one. The list is bounded: beyond that the oldest notice goes, or
// else the oldest of all.
func (m *Model) interrupt(i *Interruption) *Interruption {
	s := m.mutable()
	m.interrupts++
	i.Number, i.OpenedAt = m.interrupts, m.now
	i.ID = fmt.Sprintf("i-%d", i.Number)
	if t := s.Tabs[i.Tab]; t != nil {
		i.Context = t.Context
		f := t.Frames[i.Frame]
		if f == nil {
			i.Frame = ""
		} else {
			i.Loader, i.Going = f.Loader, f.Going
		}
		if f != nil && i.Origin == "" {
			i.Origin = originOf(f.URL)
		}
	}
	s.Interrupts = append(s.Interrupts, i)
	m.noteInterruption(i, InterruptionOpened, i.Message)
	if len(s.Interrupts) > maxInterruptions {
		oldest := max(0, slices.IndexFunc(s.Interrupts, func(i *Interruption) bool { return i.Notice }))
		m.closeInterruption(s.Interrupts[oldest], ByPolicy, "dropped: too many interruptions were open")
	}
	if i.Blocks {
		m.block(i.Tab)
	}
	return i
}

func (m *Model) closeInterruption(i *Interruption, by ClosedBy, outcome string) {
	s := m.mutable()
	s.Interrupts = slices.DeleteFunc(s.Interrupts, func(o *Interruption) bool { return o.ID == i.ID })
	c := *i
	c.ClosedAt, c.ClosedBy, c.Outcome = m.now, by, outcome
	s.RecentInterrupts = appendBounded(s.RecentInterrupts, &c, maxRecentInterruptions)
	m.noteInterruption(&c, InterruptionClosed, outcome)
	m.block(i.Tab)
}

// noteInterruption adds a change; what the queue shares with other kinds of
// changes has been told.
func (m *Model) noteInterruption(i *Interruption, kind ChangeKind, text string) {
	switch i.Kind {
	case KindCrash, KindDownload, KindNewTab, KindUnresponsive:
		return
	}
	number := 0
	if t := m.cur.Tabs[i.Tab]; t != nil {
		number = t.Number
	}
	m.noteAny(Change{Kind: kind, Context: i.Context, Number: number, Tab: i.Tab, Frame: i.Frame, ID: i.ID, URL: i.Origin,
		Detail: string(i.Kind), By: i.ClosedBy, Text: text})
}

// moot closes the interruptions whose cause is gone. It is called after inputs
// that may take one away.
func (m *Model) moot() {
	for _, i := range slices.Clone(m.cur.Interrupts) {
		if why := m.cause(i); why != "" {
			m.closeInterruption(i, ByRemote, why)
		}
	}
}

// cause says in words why an interruption is over, "" if it is not.
func (m *Model) cause(i *Interruption) string {
	if i.Kind == KindDownload {
		return m.downloadOutcome(i.Download)
	}
	t := m.cur.Tabs[i.Tab]
	if t == nil {
		return "the tab was closed"
	}
	f := t.Frames[i.Frame]
	if i.Frame != "" && f == nil {
		return "the frame was removed"
	}
	if i.Login != nil && i.Notice { // the tab's page asked for it, whatever became of the frame's own
		if main := t.MainFrame(); main != nil && main.Loader != i.Loader {
			return "the page navigated away"
		}
		return ""
	}
	switch i.Kind {
	case KindCrash:
		if t.Crash == nil && (f == nil || f.Crash == nil) {
			return "another document was loaded"
		}
		return ""
	case KindUnresponsive:
		if f == nil || f.Unresponsive == nil {
			return "the renderer is responsive again"
		}
		return ""
	case KindNewTab:
		return ""
	case KindHTTPLogin, KindProxyLogin:
		if i.Login.Document && i.Going != "" && f != nil && f.Going != i.Going {
			return "the page navigated away"
		}
	}
	if _, alive := m.sessions[i.Session]; !alive && i.Session != "" && m.cur.Outage != nil {
		return "the connection to the browser was lost"
	}
	if _, alive := m.sessions[i.Session]; !alive && i.Session != "" {
		return "the document was replaced"
	}
	if f != nil && f.Loader != i.Loader {
		return "the page navigated away"
	}
	return ""
}

// mayMoot says that an event may take the cause of an interruption away.
func mayMoot(method string) bool {
	switch method {
	case "Target.attachedToTarget", "Target.detachedFromTarget", "Target.targetDestroyed", "Target.targetCrashed",
		"Page.frameNavigated", "Page.frameDetached", "Page.frameStartedNavigating", "Page.frameRequestedNavigation",
		"Page.frameStoppedLoading", "Page.lifecycleEvent", "Browser.downloadProgress":
		return true
	}
	return false
}

// forgetQueue drops what is kept for a browser context that no longer exists.
func (m *Model) forgetQueue(c ContextID) {
	delete(m.choosers, c)
	s := m.mutable()
	s.RecentInterrupts = slices.DeleteFunc(s.RecentInterrupts, func(i *Interruption) bool { return i.Context == c })
}
