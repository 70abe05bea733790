package core

import (
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// NoteTab adds a change of a tab to those of the present input.
func (m *Core) NoteTab(t *model.Tab, c model.Change) {
	c.Tab, c.Number, c.Context = t.ID, t.Number, t.Context
	m.Note(c)
}

// Note adds a change that belongs to no tab.
func (m *Core) Note(c model.Change) {
	c.At = m.now
	c.Shorten()
	m.changes = append(m.changes, c)
}

// NoteFrame adds a change of a frame.
func (m *Core) NoteFrame(t *model.Tab, f *model.Frame, kind model.ChangeKind) {
	m.NoteTab(t, model.Change{Kind: kind, Frame: f.ID, URL: f.URL})
}

// NoteNavigation adds a change for a new address of a frame; the main frame's is the tab's.
func (m *Core) NoteNavigation(t *model.Tab, f *model.Frame) {
	if f.ID == t.Main {
		m.NoteTab(t, model.Change{Kind: model.TabNavigated, Frame: f.ID, URL: f.URL})
		return
	}
	m.NoteFrame(t, f, model.FrameNavigated)
}

// Complete completes a change that did not come from the fold.
func (m *Core) Complete(c *model.Change) {
	if t := m.state.Tabs[c.Tab]; t != nil {
		c.Context, c.Number = t.Context, t.Number
	}
	c.At = m.now
	c.Shorten()
}
