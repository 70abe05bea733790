package supervisor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// spareTab is what the standby connection knows of a tab.
type spareTab struct {
	session string
	dialog  *dialogEvent // open, as far as it has heard
}

// start sends what begins the watch on a new connection.
func (m *Model) start() {
	if m.cur.Outage != nil {
		m.seen = map[model.TargetID]bool{}
	}
	m.send("", "Target.getBrowserContexts", nil, Tag{Kind: TagIdentity})
	m.send("", "Target.setDiscoverTargets", obj{"discover": true}, Tag{})
	for _, c := range slices.Sorted(maps.Keys(m.roots)) {
		for _, cmd := range m.roots[c] {
			m.send("", cmd.Method, cmd.Params, Tag{})
		}
	}
	m.send("", "Target.setAutoAttach", autoAttach(), Tag{Kind: TagFound})
}

// SetRoot makes a command about a context part of the beginning of every later connection. One of the same method
// and name takes the place of the last.
func (m *Model) SetRoot(c model.ContextID, cmd InitCommand) {
	list := slices.DeleteFunc(slices.Clone(m.roots[c]), func(o InitCommand) bool { return o.Method == cmd.Method && o.Name == cmd.Name })
	m.roots[c] = append(list, cmd)
}

// lost notes that the connection ended and another will come.
func (m *Model) lost(cause error) {
	s := m.mutable()
	if s.Outage == nil {
		s.Outage = &model.Outage{Since: m.now, Cause: cause}
		m.noteAny(model.Change{Kind: model.BrowserOutage, Text: cause.Error()})
	}
	for _, id := range s.Order {
		t := m.tab(id)
		t.Session, t.Ready, m.stale[id] = "", false, true
		for id := range t.Frames {
			f := m.frame(t, id)
			f.Session, f.MainContext, f.Going, f.Unresponsive = "", "", "", nil
		}
		t.UpdateUnresponsive()
		m.block(id)
	}
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		m.bridgeLost(id)
		m.tell("Target.detachedFromTarget", fmt.Appendf(nil, `{"sessionId":%q}`, id), m.sessions[id].tab)
	}
	clear(m.sessions)
	m.forgetCancelled()
	m.forgetProbes()
	m.dialogsOutage()
}

// dialogsOutage notes for the dialogs that the connection ended.
func (m *Model) dialogsOutage() {
	clear(m.strays)
	s := m.mutable()
	for _, d := range slices.Clone(s.Dialogs) {
		if d.Ended != nil {
			m.loseDialog(d)
			continue
		}
		if d.Checking {
			m.askAfterAll(d)
			continue
		}
		// Whether an answer on its way arrived will show; until then it counts as not given.
		m.replaceDialog(d.ID, func(d *model.Dialog) { d.Answering, d.Tried = "", cmp.Or(d.Answering, d.Tried) })
	}
	for _, id := range slices.Sorted(maps.Keys(m.spares)) {
		if e := m.spares[id].dialog; e != nil {
			m.spareDialog(id, e)
		}
	}
	m.judgeDialogs()
}

// tell has the Tap hear what no connection tells any more.
func (m *Model) tell(method string, params []byte, tab model.TargetID) {
	m.do(Effect{Tell: &Told{Event: cdp.Event{Method: method, Params: params}, Tab: tab}})
}

// identified compares the browser with the one that was lost.
func (m *Model) identified(r *Reply) {
	var p struct {
		Default model.ContextID `json:"defaultBrowserContextId"`
	}
	if r.Err != nil || !decodeEvent(&cdp.Event{Params: r.Result}, &p) || p.Default == "" {
		return
	}
	if m.identity != "" && m.identity != p.Default {
		m.closed(model.ErrOtherBrowser)
	}
	m.identity = p.Default
}

// found ends the outage: every target that is there has been told of, and every page has a CDP session.
func (m *Model) found(r *Reply) {
	s := m.mutable()
	if r.Err != nil || s.Closed != nil {
		return
	}
	seen := m.seen
	m.seen = nil
	if s.Outage == nil || seen == nil {
		return // the first connection
	}
	for _, id := range slices.Clone(s.Order) {
		if !seen[id] {
			m.removeTab(id)
			m.tell("Target.targetDestroyed", fmt.Appendf(nil, `{"targetId":%q}`, id), id)
		}
	}
	s.Outage = nil
	m.noteAny(model.Change{Kind: model.BrowserBack})
	for _, id := range s.Order {
		m.block(id)
	}
	m.judgeDialogs()
}

