package targets

import (
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func (m *Targets) frameNavigated(ev *cdp.Event) {
	var p struct {
		Frame frameInfo `json:"frame"`
		Type  string    `json:"type"`
	}
	t := m.TabOf(ev.SessionID)
	if t == nil || !core.Decode(ev, &p) || p.Frame.ID == "" {
		return
	}
	f := m.Frame(t, p.Frame.ID)
	if f == nil {
		f = m.newFrame(t, p.Frame.ID, "")
	}
	restored := p.Type == "BackForwardCacheRestore"
	if f.Loader != p.Frame.LoaderID {
		// The old document's children go with it; Chromium reports no detach for
		// the children of a main frame that navigates.
		for _, c := range t.Children(f.ID) {
			// Frames of other processes return with a restored page: their sessions are attached before this event, and
			// end by themselves if they are old.
			if !restored || !c.OOPIF {
				m.removeFrame(t, c.ID)
			}
		}
		f.Replaced = f.Loader
	}
	// The context of the old document is destroyed by an event of its own, or stays: the first page of an empty window of the same
	// origin gets that window.
	if f.Session != ev.SessionID {
		f.MainContext = ""
	}
	f.Session, f.Crash, f.PendingURL = ev.SessionID, nil, ""
	if root := m.ProcessRoot(t, ev.SessionID); root == f {
		m.liveness.Answered(ev.SessionID) // the page may have another renderer, which was never probed
	}
	f.OOPIF = m.Sessions[ev.SessionID].Target == model.TargetID(f.ID) && f.ID != t.Main
	m.setDocument(t, f, &p.Frame)
	m.NoteNavigation(t, f)
	if restored { // a page that had loaded is restored complete, without events about loading
		f.DOMReady, f.Loaded = true, true
		if f.ID == t.Main {
			m.requestTrees(t)
		}
	}
	if f.ID == t.Main {
		t.Crash = nil
		t.Commits++
		m.addScript(t.Session)
		m.logins.Reload(t)
	}
	m.bridge.CloseStale(t.ID)
}

// navigationRequested handles the renderer's event, navigationStarted the browser's: the first is sooner, the second
// also covers navigations that no page requested.
func (m *Targets) navigationRequested(ev *cdp.Event) {
	var p struct {
		Frame       model.FrameID `json:"frameId"`
		URL         string        `json:"url"`
		Disposition string        `json:"disposition"`
	}
	if core.Decode(ev, &p) && p.Disposition == "currentTab" {
		m.navigationPending(ev, p.Frame, p.URL)
	}
}

func (m *Targets) navigationStarted(ev *cdp.Event) {
	var p struct {
		Frame model.FrameID `json:"frameId"`
		URL   string        `json:"url"`
		Type  string        `json:"navigationType"`
	}
	if core.Decode(ev, &p) && p.Type != "sameDocument" && p.Type != "historySameDocument" {
		m.navigationPending(ev, p.Frame, p.URL)
	}
}

// stoppedLoading ends a navigation that brought no document (no content, a download, an abort), or a document that had not
// loaded.
func (m *Targets) stoppedLoading(ev *cdp.Event) {
	var p struct {
		Frame model.FrameID `json:"frameId"`
	}
	t := m.TabOf(ev.SessionID)
	if t == nil || !core.Decode(ev, &p) {
		return
	}
	if f := t.Frames[p.Frame]; f != nil && f.Session == ev.SessionID && f.PendingURL == "" && f.Loader != "" && !f.Loaded {
		f = m.Frame(t, p.Frame)
		f.DOMReady, f.Loaded, f.NetworkIdle, f.Stopped = true, true, true, true
	}
	m.SetPendingURL(t, p.Frame, "")
}

func (m *Targets) navigationPending(ev *cdp.Event, frame model.FrameID, url string) {
	t := m.TabOf(ev.SessionID)
	if t == nil {
		return
	}
	m.SetPendingURL(t, frame, url)
}

func (m *Targets) windowOpen(ev *cdp.Event) {
	if t := m.TabOf(ev.SessionID); t != nil {
		t.Windows++
	}
}

func (m *Targets) navigatedWithin(ev *cdp.Event) {
	var p struct {
		ID  model.FrameID `json:"frameId"`
		URL string        `json:"url"`
	}
	t := m.TabOf(ev.SessionID)
	if t == nil || !core.Decode(ev, &p) {
		return
	}
	if f := m.Frame(t, p.ID); f != nil {
		f.URL = p.URL
		m.NoteNavigation(t, f)
		if f.ID == t.Main {
			t.URL = p.URL
			t.Commits++
		}
	}
}
