package targets

import (
	"fmt"
	"maps"
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// The model outlives its connection. When that of an attached browser is lost, tabs, frames, dialogs and downloads stay
// as they were at the end, without CDP sessions. On the next connection everything is discovered again under the same
// ids and compared: what is still there stays, what vanished meanwhile is removed.
//
// A dialog is the one thing a new connection cannot take over: Chromium answers "No dialog is showing" to it, while
// Page.enable and all that needs the renderer hang (measured on Chromium 156). Two ways remain. A standby connection
// that was there when the dialog opened can answer it without restrictions. Without one the dialog can be dismissed by
// a navigation within the document: Chromium drops open dialogs when a navigation begins, and this one keeps the page.

// Overflow is the command after events of a CDP session were dropped.
type Overflow struct{ Session string }

// InputName returns the name in recordings.
func (*Overflow) InputName() string { return "Overflow" }

// Closed is the command for the final end of the connection.
type Closed struct{ Cause error }

// InputName returns the name in recordings.
func (*Closed) InputName() string { return "Closed" }

// Lost is the command for the end of a connection that is being restored.
type Lost struct{ Cause error }

// InputName returns the name in recordings.
func (*Lost) InputName() string { return "Lost" }

// Connected is the command for a new connection that has replaced the lost one.
type Connected struct{}

// InputName returns the name in recordings.
func (*Connected) InputName() string { return "Connected" }

// closed ends everything: no tab survives the connection.
func (m *Targets) closed(cause error) {
	s := m.Edit()
	if s.Closed != nil {
		return // the first cause counts
	}
	s.Closed, s.Outage = cause, nil
	m.Note(model.Change{Kind: model.BrowserClosed, Text: cause.Error()})
	for len(s.Dialogs) > 0 {
		m.dialogs.CloseLost(s.Dialogs[0])
	}
	for id := range s.Tabs {
		m.CheckGuards(id)
	}
}

// eventsLost notes that some of what a page did will not be reported.
func (m *Targets) eventsLost(session string) {
	if t := m.Tab(m.Sessions[session].Tab); t != nil {
		t.Overflow = true
		m.NoteTab(t, model.Change{Kind: model.EventsLost})
	}
}

// overflow records that events were lost and reads the target again: what was missed comes with the frame tree.
func (m *Targets) overflow(session string) {
	info, ok := m.Sessions[session]
	if !ok {
		return
	}
	if info.Side() {
		delete(m.Sessions, session) // the connection detaches it, and the next call gets another
		return
	}
	m.eventsLost(session)
	if t := m.Tab(info.Tab); t != nil && info.Kind == "page" {
		t.Ready = false
	}
	m.sessionGone(session)
	m.Send("", "Target.attachToTarget", core.Params{"targetId": info.Target, "flatten": true}, core.Tag{})
}

// sessionGone forgets what was debugged, what was delayed and which scripts were added in a CDP session that has ended.
func (m *Targets) sessionGone(session string) {
	m.debugger.ForgetSession(session)
	m.bridge.ForgetSession(session)
	m.fetch.ForgetSession(session)
	m.scripts.ForgetSession(session)
}

// Start sends what begins the watch on a new connection.
func (m *Targets) Start() {
	if m.State().Outage != nil {
		m.discovered = map[model.TargetID]bool{}
	}
	m.Send("", "Target.getBrowserContexts", nil, core.Tag{Kind: core.TagIdentity})
	m.Send("", "Target.setDiscoverTargets", core.Params{"discover": true}, core.Tag{})
	for _, c := range slices.Sorted(maps.Keys(m.roots)) {
		for _, cmd := range m.roots[c] {
			m.Send("", cmd.Method, cmd.Params, core.Tag{})
		}
	}
	m.Send("", "Target.setAutoAttach", autoAttach(), core.Tag{Kind: core.TagDiscovered})
}

// SetRoot repeats a command about a context at the beginning of every later connection. It replaces one of the same
// method and name.
func (m *Targets) SetRoot(c model.ContextID, cmd model.InitCommand) {
	list := slices.DeleteFunc(slices.Clone(m.roots[c]), func(o model.InitCommand) bool { return o.Method == cmd.Method && o.Name == cmd.Name })
	m.roots[c] = append(list, cmd)
}

// lost records that the connection ended and will be replaced.
func (m *Targets) lost(cause error) {
	s := m.Edit()
	if s.Outage == nil {
		s.Outage = &model.Outage{Since: m.Now(), Cause: cause}
		m.Note(model.Change{Kind: model.BrowserOutage, Text: cause.Error()})
	}
	for _, id := range s.Order {
		t := m.Tab(id)
		t.Session, t.Ready, m.unverified[id] = "", false, true
		for id := range t.Frames {
			f := m.Frame(t, id)
			f.Session, f.MainContext, f.PendingURL, f.Unresponsive = "", "", "", nil
		}
		t.UpdateUnresponsive()
		m.CheckGuards(id)
	}
	for _, id := range slices.Sorted(maps.Keys(m.Sessions)) {
		m.sessionGone(id)
		m.Report("Target.detachedFromTarget", fmt.Appendf(nil, `{"sessionId":%q}`, id), m.Sessions[id].Tab)
	}
	clear(m.Sessions)
	m.interrupts.ForgetSessions()
	m.liveness.ForgetSessions()
	m.dialogs.ConnectionLost()
}

// compareBrowser compares the browser with the one that was lost.
func (m *Targets) compareBrowser(r *core.Reply) {
	var p struct {
		Default model.ContextID `json:"defaultBrowserContextId"`
	}
	if r.Err != nil || !core.Decode(&cdp.Event{Params: r.Result}, &p) || p.Default == "" {
		return
	}
	if m.identity != "" && m.identity != p.Default {
		m.closed(model.ErrOtherBrowser)
	}
	m.identity = p.Default
}

// allDiscovered ends the outage: every target that is there has been reported, and every page has a CDP session.
func (m *Targets) allDiscovered(r *core.Reply) {
	s := m.Edit()
	if r.Err != nil || s.Closed != nil {
		return
	}
	seen := m.discovered
	m.discovered = nil
	if s.Outage == nil || seen == nil {
		return // the first connection
	}
	for _, id := range slices.Clone(s.Order) {
		if !seen[id] {
			m.removeTab(id)
			m.Report("Target.targetDestroyed", fmt.Appendf(nil, `{"targetId":%q}`, id), id)
		}
	}
	s.Outage = nil
	m.Note(model.Change{Kind: model.BrowserBack})
	for _, id := range s.Order {
		m.CheckGuards(id)
	}
	m.dialogs.UpdateReach()
}

// removeVanished removes the frames that a CDP session should have reported and did not: those below one of its own
// that have no session themselves. The children in its process came with its frame tree, those in processes of their
// own were attached before the reply to Target.setAutoAttach (measured on Chromium 156).
func (m *Targets) removeVanished(session string) {
	info := m.Sessions[session]
	t := m.Tab(info.Tab)
	if t == nil || !info.Tree || !info.Children {
		return
	}
	for {
		var gone *model.Frame
		for _, f := range t.Frames {
			if p := t.Frames[f.Parent]; f.Session == "" && f.ID != t.Main && p != nil && p.Session == session {
				gone = f
				break
			}
		}
		if gone == nil {
			break
		}
		m.removeFrame(t, gone.ID)
	}
	if info.Kind == "page" && info.Running && t.Session == session {
		t.Ready = true
		delete(m.unverified, t.ID)
	}
}
