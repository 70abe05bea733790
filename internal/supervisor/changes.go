package supervisor

import (
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// note adds a change of a tab to those of the input at hand.
func (m *Model) note(t *model.Tab, c model.Change) {
	c.Tab, c.Number, c.Context = t.ID, t.Number, t.Context
	m.noteAny(c)
}

// noteAny adds a change that belongs to no tab.
func (m *Model) noteAny(c model.Change) {
	c.At = m.now
	c.Shorten()
	m.changes = append(m.changes, c)
}

// noteFrame adds a change of a frame.
func (m *Model) noteFrame(t *model.Tab, f *model.Frame, kind model.ChangeKind) {
	m.note(t, model.Change{Kind: kind, Frame: f.ID, URL: f.URL})
}

// noteNavigation tells of a new address of a frame; the main frame's is the tab's.
func (m *Model) noteNavigation(t *model.Tab, f *model.Frame) {
	if f.ID == t.Main {
		m.note(t, model.Change{Kind: model.TabNavigated, Frame: f.ID, URL: f.URL})
		return
	}
	m.noteFrame(t, f, model.FrameNavigated)
}
