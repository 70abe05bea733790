package relay

import (
	"bytes"
	"maps"
	"slices"

	"github.com/usher-browser/usher/internal/wire"
)

const lifecycleMethod = "Page.setLifecycleEventsEnabled"

// repeatedEvents are the events that Chromium repeats for each frame when lifecycle events are enabled, in its order: inspector_page_agent.cc.
var repeatedEvents = []string{"commit", "DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle"}

// life has the lifecycle events of the frames of a debuggee, while a session has them enabled: for one that enables them, too, they are
// repeated without the browser, which would send them to all. The zero value has none.
type life struct {
	frames map[string]*frameLife // by the frame's id
	// lost says that what the browser would repeat is not known: a page came back from the cache of pages.
	lost bool
}

// frameLife has the events of a frame's document, by name.
type frameLife struct {
	loader string
	events map[string][]byte
}

// lifecycleEvent takes a Page.lifecycleEvent.
func (l *life) lifecycleEvent(params []byte) {
	var p struct {
		Frame  string `json:"frameId"`
		Loader string `json:"loaderId"`
		Name   string `json:"name"`
	}
	if !decode(params, &p) {
		return
	}
	if p.Name == "init" { // the beginning of a document, which Chromium repeats under another name
		p.Name, params = "commit", withMember(params, "name", []byte(`"commit"`))
	}
	if !slices.Contains(repeatedEvents, p.Name) {
		return
	}
	f := l.frames[p.Frame]
	if f == nil || f.loader != p.Loader {
		if f == nil {
			f = &frameLife{}
		}
		f.loader, f.events = p.Loader, map[string][]byte{}
		if l.frames == nil {
			l.frames = map[string]*frameLife{}
		}
		l.frames[p.Frame] = f
	}
	f.events[p.Name] = params
}

// navigated takes a Page.frameNavigated.
func (l *life) navigated(params []byte) {
	var p struct {
		Type  string    `json:"type"`
		Frame frameInfo `json:"frame"`
	}
	if !decode(params, &p) {
		return
	}
	if p.Frame.Parent == "" {
		l.lost = p.Type == "BackForwardCacheRestore"
		maps.DeleteFunc(l.frames, func(id string, _ *frameLife) bool { return id != p.Frame.ID })
	}
	if f := l.frames[p.Frame.ID]; f != nil && f.loader != p.Frame.Loader {
		f.loader, f.events = p.Frame.Loader, map[string][]byte{}
	}
}

// gone takes a Page.frameDetached.
func (l *life) gone(params []byte) {
	var p struct {
		Frame string `json:"frameId"`
	}
	if decode(params, &p) {
		delete(l.frames, p.Frame)
	}
}

// heldBack are lifecycle events that a session gets behind the reply to Page.setLifecycleEventsEnabled. A new tab has an empty page, with the address ""
// (":" in older versions), until its first document comes. Playwright, which has been told of that page, takes no lifecycle event before the reply: Chrome repeats
// those of the empty page there. From Chrome's own endpoint no others can come, as the tab is paused; an extension cannot pause it.
type heldBack struct {
	empty  string // the loader of the empty page, if the session was told of it
	open   bool   // the command has no reply yet
	events [][]byte
}

// tellFrames takes a reply of the browser to Page.getFrameTree that the session gets.
func (s *session) tellFrames(payload []byte, failed bool) {
	if s.of.id != "" {
		return
	}
	s.heldBack.empty = ""
	var got struct {
		Tree frameTree `json:"frameTree"`
	}
	var main frameInfo
	if !failed && isEmptyPage(payload) && decode(payload, &got) && decode(got.Tree.Frame, &main) && (main.URL == "" || main.URL == ":") {
		s.heldBack.empty = main.Loader
	}
}

// isEmptyPage reports whether a result of Page.getFrameTree may be that of a new tab before its first document.
func isEmptyPage(tree []byte) bool {
	return bytes.Contains(tree, []byte(`"url":""`)) || bytes.Contains(tree, []byte(`"url":":"`))
}

// holds keeps a lifecycle event back, if that is what the session needs.
func (h *heldBack) holds(params []byte) bool {
	if !h.open || h.empty == "" || bytes.Contains(params, []byte(h.empty)) {
		return false
	}
	h.events = append(h.events, params)
	return true
}

// releaseLifecycle gives the session the events that were held back. The reply to Page.setLifecycleEventsEnabled has been given.
func (s *session) releaseLifecycle() {
	events := s.heldBack.events
	s.heldBack = heldBack{}
	for _, params := range events {
		if s.enabled["Page"] && s.lifecycle && !s.ended {
			s.event("Page.lifecycleEvent", s.madeContexts("Page.lifecycleEvent", params))
		}
	}
}

// setLifecycle carries out Page.setLifecycleEventsEnabled. The events that have been are repeated if another session has them enabled, of a page
// without frames: of a frame whose document never came, for example, the browser repeats what was no event. They stay enabled as long as a session wants them.
func (r *Relay) setLifecycle(s *session, cmd wire.Command) {
	d := s.of
	s.heldBack.open = s.lifecycle
	if !s.lifecycle && slices.ContainsFunc(d.views, func(o *session) bool { return o.lifecycle }) {
		s.local(func() { s.client.answer(cmd, empty{}) })
		return
	}
	if d.life.lost || len(d.life.frames) != 1 || !d.tree.single() || !s.lifecycle || !d.unchanged(cmd) {
		d.sending(cmd.Method)
		r.change(s, cmd, nil)
		return
	}
	s.local(func() {
		for _, f := range d.life.frames {
			for _, name := range repeatedEvents {
				if event := f.events[name]; event != nil && s.enabled["Page"] {
					s.event("Page.lifecycleEvent", s.madeContexts("Page.lifecycleEvent", event))
				}
			}
		}
		s.client.answer(cmd, empty{})
		s.releaseLifecycle()
	})
}
