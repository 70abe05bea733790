package relay

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Event gets a CDP event of a tab, or of a child's session in it.
func (r *Relay) Event(tabID int, id, method string, params []byte) {
	r.mu.Lock()
	defer r.unlock()
	t := r.tabs[tabID]
	if t == nil || t.phase == idle {
		return
	}
	d := t.debuggees[id]
	if d == nil {
		return
	}
	domain, _, _ := strings.Cut(method, ".")
	message := false
	switch domain {
	case "Target":
		r.targetEvent(d, method, params)
		return
	case "Runtime":
		if r.runtimeEvent(d, method, params) {
			return
		}
		message = r.keepMessage(d, method, params)
	case "Log":
		message = r.keepMessage(d, method, params)
	case "Fetch":
		r.fetchEvent(d, method, params)
		return
	case "Page":
		r.pageEvent(d, method, params)
	case "Debugger":
		if r.debuggerEvent(d, method, params) {
			return
		}
	case "CSS":
		d.sheetEvent(method, params)
	case "Inspector":
		if method == "Inspector.targetCrashed" && d.id == "" {
			d.tree.payload = nil
			r.everyDiscoverer(t, "page", "Target.targetCrashed", encode(map[string]any{"targetId": d.target, "status": "crashed", "errorCode": 0}))
		}
		for _, s := range d.views {
			s.event(method, params)
		}
		return
	}
	lifecycle := method == "Page.lifecycleEvent"
	for _, s := range d.views {
		if message && s.stage == apart { // it is repeated when the session joins
			continue
		}
		if ofScreencast(method) {
			if s.screencasts() {
				s.event(method, params)
			}
			continue
		}
		if s.enabled[domain] && (!lifecycle || s.lifecycle) {
			if lifecycle && s.heldBack.holds(params) {
				continue
			}
			s.event(method, s.madeContexts(method, params))
		}
	}
}

// runtimeEvent looks at events about script contexts. It reports whether it has passed the event on.
func (r *Relay) runtimeEvent(d *debuggee, method string, params []byte) bool {
	switch method {
	case "Runtime.executionContextCreated":
		r.contextCreated(d, params)
		return true
	case "Runtime.executionContextDestroyed":
		id, _ := numberOf(params, "executionContextId")
		d.contexts = slices.DeleteFunc(d.contexts, func(c scriptContext) bool { return c.id == id })
		for _, s := range d.views {
			if s.enabled["Runtime"] {
				s.event(method, s.destroyed(params, id))
			}
			if made := s.fromReal[id]; made != 0 {
				delete(s.fromReal, id)
				delete(s.toReal, made)
			}
		}
		return true
	case "Runtime.executionContextsCleared":
		d.contexts, d.scripts = nil, nil
		r.dropMessages(d, "")
		for _, s := range d.views {
			s.toReal, s.fromReal = nil, nil
			if s.told != nil {
				s.told.contexts = nil
			}
		}
	case "Runtime.bindingCalled":
		var p struct {
			Name string `json:"name"`
		}
		decode(params, &p)
		for _, s := range d.views {
			if s.bindings[p.Name] {
				s.event(method, s.madeContexts(method, params))
			}
		}
		return true
	}
	return false
}

// destroyed returns the parameters of Runtime.executionContextDestroyed with the ids that the session knows.
func (s *session) destroyed(params []byte, id int64) []byte {
	made := s.fromReal[id]
	if made == 0 {
		return params
	}
	for _, c := range s.told.contexts {
		if c.id == made {
			return encode(map[string]any{"executionContextId": made, "executionContextUniqueId": c.unique})
		}
	}
	return params
}

// contextCreated takes a new script context. Sessions that were told of it before, with an id of the relay's, are not told again.
func (r *Relay) contextCreated(d *debuggee, params []byte) {
	var p struct {
		Context struct {
			ID   int64  `json:"id"`
			Name string `json:"name"`
			Aux  struct {
				Default bool   `json:"isDefault"`
				Frame   string `json:"frameId"`
			} `json:"auxData"`
		} `json:"context"`
	}
	if !decode(params, &p) {
		return
	}
	c := scriptContext{id: p.Context.ID, frame: p.Context.Aux.Frame, event: params}
	if !p.Context.Aux.Default {
		c.world = p.Context.Name
	}
	d.contexts = slices.DeleteFunc(d.contexts, func(o scriptContext) bool { return o.id == c.id })
	d.contexts = append(d.contexts, c)
	for _, s := range d.views {
		if s.stage == apart { // it gets to know when it joins
			continue
		}
		if !s.hides(c) && !s.knows(c, p.Context.Aux.Default) && s.enabled["Runtime"] {
			s.event("Runtime.executionContextCreated", params)
		}
	}
}

// hides reports whether a context is usher's own, and the session another client's: it would take it for one of the page.
func (s *session) hides(c scriptContext) bool {
	return c.world != "" && c.world == s.client.of.options.OwnWorld && !s.client.usher
}

// knows joins a context with the one that the session was told of before the tab was attached, or before the browser had made it.
func (s *session) knows(c scriptContext, isDefault bool) bool {
	if s.told == nil || s.of.id != "" || c.frame != s.tab.target {
		return false
	}
	for _, made := range s.told.contexts {
		if (made.world == "") != isDefault || made.world != c.world || s.toReal[made.id] != 0 || !made.promised && s.tab.phase != replaying && s.stage != joining {
			continue
		}
		s.join(made, c.id)
		return true
	}
	return false
}

