package supervisor

import (
	"maps"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// targetInfo is the part of Target.TargetInfo the model needs.
type targetInfo struct {
	TargetID      model.TargetID  `json:"targetId"`
	Type          string          `json:"type"`
	Subtype       string          `json:"subtype"` // "prerender", "portal": pages nobody sees yet
	Title         string          `json:"title"`
	URL           string          `json:"url"`
	OpenerID      model.TargetID  `json:"openerId"`
	ParentFrameID model.FrameID   `json:"parentFrameId"`
	Context       model.ContextID `json:"browserContextId"`
}

// kind is the target's type, with pages that are not shown told apart.
func (i *targetInfo) kind() string {
	if i.Type == "page" && i.Subtype != "" {
		return i.Subtype
	}
	return i.Type
}

// decodeEvent reads an event's parameters; an event of an unknown shape is
// dropped, for a later Chromium may change what this one sends.
func decodeEvent(ev *cdp.Event, into any) bool {
	return jsonv2.Unmarshal(ev.Params, into, jsontext.AllowInvalidUTF8(true)) == nil
}

// tab returns a tab for changing, or nil.
func (m *Model) tab(id model.TargetID) *model.Tab {
	s := m.mutable()
	t := s.Tabs[id]
	if t == nil || m.owned[id] {
		return t
	}
	c := *t
	c.Frames = maps.Clone(t.Frames)
	s.Tabs[id] = &c
	m.owned[id] = true
	return &c
}

// tabOf returns the tab a CDP session speaks for, for changing, or nil.
func (m *Model) tabOf(session string) *model.Tab {
	info, ok := m.sessions[session]
	if !ok || info.tab == "" {
		return nil
	}
	return m.tab(info.tab)
}

func (m *Model) addTab(info *targetInfo) *model.Tab {
	if m.seen != nil {
		m.seen[info.TargetID] = true
	}
	if t := m.tab(info.TargetID); t != nil {
		return t
	}
	s := m.mutable()
	m.numbers[info.Context]++
	main := model.FrameID(info.TargetID)
	t := &model.Tab{
		ID: info.TargetID, Context: info.Context, Number: m.numbers[info.Context],
		Opener: info.OpenerID, URL: info.URL, Title: info.Title, Main: main,
		Frames: map[model.FrameID]*model.Frame{},
	}
	opener := s.Tabs[t.Opener]
	t.Choosers = m.choosersOf(t.Context) || opener != nil && opener.Choosers
	m.newFrame(t, main, "").URL = info.URL
	s.Tabs[t.ID] = t
	s.Order = append(s.Order, t.ID)
	m.owned[t.ID] = true
	m.note(t, model.Change{Kind: model.TabOpened, URL: t.URL, Text: t.Title})
	m.opened(t)
	return t
}

func (m *Model) targetInfo(ev *cdp.Event) {
	var p struct {
		Info targetInfo `json:"targetInfo"`
	}
	if !decodeEvent(ev, &p) || p.Info.TargetID == "" {
		return
	}
	switch p.Info.kind() {
	case "page":
		t := m.addTab(&p.Info)
		if t.Title != p.Info.Title {
			t.Title = p.Info.Title
			// The browser tells a title late: it belongs to the address told with it, which the tab may have left.
			m.note(t, model.Change{Kind: model.TabTitle, Text: t.Title, URL: p.Info.URL})
		}
		if t.Session == "" {
			t.URL = p.Info.URL
		}
	case "iframe":
		if t := m.tabWithFrame(model.FrameID(p.Info.TargetID)); t != nil {
			if f := m.frame(t, model.FrameID(p.Info.TargetID)); f.OOPIF && p.Info.URL != "" {
				f.URL = p.Info.URL
			}
		}
	}
}

// tabWithFrame finds the tab a frame belongs to, for changing.
func (m *Model) tabWithFrame(id model.FrameID) *model.Tab {
	if f := m.cur.Frame(id); f != nil {
		return m.tab(f.Tab)
	}
	return nil
}

func (m *Model) attached(ev *cdp.Event) {
	var p struct {
		SessionID string     `json:"sessionId"`
		Waiting   bool       `json:"waitingForDebugger"`
		Info      targetInfo `json:"targetInfo"`
	}
	if !decodeEvent(ev, &p) || p.SessionID == "" || p.Info.TargetID == "" {
		return
	}
	info := sessionInfo{kind: p.Info.kind(), target: p.Info.TargetID, context: p.Info.Context}
	parent := m.sessions[ev.SessionID]
	if m.attachedAside(parent, p.SessionID, &p.Info) {
		return
	}
	switch info.kind {
	case "page":
		t := m.addTab(&p.Info)
		for id, f := range t.Frames { // of an earlier session to the same target
			if t.Session != "" && f.Session == t.Session {
				m.frame(t, id).Session = p.SessionID
			}
		}
		t.Session = p.SessionID
		if !m.stale[t.ID] { // after an outage a page is as dead as it was, until it answers
			t.Crash = nil
		}
		m.frame(t, t.Main).Session = p.SessionID
		info.tab = t.ID
	case "iframe":
		info.tab = parent.tab
		if f := m.cur.Frame(model.FrameID(p.Info.TargetID)); info.tab == "" && f != nil {
			info.tab = f.Tab
		}
		if t := m.tab(info.tab); t != nil {
			m.frameSwappedOut(t, &p.Info, p.SessionID)
		}
	default:
		info.tab = parent.tab
	}
	m.sessions[p.SessionID] = info
	m.setUp(p.SessionID, info, p.Waiting)
	if info.kind == "page" {
		m.judgeDialogs()
	}
}

// setUp sends a new session all it needs in one go; the target is paused until
// the last of it. waiting says that nothing has run in it yet.
func (m *Model) setUp(session string, info sessionInfo, waiting bool) {
	frames := framed(info.kind)
	if frames {
		m.send(session, "Page.enable", nil, Tag{Kind: TagEnable})
		// The tree first: enabling the lifecycle events repeats the past ones, which say which frames have loaded.
		m.send(session, "Page.getFrameTree", nil, Tag{Kind: TagTree})
		m.send(session, "Page.setLifecycleEventsEnabled", obj{"enabled": true}, Tag{})
	}
	if frames || isWorker(info.kind) {
		if m.stealth {
			m.watchUnseen(session, frames, waiting)
		} else {
			m.send(session, "Runtime.enable", nil, Tag{})
		}
		m.send(session, "Network.enable", nil, Tag{})
		m.send(session, "Target.setAutoAttach", autoAttach(), Tag{Kind: TagChildren})
	}
	if t := m.cur.Tabs[info.tab]; frames && t != nil && t.Choosers {
		m.interceptChoosers(session, true, false)
	}
	for _, cmd := range m.inits[info.context] {
		if info.kind == "page" || cmd.Frames && info.kind == "iframe" {
			m.send(session, cmd.Method, cmd.Params, Tag{})
		}
	}
	if frames {
		if _, on := m.cur.Bridges[info.context]; on {
			m.bridgeSession(session)
		}
	}
	if info.kind == "page" && !m.stealth {
		m.listen(session)
	}
	if frames {
		m.askIn(session, info.context)
		m.fetchIn(session, info.context)
	}
	m.send(session, "Runtime.runIfWaitingForDebugger", nil, Tag{Kind: TagRun})
	if info.kind == "page" && !m.stealth && m.script != "" { // long: the first document is not kept waiting for it
		m.send(session, "Page.addScriptToEvaluateOnNewDocument", obj{"source": m.script, "worldName": model.WorldName}, Tag{})
	}
}

// framed says that a target of that kind holds frames.
func framed(kind string) bool { return kind == "page" || kind == "iframe" }

// watchUnseen has the console told without Runtime.enable, which makes the browser
// look at what a page logs, so that a page notices. A document or worker that lives
// already could have replaced what the reporter uses, and does without it.
func (m *Model) watchUnseen(session string, framed, waiting bool) {
	m.send(session, "Console.enable", nil, Tag{})
	switch {
	case m.reporter == "":
	case framed:
		m.send(session, "Page.addScriptToEvaluateOnNewDocument", obj{"source": m.reporter}, Tag{})
	case waiting:
		m.send(session, "Runtime.evaluate", obj{"expression": m.reporter, "silent": true}, Tag{})
	}
}

func isWorker(kind string) bool {
	return kind == "worker" || kind == "service_worker" || kind == "shared_worker"
}

// running ends the set-up of a page.
func (m *Model) running(r *Reply) {
	info, ok := m.sessions[r.Session]
	if !ok || r.Err != nil {
		return
	}
	info.running = true
	m.sessions[r.Session] = info
	if info.kind != "page" {
		return
	}
	if m.stale[info.tab] {
		m.settle(r.Session)
		return
	}
	if t := m.tab(info.tab); t != nil && t.Session == r.Session {
		t.Ready = true
	}
}

// hasChildren notes that the frames of a CDP session that live in processes of
// their own are attached.
func (m *Model) hasChildren(r *Reply) {
	info, ok := m.sessions[r.Session]
	if !ok || r.Err != nil {
		return
	}
	info.children = true
	m.sessions[r.Session] = info
	m.settle(r.Session)
}

func (m *Model) detached(ev *cdp.Event) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if !decodeEvent(ev, &p) {
		return
	}
	info, ok := m.sessions[p.SessionID]
	if !ok {
		return
	}
	m.ponged(p.SessionID) // a question to it will have no answer
	m.forgetSession(p.SessionID)
	delete(m.sessions, p.SessionID)
	m.forgetChooser(p.SessionID)
	m.bridgeLost(p.SessionID)
	if info.aside() {
		return
	}
	t := m.tab(info.tab)
	if t == nil {
		return
	}
	switch info.kind {
	case "page":
		if t.Session == p.SessionID {
			t.Session, t.Ready = "", false
			m.closeDialogsOf(t.ID)
			m.block(t.ID)
		}
	case "iframe":
		// The frame is gone, or comes back in its parent's process with
		// frameAttached under the same id.
		if f := t.Frames[model.FrameID(info.target)]; f != nil && f.Session == p.SessionID {
			if len(m.places) >= maxPlaces {
				clear(m.places)
			}
			m.places[f.ID] = f.Born
			m.removeFrame(t, f.ID)
		}
	}
}

