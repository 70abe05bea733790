package supervisor

import (
	"fmt"
	"slices"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Bounds of the lists.
const (
	maxInterruptions       = 100
	maxRecentInterruptions = 50
)

// Resolve moves an interruption on.
type Resolve struct {
	ID      string
	Step    ResolveStep
	By      model.ClosedBy
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
	i := slices.IndexFunc(s.Interrupts, func(i *model.Interruption) bool { return i.ID == r.ID })
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
func (m *Model) interrupt(i *model.Interruption) *model.Interruption {
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
			i.Origin = model.Origin(f.URL)
		}
	}
	s.Interrupts = append(s.Interrupts, i)
	m.noteInterruption(i, model.InterruptionOpened, i.Message)
	if len(s.Interrupts) > maxInterruptions {
		oldest := max(0, slices.IndexFunc(s.Interrupts, func(i *model.Interruption) bool { return i.Notice }))
		m.closeInterruption(s.Interrupts[oldest], model.ByPolicy, "dropped: too many interruptions were open")
	}
	if i.Blocks {
		m.block(i.Tab)
	}
	return i
}

func (m *Model) closeInterruption(i *model.Interruption, by model.ClosedBy, outcome string) {
	s := m.mutable()
	s.Interrupts = slices.DeleteFunc(s.Interrupts, func(o *model.Interruption) bool { return o.ID == i.ID })
	c := *i
	c.ClosedAt, c.ClosedBy, c.Outcome = m.now, by, outcome
	s.RecentInterrupts = appendBounded(s.RecentInterrupts, &c, maxRecentInterruptions)
	m.noteInterruption(&c, model.InterruptionClosed, outcome)
	m.block(i.Tab)
}

// noteInterruption adds a change; what the queue shares with other kinds of
// changes has been told.
func (m *Model) noteInterruption(i *model.Interruption, kind model.ChangeKind, text string) {
	switch i.Kind {
	case model.KindCrash, model.KindDownload, model.KindNewTab, model.KindUnresponsive:
		return
	}
	number := 0
	if t := m.cur.Tabs[i.Tab]; t != nil {
		number = t.Number
	}
	m.noteAny(model.Change{Kind: kind, Context: i.Context, Number: number, Tab: i.Tab, Frame: i.Frame, ID: i.ID, URL: i.Origin,
		Detail: string(i.Kind), By: i.ClosedBy, Text: text})
}

// moot closes the interruptions whose cause is gone. It is called after inputs
// that may take one away.
func (m *Model) moot() {
	for _, i := range slices.Clone(m.cur.Interrupts) {
		if why := m.cause(i); why != "" {
			m.closeInterruption(i, model.ByRemote, why)
		}
	}
}

// cause says in words why an interruption is over, "" if it is not.
func (m *Model) cause(i *model.Interruption) string {
	if i.Kind == model.KindDownload {
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
	case model.KindCrash:
		if t.Crash == nil && (f == nil || f.Crash == nil) {
			return "another document was loaded"
		}
		return ""
	case model.KindUnresponsive:
		if f == nil || f.Unresponsive == nil {
			return "the renderer is responsive again"
		}
		return ""
	case model.KindNewTab:
		return ""
	case model.KindHTTPLogin, model.KindProxyLogin:
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
func (m *Model) forgetQueue(c model.ContextID) {
	delete(m.choosers, c)
	s := m.mutable()
	s.RecentInterrupts = slices.DeleteFunc(s.RecentInterrupts, func(i *model.Interruption) bool { return i.Context == c })
}
