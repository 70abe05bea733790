// Package interrupts has the queue of interruptions: file choosers, logins, permission requests, crashes, and so on.
package interrupts

import (
	"fmt"
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Queue contains the interruptions other than dialogs.
type Queue struct {
	*core.Core
	count      int                      // of interruptions so far, for their numbers
	choosers   map[model.ContextID]bool // contexts whose file choosers become interruptions
	cancelling map[string]bool          // CDP sessions in which file choosers are being cancelled
	printing   map[model.TargetID]int   // how many commands print a tab now
}

// New returns an empty queue.
func New(c *core.Core) *Queue {
	return &Queue{Core: c, choosers: map[model.ContextID]bool{}, cancelling: map[string]bool{}, printing: map[model.TargetID]int{}}
}

// Handlers returns the handlers of the queue.
func (m *Queue) Handlers() core.Handlers {
	return core.Handlers{
		Events:   map[string]func(*cdp.Event){"Page.fileChooserOpened": m.chooserOpened},
		Commands: []core.CommandHandler{core.Handle(m.resolve), core.Handle(m.setChoosers), core.Handle(m.setPrinting)},
	}
}

// Bounds of the lists.
const (
	MaxOpen   = 100
	MaxRecent = 50
)

// Resolve changes the state of an interruption.
type Resolve struct {
	ID      string
	Step    ResolveStep
	By      model.ClosedBy
	Outcome string
}

// InputName returns the name in recordings.
func (*Resolve) InputName() string { return "Resolve" }

// ResolveStep is a step of resolving an interruption.
type ResolveStep int

// The steps: an answer is in flight, it failed, the interruption is closed.
const (
	ResolveClaim ResolveStep = iota
	ResolveRelease
	ResolveClose
)

func (m *Queue) resolve(r *Resolve) {
	s := m.Edit()
	i := slices.IndexFunc(s.Interrupts, func(i *model.Interruption) bool { return i.ID == r.ID })
	if i < 0 {
		return
	}
	if r.Step == ResolveClose {
		m.Close(s.Interrupts[i], r.By, r.Outcome)
		return
	}
	c := *s.Interrupts[i]
	c.Claimed = r.Step == ResolveClaim
	s.Interrupts[i] = &c
	m.CheckGuards(c.Tab)
}

// Open adds one. The list is bounded: beyond the limit the oldest notice is dropped, or else the oldest of all.
func (m *Queue) Open(i *model.Interruption) *model.Interruption {
	s := m.Edit()
	m.count++
	i.Number, i.OpenedAt = m.count, m.Now()
	i.ID = fmt.Sprintf("i-%d", i.Number)
	if t := s.Tabs[i.Tab]; t != nil {
		i.Context = t.Context
		f := t.Frames[i.Frame]
		if f == nil {
			i.Frame = ""
		} else {
			i.Loader, i.PendingURL = f.Loader, f.PendingURL
		}
		if f != nil && i.Origin == "" {
			i.Origin = model.Origin(f.URL)
		}
	}
	s.Interrupts = append(s.Interrupts, i)
	m.noteChange(i, model.InterruptionOpened, i.Message)
	if len(s.Interrupts) > MaxOpen {
		oldest := max(0, slices.IndexFunc(s.Interrupts, func(i *model.Interruption) bool { return i.Notice }))
		m.Close(s.Interrupts[oldest], model.ByPolicy, "dropped: too many interruptions were open")
	}
	if i.Blocks {
		m.CheckGuards(i.Tab)
	}
	return i
}

// Close closes an interruption with its cause and outcome.
func (m *Queue) Close(i *model.Interruption, by model.ClosedBy, outcome string) {
	s := m.Edit()
	s.Interrupts = slices.DeleteFunc(s.Interrupts, func(o *model.Interruption) bool { return o.ID == i.ID })
	c := *i
	c.ClosedAt, c.ClosedBy, c.Outcome = m.Now(), by, outcome
	s.RecentInterrupts = core.AppendBounded(s.RecentInterrupts, &c, MaxRecent)
	m.noteChange(&c, model.InterruptionClosed, outcome)
	m.CheckGuards(i.Tab)
}

// noteChange adds a change; what the queue shares with other kinds of
// changes has been reported.
func (m *Queue) noteChange(i *model.Interruption, kind model.ChangeKind, text string) {
	switch i.Kind {
	case model.KindCrash, model.KindDownload, model.KindNewTab, model.KindUnresponsive:
		return
	}
	number := 0
	if t := m.State().Tabs[i.Tab]; t != nil {
		number = t.Number
	}
	m.Note(model.Change{Kind: kind, Context: i.Context, Number: number, Tab: i.Tab, Frame: i.Frame, ID: i.ID, URL: i.Origin,
		Detail: string(i.Kind), By: i.ClosedBy, Text: text})
}

// Forget drops the data of a browser context that no longer exists.
func (m *Queue) Forget(c model.ContextID) {
	delete(m.choosers, c)
	s := m.Edit()
	s.RecentInterrupts = slices.DeleteFunc(s.RecentInterrupts, func(i *model.Interruption) bool { return i.Context == c })
}
