package targets

import (
	"bytes"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// setDocument copies the browser's description of a frame's document. A new loader means a new document.
func (m *Targets) setDocument(t *model.Tab, f *model.Frame, info *frameInfo) {
	if f.Loader != info.LoaderID {
		f.DOMReady, f.Loaded, f.NetworkIdle, f.Stopped, f.Written = false, false, false, false, false
	}
	m.setLoader(f, info.LoaderID)
	f.URL, f.Origin, f.Name, f.MIMEType = info.URL+info.Fragment, info.Origin, info.Name, info.MIMEType
	m.attach(t, f, info.ParentID)
	if f.ID == t.Main {
		t.URL = f.URL
	}
}

// setLoader records which document a frame shows, since when, and its peer.
func (m *Targets) setLoader(f *model.Frame, loader string) {
	if f.Loader != loader {
		f.Loader, f.Since, f.RemoteAddress = loader, m.Now(), m.remoteAddresses[loader]
	}
}

func (m *Targets) lifecycle(ev *cdp.Event) {
	var p struct {
		Frame  model.FrameID `json:"frameId"`
		Loader string        `json:"loaderId"`
		Name   string        `json:"name"`
	}
	info, ok := m.Sessions[ev.SessionID]
	if !ok || !bytes.Contains(ev.Params, []byte(`"name":"`)) || !core.Decode(ev, &p) {
		return
	}
	switch p.Name {
	case "init", "DOMContentLoaded", "load", "networkIdle":
	default:
		return
	}
	t := m.Tab(info.Tab)
	if t == nil {
		return
	}
	f := m.Frame(t, p.Frame)
	if f == nil {
		return
	}
	fresh := f.Loader == ""
	if fresh {
		m.setLoader(f, p.Loader)
	}
	if f.Loader != p.Loader {
		return // of a document that is not shown (yet, or any more)
	}
	before := [...]bool{f.DOMReady, f.Loaded, f.NetworkIdle}
	switch p.Name {
	case "init":
		// That of a new document comes before the event that says that the frame shows it.
		f.DOMReady, f.Loaded, f.NetworkIdle, f.Stopped, f.Written = false, false, false, false, !fresh
	case "DOMContentLoaded":
		f.DOMReady = true
	case "load":
		f.DOMReady, f.Loaded, f.Stopped = true, true, false
	case "networkIdle":
		f.NetworkIdle = true
	}
	if p.Name != "init" && before != [...]bool{f.DOMReady, f.Loaded, f.NetworkIdle} { // Chromium repeats them after Page.setLifecycleEventsEnabled
		m.NoteTab(t, model.Change{Kind: model.LoadState, Frame: f.ID, Detail: strings.ToLower(p.Name), URL: f.URL})
	}
}

// maxRemoteAddresses bounds the documents whose peers are stored: those loading, and those that a step in the history may
// restore.
const maxRemoteAddresses = 1000

// response records the response that delivers a main document, and the peer of each document. All other traffic is the
// journal's.
func (m *Targets) response(ev *cdp.Event) {
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
	if !core.Decode(ev, &p) || p.Type != "Document" {
		return
	}
	if p.Response.Peer != "" {
		if len(m.remoteAddresses) >= maxRemoteAddresses {
			clear(m.remoteAddresses)
		}
		m.remoteAddresses[p.Loader] = strings.Trim(p.Response.Peer, "[]")
	}
	info := m.Sessions[ev.SessionID]
	if t := m.State().Tabs[info.Tab]; t != nil { // the renderer may have reported the document before the network did
		if f := t.Frames[p.Frame]; f != nil && f.Loader == p.Loader && f.RemoteAddress != m.remoteAddresses[p.Loader] {
			m.Frame(m.Tab(info.Tab), p.Frame).RemoteAddress = m.remoteAddresses[p.Loader]
		}
	}
	if model.FrameID(info.Tab) != p.Frame {
		return
	}
	if t := m.Tab(info.Tab); t != nil {
		t.Response = model.Response{Loader: p.Loader, URL: p.Response.URL, Status: p.Response.Status, MIMEType: p.Response.MIMEType,
			Challenge: challenger(p.Response.Headers)}
	}
}

// loadingFailed records that the connection failed in the middle of a main document.
func (m *Targets) loadingFailed(ev *cdp.Event) {
	m.logins.LoadingFailed(ev)
	if !bytes.Contains(ev.Params, []byte(`"type":"Document"`)) {
		return
	}
	var p struct {
		Request  string `json:"requestId"`
		Error    string `json:"errorText"`
		Canceled bool   `json:"canceled"`
	}
	tab := m.Sessions[ev.SessionID].Tab
	if t := m.State().Tabs[tab]; t == nil || !core.Decode(ev, &p) || p.Canceled || p.Request == "" || t.Response.Loader != p.Request {
		return
	}
	m.Tab(tab).Response.Failed = model.Cut(p.Error, 1<<10)
}

func (m *Targets) contextCreated(ev *cdp.Event) {
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
	t := m.TabOf(ev.SessionID)
	if t == nil || !core.Decode(ev, &p) || !p.Context.Aux.Default {
		return
	}
	if f := m.Frame(t, p.Context.Aux.Frame); f != nil && (f.Session == ev.SessionID || f.Session == "") {
		f.MainContext, f.ContextNumber = p.Context.UniqueID, p.Context.ID
	}
}

func (m *Targets) contextDestroyed(ev *cdp.Event) {
	var p struct {
		UniqueID string `json:"executionContextUniqueId"`
	}
	t := m.TabOf(ev.SessionID)
	if t == nil || !core.Decode(ev, &p) || p.UniqueID == "" {
		return
	}
	for id, f := range t.Frames {
		if f.MainContext == p.UniqueID {
			m.Frame(t, id).MainContext = ""
		}
	}
}

func (m *Targets) contextsCleared(ev *cdp.Event) {
	t := m.TabOf(ev.SessionID)
	if t == nil {
		return
	}
	for id, f := range t.Frames {
		if f.Session == ev.SessionID && f.MainContext != "" {
			m.Frame(t, id).MainContext = ""
		}
	}
}