// settle takes out the frames that a CDP session should have told of and did not: those below one of its own that have
// no session themselves. The children in its process came with its frame tree, those in processes of their own were
// attached before the reply to Target.setAutoAttach (measured on Chromium 156).
func (m *Model) settle(session string) {
	info := m.sessions[session]
	t := m.tab(info.tab)
	if t == nil || !info.tree || !info.children {
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
	if info.kind == "page" && info.running && t.Session == session {
		t.Ready = true
		delete(m.stale, t.ID)
	}
}

// enabled notes that a page's CDP session hears of dialogs from now on. That it could be enabled at all means that no
// dialog holds the page: one that was open before the session is closed.
func (m *Model) enabled(r *Reply) {
	info, ok := m.sessions[r.Session]
	if !ok || info.kind != "page" || r.Err != nil {
		return
	}
	info.enabled = true
	m.sessions[r.Session] = info
	m.closeEarlier(info.tab, r.Session)
}

// closeEarlier closes the dialogs of a tab that opened before a CDP session.
func (m *Model) closeEarlier(tab model.TargetID, session string) {
	for {
		i := slices.IndexFunc(m.cur.Dialogs, func(d *model.Dialog) bool { return d.Tab == tab && !d.Bridge && d.Session != session })
		if i < 0 {
			return
		}
		m.closeUntold(m.cur.Dialogs[i])
	}
}

// closeUntold is closeUnseen where it is not known how it ended either: as whoever had an answer on its way wanted.
func (m *Model) closeUntold(d *model.Dialog) {
	if d.Answering != "" || d.Tried != "" {
		m.closeUnseen(d, d.Accepted, d.Answer)
		return
	}
	m.closeUnseen(d, false, "")
}

// closeUnseen closes a dialog whose end nobody told on its own connection: by whoever had an answer on its way, if anybody.
func (m *Model) closeUnseen(d *model.Dialog, accepted bool, text string) {
	m.closeDialog(d, cmp.Or(cmp.Or(d.Answering, d.Tried), model.ByRemote), accepted, text)
}

// hears says that the dialogs of a tab are told on the main connection.
func (m *Model) hears(tab model.TargetID) bool {
	t := m.cur.Tabs[tab]
	return t != nil && t.Session != "" && m.sessions[t.Session].enabled
}

// spare folds in what the standby connection says. It counts for tabs that the main one does not hear.
func (m *Model) spare(ev *cdp.Event) {
	var p struct {
		SessionID string     `json:"sessionId"`
		Info      targetInfo `json:"targetInfo"`
	}
	switch ev.Method {
	case "Target.attachedToTarget":
		if decodeEvent(ev, &p) && p.SessionID != "" && p.Info.kind() == "page" {
			m.spares[p.Info.TargetID] = &spareTab{session: p.SessionID}
			m.sendStandby(p.SessionID, "Page.enable", nil, Tag{Kind: TagSpare})
		}
		m.judgeDialogs()
	case "Target.detachedFromTarget":
		if decodeEvent(ev, &p) {
			for id, t := range m.spares {
				if t.session == p.SessionID {
					delete(m.spares, id)
				}
			}
			m.judgeDialogs()
		}
	case "Page.javascriptDialogOpening":
		m.spareOpening(ev)
	case "Page.javascriptDialogClosed":
		m.spareClosed(ev)
	}
}

// spareEnabled notes that the standby connection hears of a tab's dialogs from now on.
func (m *Model) spareEnabled(r *Reply) {
	if id, _ := m.spareOf(r.Session); id != "" && r.Err == nil {
		if t := m.tab(id); t != nil {
			t.Standby = true
		}
	}
}

// spareOf finds the tab of a CDP session of the standby connection.
func (m *Model) spareOf(session string) (model.TargetID, *spareTab) {
	for id, t := range m.spares {
		if t.session == session {
			return id, t
		}
	}
	return "", nil
}

func (m *Model) spareOpening(ev *cdp.Event) {
	id, t := m.spareOf(ev.SessionID)
	p := &dialogEvent{}
	if t == nil || !decodeEvent(ev, p) {
		return
	}
	t.dialog = p
	if !m.hears(id) {
		m.spareDialog(id, p)
	}
	m.judgeDialogs()
}

func (m *Model) spareClosed(ev *cdp.Event) {
	var p dialogEnd
	id, t := m.spareOf(ev.SessionID)
	if t == nil || !decodeEvent(ev, &p) {
		return
	}
	t.dialog = nil
	if d := m.cur.NativeDialog(id); d != nil && d.Session == "" || d != nil && !m.hears(id) && d.Session != m.cur.Tabs[id].Session {
		end := p.ending(d)
		m.closeUnseen(d, end.Accepted, end.Text)
	}
	m.judgeDialogs()
}

// spareDialog folds in a dialog that only the standby connection can answer. A tab has one at a time: another that is
// thought to be open has been closed.
func (m *Model) spareDialog(tab model.TargetID, e *dialogEvent) {
	if m.cur.Tabs[tab] == nil {
		return
	}
	if d := m.cur.NativeDialog(tab); d != nil {
		if e.describes(d) {
			return
		}
		m.closeUntold(d)
	}
	m.showDialog(e.dialog(tab))
}

// spareLost notes the end of the standby connection.
func (m *Model) spareLost() {
	clear(m.spares)
	s := m.mutable()
	for _, id := range s.Order {
		if s.Tabs[id].Standby {
			m.tab(id).Standby = false
		}
	}
	for _, d := range slices.Clone(s.Dialogs) {
		if t := s.Tabs[d.Tab]; d.Answering != "" && t != nil && (d.Bridge || d.Session != t.Session) { // its answer went that way
			if d.Ended != nil {
				m.loseDialog(d)
				continue
			}
			m.replaceDialog(d.ID, func(d *model.Dialog) { d.Answering, d.Tried = "", d.Answering })
			m.block(d.Tab)
		}
	}
	m.judgeDialogs()
}

// judgeDialogs says of each open dialog how it can be answered now, and answers those whose time was over before.
func (m *Model) judgeDialogs() {
	for i := 0; i < len(m.cur.Dialogs); i++ {
		d := m.cur.Dialogs[i]
		if reach := m.reach(d); reach != d.Reach {
			s := m.mutable()
			c := *d
			c.Reach = reach
			s.Dialogs[i], d = &c, &c
		}
		if due := m.due[d.ID]; due != nil && d.Reach != model.ReachNone && d.Waits() {
			a := *due
			a.Accept = a.Accept && (d.Reach == model.ReachFull || d.Type == "alert")
			m.answer(&a)
		}
	}
}

func (m *Model) reach(d *model.Dialog) model.Reach {
	t := m.cur.Tabs[d.Tab]
	switch {
	case t == nil:
		return model.ReachNone
	case d.Bridge: // it ends with the connection
		return model.ReachFull
	case t.Session != "" && t.Session == d.Session:
		return model.ReachFull
	case m.spares[d.Tab] != nil && m.spares[d.Tab].dialog != nil:
		return model.ReachFull
	case t.Session != "":
		return model.ReachDismiss
	}
	return model.ReachNone
}

// sendAnswer sends an answer the way that is open, and reports whether there was one.
func (m *Model) sendAnswer(t *model.Tab, d *model.Dialog, a *Answer, params obj) bool {
	tag := Tag{Kind: TagAnswer, Dialog: d.ID}
	switch reach := m.reach(d); {
	case reach == model.ReachNone, reach == model.ReachDismiss && !d.Dismissible(a.Accept):
		return false
	case reach == model.ReachDismiss:
		tag.Kind = TagRelease
		m.send(t.Session, "Page.navigate", obj{"url": nowhere}, tag)
	case t.Session != "" && t.Session == d.Session:
		m.send(t.Session, "Page.handleJavaScriptDialog", params, tag)
	default:
		m.sendStandby(m.spares[d.Tab].session, "Page.handleJavaScriptDialog", params, tag)
	}
	return true
}

// released handles the reply to a release: on success the dialog has been told closed. The page stays held when Chromium
// refused.
func (m *Model) released(r *Reply) {
	d := m.openDialog(r.Tag.Dialog)
	switch {
	case d == nil || d.Answering == "":
	case d.Ended != nil || r.Err == nil:
		m.closeDialog(d, d.Answering, false, "")
	default:
		m.replaceDialog(d.ID, func(d *model.Dialog) { d.Answering = "" })
		m.block(d.Tab)
	}
}
