package dialogs

import (
	"cmp"
	"maps"
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// StandbyEvent is an event of the standby connection.
type StandbyEvent struct{ Event cdp.Event }

// InputName returns the name in recordings.
func (*StandbyEvent) InputName() string { return "StandbyEvent" }

// StandbyLost is the command for the end of the standby connection.
type StandbyLost struct{}

// InputName returns the name in recordings.
func (*StandbyLost) InputName() string { return "StandbyLost" }

// standbyTab is the state of a tab on the standby connection.
type standbyTab struct {
	session string
	dialog  *dialogEvent // open, as far as it was reported
}

// ConnectionLost updates the dialogs after the connection ended.
func (m *Dialogs) ConnectionLost() {
	clear(m.unmatched)
	s := m.Edit()
	for _, d := range slices.Clone(s.Dialogs) {
		if d.Ended != nil {
			m.CloseLost(d)
			continue
		}
		if d.Checking {
			m.checkFailed(d)
			continue
		}
		// Whether an answer in flight arrived will show; until then it counts as not given.
		m.replace(d.ID, func(d *model.Dialog) { d.Answering, d.UnconfirmedBy = "", cmp.Or(d.Answering, d.UnconfirmedBy) })
	}
	for _, id := range slices.Sorted(maps.Keys(m.standby)) {
		if e := m.standby[id].dialog; e != nil {
			m.standbyDialog(id, e)
		}
	}
	m.UpdateReach()
}

// standbyEvent folds in an event of the standby connection. It counts for tabs whose dialogs the main one does not
// report.
func (m *Dialogs) standbyEvent(c *StandbyEvent) {
	ev := &c.Event
	var p struct {
		SessionID string          `json:"sessionId"`
		Info      core.TargetInfo `json:"targetInfo"`
	}
	switch ev.Method {
	case "Target.attachedToTarget":
		if core.Decode(ev, &p) && p.SessionID != "" && p.Info.Kind() == "page" {
			m.standby[p.Info.TargetID] = &standbyTab{session: p.SessionID}
			m.SendStandby(p.SessionID, "Page.enable", nil, core.Tag{Kind: core.TagStandby})
		}
		m.UpdateReach()
	case "Target.detachedFromTarget":
		if core.Decode(ev, &p) {
			for id, t := range m.standby {
				if t.session == p.SessionID {
					delete(m.standby, id)
				}
			}
			m.UpdateReach()
		}
	case "Page.javascriptDialogOpening":
		m.standbyOpening(ev)
	case "Page.javascriptDialogClosed":
		m.standbyClosed(ev)
	}
}

// standbyEnabled records that the standby connection reports a tab's dialogs from now on.
func (m *Dialogs) standbyEnabled(r *core.Reply) {
	if id, _ := m.standbyTabOf(r.Session); id != "" && r.Err == nil {
		if t := m.Tab(id); t != nil {
			t.Standby = true
		}
	}
}

// standbyTabOf finds the tab of a CDP session of the standby connection.
func (m *Dialogs) standbyTabOf(session string) (model.TargetID, *standbyTab) {
	for id, t := range m.standby {
		if t.session == session {
			return id, t
		}
	}
	return "", nil
}

func (m *Dialogs) standbyOpening(ev *cdp.Event) {
	id, t := m.standbyTabOf(ev.SessionID)
	p := &dialogEvent{}
	if t == nil || !core.Decode(ev, p) {
		return
	}
	t.dialog = p
	if !m.ReportsDialogs(id) {
		m.standbyDialog(id, p)
	}
	m.UpdateReach()
}

func (m *Dialogs) standbyClosed(ev *cdp.Event) {
	var p dialogEnd
	id, t := m.standbyTabOf(ev.SessionID)
	if t == nil || !core.Decode(ev, &p) {
		return
	}
	t.dialog = nil
	if d := m.State().NativeDialog(id); d != nil && d.Session == "" || d != nil && !m.ReportsDialogs(id) && d.Session != m.State().Tabs[id].Session {
		end := p.ending(d)
		m.closeByAnswerer(d, end.Accepted, end.Text)
	}
	m.UpdateReach()
}

// standbyDialog folds in a dialog that only the standby connection can answer. A tab has one at a time: another that is
// thought to be open has been closed.
func (m *Dialogs) standbyDialog(tab model.TargetID, e *dialogEvent) {
	if m.State().Tabs[tab] == nil {
		return
	}
	if d := m.State().NativeDialog(tab); d != nil {
		if e.describes(d) {
			return
		}
		m.closeUnreported(d)
	}
	m.Show(e.dialog(tab))
}

// standbyLost records the end of the standby connection.
func (m *Dialogs) standbyLost(*StandbyLost) {
	clear(m.standby)
	s := m.Edit()
	for _, id := range s.Order {
		if s.Tabs[id].Standby {
			m.Tab(id).Standby = false
		}
	}
	for _, d := range slices.Clone(s.Dialogs) {
		if t := s.Tabs[d.Tab]; d.Answering != "" && t != nil && !d.Bridge && d.Session != t.Session { // its answer went that way
			if d.Ended != nil {
				m.CloseLost(d)
				continue
			}
			m.replace(d.ID, func(d *model.Dialog) { d.Answering, d.UnconfirmedBy = "", d.Answering })
			m.CheckGuards(d.Tab)
		}
	}
	m.UpdateReach()
}