func (m *Model) targetDestroyed(ev *cdp.Event) {
	var p struct {
		TargetID model.TargetID `json:"targetId"`
	}
	if !decodeEvent(ev, &p) {
		return
	}
	m.removeTab(p.TargetID)
}

// removeTab takes a tab that is gone out of the state.
func (m *Model) removeTab(id model.TargetID) {
	s := m.mutable()
	t := s.Tabs[id]
	if t == nil {
		return
	}
	delete(m.stale, id)
	delete(m.seen, id)
	m.closeDialogsOf(t.ID)
	m.note(t, model.Change{Kind: model.TabClosed, URL: t.URL, Text: t.Title})
	delete(s.Tabs, t.ID)
	delete(m.owned, t.ID)
	m.forgetLogins(t.ID)
	m.forgetPrinting(t.ID)
	s.Order = slices.DeleteFunc(s.Order, func(id model.TargetID) bool { return id == t.ID })
	s.Gone = appendBounded(s.Gone, model.GoneTab{ID: t.ID, Context: t.Context, Number: t.Number, URL: t.URL, At: m.now}, 32)
	for id, info := range m.sessions {
		if info.tab == t.ID {
			m.forgetSession(id)
			m.forgetChooser(id)
			delete(m.sessions, id)
			m.bridgeLost(id)
		}
	}
	m.forgetSuspects(t.ID)
	m.block(t.ID)
}

