package targets

import (
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// maxKeptOrder bounds the frames whose position among their siblings is stored while they move between two processes.
const maxKeptOrder = 100

// newFrame puts a frame into a tab.
func (m *Targets) newFrame(t *model.Tab, id model.FrameID, session string) *model.Frame {
	m.framesMade++
	f := &model.Frame{ID: id, Tab: t.ID, Session: session, Order: m.framesMade}
	if born, back := m.keptOrder[id]; back {
		f.Order = born
		delete(m.keptOrder, id)
	}
	m.OwnFrame(t, f)
	return f
}

// attach inserts a frame below its parent. A parent that is unknown (its removal was reported first) or that is below
// the frame itself is replaced by the present parent, or by the top frame: a tree stays a tree in any order of events.
// Once the parent is known the frame is moved below it: after an outage the frames of other processes are reported
// before those that contain them.
func (m *Targets) attach(t *model.Tab, f *model.Frame, parent model.FrameID) {
	if f.ID == t.Main {
		f.Parent = ""
		return
	}
	if parent != "" { // else it is the root of a process, whose parent is not reported
		delete(m.orphans, f.ID)
	}
	for _, p := range []model.FrameID{parent, f.Parent, t.Main} {
		if p != "" && reachesTop(t, f.ID, p) {
			f.Parent = p
			break
		}
	}
	if parent != "" && f.Parent != parent {
		m.noteOrphan(f.ID, parent)
	}
	for id, wanted := range m.orphans {
		if child := t.Frames[id]; wanted == f.ID && child != nil && reachesTop(t, id, f.ID) {
			m.Frame(t, id).Parent = f.ID
			delete(m.orphans, id)
		}
	}
}

// noteOrphan records the parent of a frame that cannot be attached to it yet and is elsewhere in the tree until then.
func (m *Targets) noteOrphan(id, parent model.FrameID) {
	if len(m.orphans) >= maxKeptOrder {
		clear(m.orphans)
	}
	m.orphans[id] = parent
}

// reachesTop reports whether the way up from a frame ends at the top frame without
// meeting below.
func reachesTop(t *model.Tab, below, id model.FrameID) bool {
	for range len(t.Frames) + 1 {
		switch f := t.Frames[id]; {
		case id == below || f == nil:
			return false
		case id == t.Main:
			return true
		default:
			id = f.Parent
		}
	}
	return false
}

// frameSwappedOut records that a frame now lives in a process of its own.
func (m *Targets) frameSwappedOut(t *model.Tab, info *core.TargetInfo, session string) {
	id := model.FrameID(info.TargetID)
	if id == t.Main {
		return
	}
	f := m.Frame(t, id)
	if f == nil {
		f = m.newFrame(t, id, "")
		f.URL = info.URL
		m.attach(t, f, info.ParentFrameID)
		m.NoteFrame(t, f, model.FrameAttached)
	}
	f.OOPIF, f.Session, f.MainContext, f.Crash = true, session, "", nil
	if info.URL != "" {
		f.URL = info.URL
	}
}

func (m *Targets) frameAttached(ev *cdp.Event) {
	var p struct {
		ID     model.FrameID `json:"frameId"`
		Parent model.FrameID `json:"parentFrameId"`
	}
	t := m.TabOf(ev.SessionID)
	if t == nil || !core.Decode(ev, &p) || p.ID == "" || p.ID == t.Main {
		return
	}
	old := t.Frames[p.ID]
	if old != nil && old.OOPIF && old.Session != ev.SessionID && m.Sessions[old.Session].Tab == t.ID {
		// The frame still exists in its own process; it returns only after that session ends.
		m.attach(t, m.Frame(t, p.ID), p.Parent)
		return
	}
	f := m.newFrame(t, p.ID, ev.SessionID)
	if old != nil {
		f.Parent, f.Order = old.Parent, old.Order
	}
	t.UpdateUnresponsive()
	m.attach(t, f, p.Parent)
	if old == nil {
		m.NoteFrame(t, f, model.FrameAttached)
	}
}

func (m *Targets) frameDetached(ev *cdp.Event) {
	var p struct {
		ID     model.FrameID `json:"frameId"`
		Reason string        `json:"reason"`
	}
	t := m.TabOf(ev.SessionID)
	if t == nil || !core.Decode(ev, &p) || p.ID == t.Main || p.Reason == "swap" {
		return
	}
	m.removeFrame(t, p.ID)
	m.bridge.CloseStale(t.ID)
}

// removeFrame removes a frame and all below it.
func (m *Targets) removeFrame(t *model.Tab, id model.FrameID) {
	if id == t.Main {
		return
	}
	if t.Frames[id] == nil {
		return
	}
	below := t.ByParent()
	var remove func(model.FrameID)
	remove = func(id model.FrameID) {
		m.NoteFrame(t, t.Frames[id], model.FrameDetached)
		delete(t.Frames, id)
		for _, c := range below[id] {
			remove(c.ID)
		}
	}
	remove(id)
	if u := t.Unresponsive; u != nil && t.Frames[u.Frame] == nil {
		t.UpdateUnresponsive()
	}
}
