// Package core has what the features of the fold share: the state under construction, the CDP sessions, and the effects
// and changes of the present input.
package core

import (
	"maps"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Core is the state being folded. It is not for concurrent use; Snapshot returns what other goroutines may read.
type Core struct {
	state        *model.State
	shared       bool                    // cur has been handed out
	internal     bool                    // what has changed since then no reader could see
	copiedTabs   map[model.TargetID]bool // tabs copied since then, free to change
	copiedFrames map[*model.Frame]bool   // frames copied or made since then
	effects      []Effect
	changes      []model.Change // of the last input; reused
	now          time.Time
	seq          uint64

	// Stealth avoids what a page can detect (Runtime.enable).
	Stealth bool
	// Sessions are the attached CDP sessions, by id.
	Sessions map[string]Session
}

// New returns the core of a model before any event.
func New(stealth bool) *Core {
	return &Core{
		state: model.NewState(), copiedTabs: map[model.TargetID]bool{}, copiedFrames: map[*model.Frame]bool{},
		Sessions: map[string]Session{}, Stealth: stealth,
	}
}

// Begin prepares for the next input, which arrived at the time now.
func (m *Core) Begin(now time.Time) {
	m.effects, m.changes, m.now = nil, m.changes[:0], now
	m.seq++
}

// Effects returns the effects of the present input, in order.
func (m *Core) Effects() []Effect { return m.effects }

// Changes returns the changes of the present input. They are valid until the next one.
func (m *Core) Changes() []model.Change { return m.changes }

// Now returns the time of the present input.
func (m *Core) Now() time.Time { return m.now }

// Seq returns the number of the present input.
func (m *Core) Seq() uint64 { return m.seq }

// State returns the present state, for reading.
func (m *Core) State() *model.State { return m.state }

// Frame returns a frame of a tab, both for changing, or nil.
func (m *Core) Frame(t *model.Tab, id model.FrameID) *model.Frame {
	f := t.Frames[id]
	if f == nil || m.copiedFrames[f] {
		return f
	}
	c := *f
	t.Frames[id] = &c
	m.copiedFrames[&c] = true
	return &c
}

// SetPendingURL records that a frame navigates to an address, or, for an empty one, that its navigation ended without a new
// document.
func (m *Core) SetPendingURL(t *model.Tab, frame model.FrameID, url string) {
	f := m.Frame(t, frame)
	if f == nil || f.PendingURL == url {
		return
	}
	if url != "" {
		m.NoteTab(t, model.Change{Kind: model.LoadStarted, Frame: f.ID, URL: url})
	} else {
		m.NoteTab(t, model.Change{Kind: model.LoadStopped, Frame: f.ID, URL: f.PendingURL})
	}
	f.PendingURL = url
}

// Snapshot returns the present state. It costs nothing; the next change copies what it changes.
func (m *Core) Snapshot() *model.State {
	m.shared, m.internal = true, false
	return m.state
}

// Dirty reports whether the state changed since the last Snapshot, in fields for readers.
func (m *Core) Dirty() bool { return !m.shared && !m.internal }

// SetInternal sets whether the changes since the last Snapshot are in no field for readers.
func (m *Core) SetInternal(unseen bool) { m.internal = unseen }

// Edit returns the state for changing.
func (m *Core) Edit() *model.State {
	if m.shared {
		m.state = m.state.Clone()
		clear(m.copiedTabs)
		clear(m.copiedFrames)
		m.shared = false
	}
	m.internal = false
	m.state.Seq = m.seq
	return m.state
}

// Tab returns a tab for changing, or nil.
func (m *Core) Tab(id model.TargetID) *model.Tab {
	s := m.Edit()
	t := s.Tabs[id]
	if t == nil || m.copiedTabs[id] {
		return t
	}
	c := *t
	c.Frames = maps.Clone(t.Frames)
	s.Tabs[id] = &c
	m.copiedTabs[id] = true
	return &c
}

// AddTab adds to the state a tab that no reader has seen.
func (m *Core) AddTab(t *model.Tab) {
	m.Edit().Tabs[t.ID] = t
	m.copiedTabs[t.ID] = true
}

// RemoveTab removes a tab from the state.
func (m *Core) RemoveTab(id model.TargetID) {
	delete(m.Edit().Tabs, id)
	delete(m.copiedTabs, id)
}

// OwnFrame adds to a tab a frame that no reader has seen.
func (m *Core) OwnFrame(t *model.Tab, f *model.Frame) {
	t.Frames[f.ID] = f
	m.copiedFrames[f] = true
}

// TabOf returns the tab of a CDP session, for changing, or nil.
func (m *Core) TabOf(session string) *model.Tab {
	info, ok := m.Sessions[session]
	if !ok || info.Tab == "" {
		return nil
	}
	return m.Tab(info.Tab)
}

// TabWithFrame returns the tab of a frame, for changing.
func (m *Core) TabWithFrame(id model.FrameID) *model.Tab {
	if f := m.state.Frame(id); f != nil {
		return m.Tab(f.Tab)
	}
	return nil
}