// pageEvent looks at events of pages.
func (r *Relay) pageEvent(d *debuggee, method string, params []byte) {
	d.tree.treeEvent(method)
	switch method {
	case "Page.lifecycleEvent":
		d.life.lifecycleEvent(params)
	case "Page.frameRequestedNavigation":
		d.overtake(params)
	case "Page.frameDetached":
		d.life.gone(params)
	case "Page.frameNavigated":
		d.life.navigated(params)
		if d.id != "" || bytes.Contains(params, []byte(`"parentId"`)) {
			return
		}
		for _, s := range d.views { // the document that was there before the tab was attached has gone
			s.loader = [2]string{}
			if len(s.toReal) == 0 {
				s.told = nil
			}
		}
	case "Page.windowOpen":
		r.opens(d.tab)
	case "Page.downloadWillBegin", "Page.downloadProgress":
		r.downloadEvent(d, method, params)
	}
}

// maxScripts bounds the scripts of a debuggee that are repeated to late sessions.
const maxScripts = 5000

// debuggerEvent looks at events of the Debugger domain. It reports whether it has passed the event on.
func (r *Relay) debuggerEvent(d *debuggee, method string, params []byte) bool {
	switch method {
	case "Debugger.scriptParsed":
		if len(d.scripts) < maxScripts {
			d.scripts = append(d.scripts, params)
		}
	case "Debugger.paused", "Debugger.resumed":
		if d.pauser != nil {
			d.pauser.event(method, d.pauser.madeContexts(method, params))
			return true
		}
	}
	return false
}

// sheetEvent keeps the list of style sheets.
func (d *debuggee) sheetEvent(method string, params []byte) {
	switch method {
	case "CSS.styleSheetAdded":
		var p struct {
			Header struct {
				ID string `json:"styleSheetId"`
			} `json:"header"`
		}
		if decode(params, &p) && len(d.sheets) < maxScripts {
			d.sheets = append(d.sheets, sheet{p.Header.ID, params})
		}
	case "CSS.styleSheetRemoved":
		var p struct {
			ID string `json:"styleSheetId"`
		}
		decode(params, &p)
		d.sheets = slices.DeleteFunc(d.sheets, func(s sheet) bool { return s.id == p.ID })
	}
}

// targetEvent takes events about the children of a debuggee.
func (r *Relay) targetEvent(d *debuggee, method string, params []byte) {
	var p struct {
		Session string         `json:"sessionId"`
		Info    jsontext.Value `json:"targetInfo"`
		Waiting bool           `json:"waitingForDebugger"`
	}
	decode(params, &p)
	switch method {
	case "Target.attachedToTarget":
		var info struct {
			ID   string `json:"targetId"`
			Type string `json:"type"`
		}
		decode(p.Info, &info)
		child := &debuggee{tab: d.tab, id: p.Session, parent: d, target: info.ID, kind: info.Type, info: withMember(p.Info, "browserContextId", encode(contextID))}
		d.tab.debuggees[p.Session] = child
		for _, s := range append([]*session{}, d.views...) {
			r.attachChild(s, child, p.Waiting)
		}
		if p.Waiting {
			r.runIfNobodyWaits(child)
		}
	case "Target.detachedFromTarget":
		if child := d.tab.debuggees[p.Session]; child != nil {
			r.childGone(child)
		}
	case "Target.targetInfoChanged":
		var info struct {
			ID string `json:"targetId"`
		}
		decode(p.Info, &info)
		for _, child := range d.tab.debuggees {
			if child.target == info.ID {
				child.info = withMember(p.Info, "browserContextId", encode(contextID))
			}
		}
	}
}

// attachChild tells a session of a child of its target, if it wants to know.
func (r *Relay) attachChild(s *session, child *debuggee, waiting bool) {
	if s.auto == nil || !s.auto.filter.has(child.kind) || slices.ContainsFunc(child.views, func(o *session) bool { return o.parent == s }) {
		return
	}
	own := r.newSession(s, ofDebuggee, s.tab, child)
	own.waiting = waiting && s.auto.wait
	s.event("Target.attachedToTarget", encode(map[string]any{"sessionId": own.id, "targetInfo": child.info, "waitingForDebugger": own.waiting}))
}

// runIfNobodyWaits lets a target run that waits for its debuggers, when all are done.
func (r *Relay) runIfNobodyWaits(d *debuggee) {
	if !slices.ContainsFunc(d.views, func(s *session) bool { return s.waiting }) {
		_ = r.link.CDP(d.tab.id, d.id, "Runtime.runIfWaitingForDebugger", nil, ignore)
	}
}

// childGone ends a child, and those below it.
func (r *Relay) childGone(d *debuggee) {
	if d.tab.debuggees[d.id] != d {
		return
	}
	delete(d.tab.debuggees, d.id)
	r.dropMessages(d, "")
	for _, child := range d.tab.debuggees {
		if child.parent == d {
			r.childGone(child)
		}
	}
	for _, s := range append([]*session{}, d.views...) {
		s.record, s.waiting = nil, false // nothing is left to undo
		r.end(s)
	}
}