func (m *Model) targetCrashed(ev *cdp.Event) {
	var p struct {
		TargetID model.TargetID `json:"targetId"`
		Status   string         `json:"status"`
		Code     int64          `json:"errorCode"`
	}
	if !decodeEvent(ev, &p) {
		return
	}
	crash := &model.Crash{Status: p.Status, Code: p.Code, At: m.now}
	if t := m.tab(p.TargetID); t != nil {
		t.Crash = crash
		m.note(t, model.Change{Kind: model.TabCrashed, Detail: p.Status, URL: t.URL})
		m.crashed(t, t.Main, crash)
		m.ponged(t.Session)
		m.closeDialogsOf(t.ID)
		m.block(t.ID)
		return
	}
	if t := m.tabWithFrame(model.FrameID(p.TargetID)); t != nil {
		f := m.frame(t, model.FrameID(p.TargetID))
		f.Crash = crash
		m.note(t, model.Change{Kind: model.FrameCrashed, Frame: f.ID, Detail: p.Status, URL: f.URL})
		m.crashed(t, f.ID, crash)
		m.ponged(f.Session)
		m.sweepBridge(t.ID)
		m.block(t.ID)
	}
}

// appendBounded appends and drops the oldest beyond n.
func appendBounded[T any](list []T, v T, n int) []T {
	list = append(list, v)
	if len(list) > n {
		list = slices.Delete(list, 0, len(list)-n)
	}
	return list
}

// forgetTargets drops what is kept for a browser context that no longer exists.
func (m *Model) forgetTargets(c model.ContextID) {
	delete(m.numbers, c)
	delete(m.inits, c)
	delete(m.roots, c)
}
