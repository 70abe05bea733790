package supervisor

import (
	"bytes"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// frame returns a frame of a tab that is for changing, itself for changing, or nil.
func (m *Model) frame(t *model.Tab, id model.FrameID) *model.Frame {
	f := t.Frames[id]
	if f == nil || m.ownedFrames[f] {
		return f
	}
	c := *f
	t.Frames[id] = &c
	m.ownedFrames[&c] = true
	return &c
}

// maxPlaces bounds the frames whose place among their siblings is remembered while
// they are between two processes.
const maxPlaces = 100

// newFrame puts a frame into a tab.
func (m *Model) newFrame(t *model.Tab, id model.FrameID, session string) *model.Frame {
	m.born++
	f := &model.Frame{ID: id, Tab: t.ID, Session: session, Born: m.born}
	if place, back := m.places[id]; back {
		f.Born = place
		delete(m.places, id)
	}
	t.Frames[id] = f
	m.ownedFrames[f] = true
	return f
}

// place hangs a frame below its parent. A parent that is not known (its removal was
// told first) or that hangs below the frame itself is replaced by the one the frame
// has, or by the top frame: a tree stays a tree whatever order events come in. Once
// the parent is known the frame comes below it: after an outage the frames of other
// processes are told of before those that hold them.
func (m *Model) place(t *model.Tab, f *model.Frame, parent model.FrameID) {
	if f.ID == t.Main {
		f.Parent = ""
		return
	}
	if parent != "" { // else it is the root of a process, which does not say
		delete(m.homeless, f.ID)
	}
	for _, p := range []model.FrameID{parent, f.Parent, t.Main} {
		if p != "" && reachesTop(t, f.ID, p) {
			f.Parent = p
			break
		}
	}
	if parent != "" && f.Parent != parent {
		m.leaveHomeless(f.ID, parent)
	}
	for id, wanted := range m.homeless {
		if child := t.Frames[id]; wanted == f.ID && child != nil && reachesTop(t, id, f.ID) {
			m.frame(t, id).Parent = f.ID
			delete(m.homeless, id)
		}
	}
}

// leaveHomeless notes below which frame another belongs that hangs elsewhere until then.
func (m *Model) leaveHomeless(id, parent model.FrameID) {
	if len(m.homeless) >= maxPlaces {
		clear(m.homeless)
	}
	m.homeless[id] = parent
}

// reachesTop says that the way up from a frame ends at the top frame without
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

// frameSwappedOut notes that a frame now lives in a process of its own.
func (m *Model) frameSwappedOut(t *model.Tab, info *targetInfo, session string) {
	id := model.FrameID(info.TargetID)
	if id == t.Main {
		return
	}
	f := m.frame(t, id)
	if f == nil {
		f = m.newFrame(t, id, "")
		f.URL = info.URL
		m.place(t, f, info.ParentFrameID)
		m.noteFrame(t, f, model.FrameAttached)
	}
	f.OOPIF, f.Session, f.MainContext, f.Crash = true, session, "", nil
	if info.URL != "" {
		f.URL = info.URL
	}
}

// setDocument copies what the browser says of a frame's document. A new loader
// means a new document.
func (m *Model) setDocument(t *model.Tab, f *model.Frame, info *frameInfo) {
	if f.Loader != info.LoaderID {
		f.DOMReady, f.Loaded, f.NetworkIdle = false, false, false
	}
	m.setLoader(f, info.LoaderID)
	f.URL, f.Origin, f.Name = info.URL+info.Fragment, info.Origin, info.Name
	m.place(t, f, info.ParentID)
	if f.ID == t.Main {
		t.URL = f.URL
	}
}

// setLoader notes which document a frame shows, since when, and where that came from.
func (m *Model) setLoader(f *model.Frame, loader string) {
	if f.Loader != loader {
		f.Loader, f.Since, f.Peer = loader, m.now, m.peers[loader]
	}
}

func (m *Model) frameAttached(ev *cdp.Event) {
	var p struct {
		ID     model.FrameID `json:"frameId"`
		Parent model.FrameID `json:"parentFrameId"`
	}
	t := m.tabOf(ev.SessionID)
	if t == nil || !decodeEvent(ev, &p) || p.ID == "" || p.ID == t.Main {
		return
	}
	old := t.Frames[p.ID]
	if old != nil && old.OOPIF && old.Session != ev.SessionID && m.sessions[old.Session].tab == t.ID {
		// Still alive in its own process; it returns only after that session ends.
		m.place(t, m.frame(t, p.ID), p.Parent)
		return
	}
	f := m.newFrame(t, p.ID, ev.SessionID)
	if old != nil {
		f.Parent, f.Born = old.Parent, old.Born
	}
	t.UpdateUnresponsive()
	m.place(t, f, p.Parent)
	if old == nil {
		m.noteFrame(t, f, model.FrameAttached)
	}
}

func (m *Model) frameNavigated(ev *cdp.Event) {
	var p struct {
		Frame frameInfo `json:"frame"`
		Type  string    `json:"type"`
	}
	t := m.tabOf(ev.SessionID)
	if t == nil || !decodeEvent(ev, &p) || p.Frame.ID == "" {
		return
	}
	f := m.frame(t, p.Frame.ID)
	if f == nil {
		f = m.newFrame(t, p.Frame.ID, "")
	}
	restored := p.Type == "BackForwardCacheRestore"
	if f.Loader != p.Frame.LoaderID {
		// The old document's children go with it; Chromium reports no detach for
		// the children of a main frame that navigates.
		for _, c := range t.Children(f.ID) {
			// Frames of other processes come back with a restored page: their sessions
			// are attached before this event, and end by themselves if they are old.
			if !restored || !c.OOPIF {
				m.removeFrame(t, c.ID)
			}
		}
		f.MainContext = ""
	}
	f.Session, f.Crash, f.Going = ev.SessionID, nil, ""
	if root := m.root(t, ev.SessionID); root == f {
		m.ponged(ev.SessionID) // another renderer may be in its place, and never have been asked
	}
	f.OOPIF = m.sessions[ev.SessionID].target == model.TargetID(f.ID) && f.ID != t.Main
	m.setDocument(t, f, &p.Frame)
	m.noteNavigation(t, f)
	if restored { // a page that had loaded comes back as it was, without a word about loading
		f.DOMReady, f.Loaded = true, true
		if f.ID == t.Main {
			m.seedAgain(t)
		}
	}
	if f.ID == t.Main {
		t.Crash = nil
		t.Commits++
		m.tryAgain(t)
	}
	m.sweepBridge(t.ID)
}

// navigationRequested is the renderer's word, navigationStarted the browser's:
// the first comes sooner, the second also for navigations no page asked for.
func (m *Model) navigationRequested(ev *cdp.Event) {
	var p struct {
		Frame       model.FrameID `json:"frameId"`
		URL         string        `json:"url"`
		Disposition string        `json:"disposition"`
	}
	if decodeEvent(ev, &p) && p.Disposition == "currentTab" {
		m.going(ev, p.Frame, p.URL)
	}
}

func (m *Model) navigationStarted(ev *cdp.Event) {
	var p struct {
		Frame model.FrameID `json:"frameId"`
		URL   string        `json:"url"`
		Type  string        `json:"navigationType"`
	}
	if decodeEvent(ev, &p) && p.Type != "sameDocument" && p.Type != "historySameDocument" {
		m.going(ev, p.Frame, p.URL)
	}
}

// stoppedLoading ends a navigation that led nowhere: no content, a download, an
// abort.
func (m *Model) stoppedLoading(ev *cdp.Event) {
	var p struct {
		Frame model.FrameID `json:"frameId"`
	}
	if decodeEvent(ev, &p) {
		m.going(ev, p.Frame, "")
	}
}

func (m *Model) going(ev *cdp.Event, frame model.FrameID, url string) {
	t := m.tabOf(ev.SessionID)
	if t == nil {
		return
	}
	m.goingTo(t, frame, url)
}

// stays ends the navigation that a dialog of type beforeunload was asked about and that the answer did not allow: Chromium tells
// nothing of it, where a script began the navigation. The frame that asked is the one that was to leave, or is in it.
func (m *Model) stays(d *model.Dialog) {
	t := m.tab(d.Tab)
	if t == nil {
		return
	}
	for f := t.Frames[d.Frame]; f != nil; f = t.Frames[f.Parent] {
		m.goingTo(t, f.ID, "")
	}
}

func (m *Model) goingTo(t *model.Tab, frame model.FrameID, url string) {
	f := m.frame(t, frame)
	if f == nil || f.Going == url {
		return
	}
	if url != "" {
		m.note(t, model.Change{Kind: model.LoadStarted, Frame: f.ID, URL: url})
	} else {
		m.note(t, model.Change{Kind: model.LoadStopped, Frame: f.ID, URL: f.Going})
	}
	f.Going = url
}

func (m *Model) windowOpen(ev *cdp.Event) {
	if t := m.tabOf(ev.SessionID); t != nil {
		t.Windows++
	}
}

func (m *Model) navigatedWithin(ev *cdp.Event) {
	var p struct {
		ID  model.FrameID `json:"frameId"`
		URL string        `json:"url"`
	}
	t := m.tabOf(ev.SessionID)
	if t == nil || !decodeEvent(ev, &p) {
		return
	}
	if f := m.frame(t, p.ID); f != nil {
		f.URL = p.URL
		m.noteNavigation(t, f)
		if f.ID == t.Main {
			t.URL = p.URL
			t.Commits++
		}
	}
}

func (m *Model) frameDetached(ev *cdp.Event) {
	var p struct {
		ID     model.FrameID `json:"frameId"`
		Reason string        `json:"reason"`
	}
	t := m.tabOf(ev.SessionID)
	if t == nil || !decodeEvent(ev, &p) || p.ID == t.Main || p.Reason == "swap" {
		return
	}
	m.removeFrame(t, p.ID)
	m.sweepBridge(t.ID)
}

// removeFrame takes a frame and all below it out of the tree.
func (m *Model) removeFrame(t *model.Tab, id model.FrameID) {
	if id == t.Main {
		return
	}
	if t.Frames[id] == nil {
		return
	}
	below := t.ByParent()
	var remove func(model.FrameID)
	remove = func(id model.FrameID) {
		m.noteFrame(t, t.Frames[id], model.FrameDetached)
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

func (m *Model) lifecycle(ev *cdp.Event) {
	var p struct {
		Frame  model.FrameID `json:"frameId"`
		Loader string        `json:"loaderId"`
		Name   string        `json:"name"`
	}
	info, ok := m.sessions[ev.SessionID]
	if !ok || !bytes.Contains(ev.Params, []byte(`"name":"`)) || !decodeEvent(ev, &p) {
		return
	}
	switch p.Name {
	case "init", "DOMContentLoaded", "load", "networkIdle":
	default:
		return
	}
	t := m.tab(info.tab)
	if t == nil {
		return
	}
	f := m.frame(t, p.Frame)
	if f == nil {
		return
	}
	if f.Loader == "" {
		m.setLoader(f, p.Loader)
	}
	if f.Loader != p.Loader {
		return // of a document that is not shown (yet, or any more)
	}
	before := [...]bool{f.DOMReady, f.Loaded, f.NetworkIdle}
	switch p.Name {
	case "init":
		f.DOMReady, f.Loaded, f.NetworkIdle = false, false, false
	case "DOMContentLoaded":
		f.DOMReady = true
	case "load":
		f.DOMReady, f.Loaded = true, true
	case "networkIdle":
		f.NetworkIdle = true
	}
	if p.Name != "init" && before != [...]bool{f.DOMReady, f.Loaded, f.NetworkIdle} { // Chromium repeats them when asked
		m.note(t, model.Change{Kind: model.LoadState, Frame: f.ID, Detail: strings.ToLower(p.Name), URL: f.URL})
	}
}

// maxPeers bounds the documents whose peers are remembered: those under way, and those
// that a step in the history may bring back.
const maxPeers = 1000

// response notes the answer that delivers a main document, and where each document came
// from. All other traffic is the journal's.
func (m *Model) response(ev *cdp.Event) {
	if !bytes.Contains(ev.Params, []byte(`"type":"Document"`)) {
		return
	}
	var p struct {
		Frame    model.FrameID `json:"frameId"`
		Loader   string        `json:"loaderId"`
		Type     string        `json:"type"`
		Response struct {
			URL      string `json:"url"`
			Status   int    `json:"status"`
			MIMEType string `json:"mimeType"`
			Peer     string `json:"remoteIPAddress"`

			Headers map[string]string `json:"headers"`
		} `json:"response"`
	}
	if !decodeEvent(ev, &p) || p.Type != "Document" {
		return
	}
	if p.Response.Peer != "" {
		if len(m.peers) >= maxPeers {
			clear(m.peers)
		}
		m.peers[p.Loader] = strings.Trim(p.Response.Peer, "[]")
	}
	info := m.sessions[ev.SessionID]
	if t := m.cur.Tabs[info.tab]; t != nil { // the renderer may have told of the document before the network did
		if f := t.Frames[p.Frame]; f != nil && f.Loader == p.Loader && f.Peer != m.peers[p.Loader] {
			m.frame(m.tab(info.tab), p.Frame).Peer = m.peers[p.Loader]
		}
	}
	if model.FrameID(info.tab) != p.Frame {
		return
	}
	if t := m.tab(info.tab); t != nil {
		t.Response = model.Response{Loader: p.Loader, URL: p.Response.URL, Status: p.Response.Status, MIMEType: p.Response.MIMEType,
			Challenge: challenger(p.Response.Headers)}
	}
}

func (m *Model) contextCreated(ev *cdp.Event) {
	if !bytes.Contains(ev.Params, []byte(`"isDefault":true`)) {
		return
	}
	var p struct {
		Context struct {
			ID       int64  `json:"id"`
			UniqueID string `json:"uniqueId"`
			Aux      struct {
				Default bool          `json:"isDefault"`
				Frame   model.FrameID `json:"frameId"`
			} `json:"auxData"`
		} `json:"context"`
	}
	t := m.tabOf(ev.SessionID)
	if t == nil || !decodeEvent(ev, &p) || !p.Context.Aux.Default {
		return
	}
	if f := m.frame(t, p.Context.Aux.Frame); f != nil && (f.Session == ev.SessionID || f.Session == "") {
		f.MainContext, f.ContextNumber = p.Context.UniqueID, p.Context.ID
	}
}

func (m *Model) contextDestroyed(ev *cdp.Event) {
	var p struct {
		UniqueID string `json:"executionContextUniqueId"`
	}
	t := m.tabOf(ev.SessionID)
	if t == nil || !decodeEvent(ev, &p) || p.UniqueID == "" {
		return
	}
	for id, f := range t.Frames {
		if f.MainContext == p.UniqueID {
			m.frame(t, id).MainContext = ""
		}
	}
}

func (m *Model) contextsCleared(ev *cdp.Event) {
	t := m.tabOf(ev.SessionID)
	if t == nil {
		return
	}
	for id, f := range t.Frames {
		if f.Session == ev.SessionID && f.MainContext != "" {
			m.frame(t, id).MainContext = ""
		}
	}
}
