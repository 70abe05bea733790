package relay

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// filter is a TargetFilter of CDP: the first entry that matches a type decides.
type filter struct {
	entries []filterEntry
	given   bool
}

type filterEntry struct {
	Type    string `json:"type"` // "" for all
	Exclude bool   `json:"exclude"`
}

// has reports whether targets of a type are included. Without a filter all are but the browser and tabs.
func (f *filter) has(kind string) bool {
	if !f.given {
		return kind != "tab" && kind != "browser"
	}
	for _, e := range f.entries {
		if e.Type == "" || e.Type == kind {
			return !e.Exclude
		}
	}
	return false
}

// autoAttach are the parameters of Target.setAutoAttach.
type autoAttach struct {
	on, wait bool
	filter   filter
}

// targetParams are parameters of commands of the domain Target.
type targetParams struct {
	TargetID   string        `json:"targetId"`
	SessionID  string        `json:"sessionId"`
	Flatten    bool          `json:"flatten"`
	Discover   bool          `json:"discover"`
	AutoAttach bool          `json:"autoAttach"`
	Wait       bool          `json:"waitForDebuggerOnStart"`
	Filter     []filterEntry `json:"filter"`
	URL        string        `json:"url"`
	NewWindow  bool          `json:"newWindow"`
	Background bool          `json:"background"`
	Context    string        `json:"browserContextId"`
}

// tabTarget is the id of the tab target of a tab.
func (t *tab) tabTarget() string { return "TAB0" + t.target[min(4, len(t.target)):] }

// infoOf is the TargetInfo of a tab's page.
func (r *Relay) infoOf(t *tab, attached bool) map[string]any {
	info := map[string]any{
		"targetId": t.target, "type": "page", "title": t.info.Title, "url": t.info.URL, "attached": attached, "canAccessOpener": t.opener != "" && !t.noopener,
		"browserContextId": contextID,
	}
	if t.opener != "" {
		info["openerId"] = t.opener
	}
	if t.openerFrame != "" {
		info["openerFrameId"] = t.openerFrame
	}
	return info
}

// tabInfoOf is the TargetInfo of the tab target.
func (r *Relay) tabInfoOf(t *tab, attached bool) map[string]any {
	info := r.infoOf(t, attached)
	info["targetId"], info["type"] = t.tabTarget(), "tab"
	delete(info, "openerId")
	return info
}

// everyDiscoverer sends an event about a tab to the sessions that discover targets of a type.
func (r *Relay) everyDiscoverer(t *tab, kind, method string, params []byte) {
	for c := range r.clients {
		if !t.shownTo(c) {
			continue
		}
		for _, s := range c.sessions {
			if s.discover != nil && s.discover.has(kind) {
				s.event(method, params)
			}
		}
	}
}

// announce tells all clients of a tab.
func (r *Relay) announce(t *tab) {
	if t.announced || t.gone || r.closed {
		return
	}
	t.announced = true
	r.everyDiscoverer(t, "tab", "Target.targetCreated", encode(map[string]any{"targetInfo": r.tabInfoOf(t, false)}))
	r.everyDiscoverer(t, "page", "Target.targetCreated", encode(map[string]any{"targetInfo": r.infoOf(t, false)}))
	for c := range r.clients {
		for _, s := range c.sessions {
			if s.kind == ofBrowser {
				r.autoAttachTo(s, t)
			}
		}
	}
}

// autoAttachTo attaches a session of the browser to a tab, if it wants that.
func (r *Relay) autoAttachTo(s *session, t *tab) {
	switch {
	case s.auto == nil || !s.auto.on || !t.shownTo(s.client):
	case s.auto.filter.has("tab"):
		if !slices.ContainsFunc(t.tabViews, func(o *session) bool { return o.parent == s }) {
			r.attachedTo(s, r.newSession(s, ofTab, t, nil), r.tabInfoOf(t, true))
		}
	case s.auto.filter.has("page"):
		if !slices.ContainsFunc(t.root().views, func(o *session) bool { return o.parent == s }) {
			r.attachedTo(s, r.newSession(s, ofDebuggee, t, t.root()), r.infoOf(t, true))
		}
	}
}

// attachedTo sends Target.attachedToTarget. info is a TargetInfo.
func (r *Relay) attachedTo(parent, s *session, info any) {
	parent.event("Target.attachedToTarget", encode(map[string]any{"sessionId": s.id, "targetInfo": info, "waitingForDebugger": false}))
}

// targetCommand takes a command of the domain Target, in any session.
func (r *Relay) targetCommand(s *session, cmd wire.Command) {
	var p targetParams
	if len(cmd.Params) > 0 && !decode(cmd.Params, &p) {
		s.client.fail(cmd, codeParams, "Invalid parameters")
		return
	}
	switch cmd.Method {
	case "Target.setDiscoverTargets":
		r.setDiscover(s, cmd, p)
	case "Target.setAutoAttach":
		r.setAutoAttach(s, cmd, p)
	case "Target.getTargets":
		r.getTargets(s, cmd, p)
	case "Target.getTargetInfo":
		r.getTargetInfo(s, cmd, p)
	case "Target.attachToTarget":
		r.attachToTarget(s, cmd, p)
	case "Target.attachToBrowserTarget":
		r.attachToBrowser(s, cmd)
	case "Target.detachFromTarget":
		id := p.SessionID
		child := s.client.sessions[id]
		if id == "" || child == nil || child.parent == nil {
			s.client.fail(cmd, codeParams, "No session with given id")
			return
		}
		r.end(child)
		s.client.answer(cmd, empty{})
	case "Target.createTarget":
		r.createTarget(s, cmd, p)
	case "Target.closeTarget":
		r.withTarget(s, cmd, p, func(t *tab) {
			if r.settings.ReadOnly && !t.created {
				s.client.fail(cmd, cdp.CodeUserRefused, r.explain("closing a tab of the user's is refused: the user allows reading only"))
				return
			}
			r.extension(s, cmd, "tabs.remove", map[string]any{"tabId": t.id}, map[string]bool{"success": true})
		})
	case "Target.activateTarget":
		r.withTarget(s, cmd, p, func(t *tab) {
			r.extension(s, cmd, "tabs.update", map[string]any{"tabId": t.id, "active": true}, empty{})
		})
	case "Target.getBrowserContexts":
		s.client.answer(cmd, map[string]any{"browserContextIds": []string{}, "defaultBrowserContextId": contextID})
	case "Target.createBrowserContext", "Target.disposeBrowserContext":
		s.client.fail(cmd, codeNotFound, "'"+cmd.Method+"' wasn't found: the user's Chrome has one browser context, that of its profile")
	default:
		s.client.fail(cmd, codeNotFound, "'"+cmd.Method+"' wasn't found: it is not available in the user's Chrome")
	}
}

// browserTarget is the id of the browser's target.
const browserTarget = "USHER0RELAY0BROWSER0TARGET000000"

// browserInfo is the TargetInfo of the browser, to which the client that asks is attached.
func (r *Relay) browserInfo() map[string]any {
	return map[string]any{"targetId": browserTarget, "type": "browser", "title": "", "url": "", "attached": true, "canAccessOpener": false}
}

// attachToBrowser gives a client a further session of the browser.
func (r *Relay) attachToBrowser(s *session, cmd wire.Command) {
	b := r.newSession(s, ofBrowser, nil, nil)
	r.attachedTo(s, b, r.browserInfo())
	s.client.answer(cmd, map[string]string{"sessionId": b.id})
}

// extension has the extension do what a command asks for, and answers the command with a result.
func (r *Relay) extension(s *session, cmd wire.Command, method string, params map[string]any, result any) {
	c, at := s.client, wire.Command{ID: cmd.ID, SessionID: cmd.SessionID}
	err := r.link.Start(method, params, func(payload []byte, failed bool) {
		if failed {
			c.reply(at, payload, true)
			return
		}
		c.answer(at, result)
	})
	if err != nil {
		c.fail(cmd, codeServer, err.Error())
	}
}

// withTarget calls f with the tab that a command names.
func (r *Relay) withTarget(s *session, cmd wire.Command, p targetParams, f func(*tab)) {
	for _, t := range r.tabs {
		if t.announced && t.shownTo(s.client) && (t.target == p.TargetID || t.tabTarget() == p.TargetID) {
			f(t)
			return
		}
	}
	s.client.fail(cmd, codeParams, "No target with given id found")
}

func filterOf(p targetParams) filter { return filter{entries: p.Filter, given: p.Filter != nil} }

func (r *Relay) setDiscover(s *session, cmd wire.Command, p targetParams) {
	before := s.discover
	s.discover = nil
	if p.Discover {
		f := filterOf(p)
		s.discover = &f
		if before == nil {
			if f.has("browser") {
				s.event("Target.targetCreated", encode(map[string]any{"targetInfo": r.browserInfo()}))
			}
			for _, t := range r.announcedTabs(s.client) {
				if f.has("tab") {
					s.event("Target.targetCreated", encode(map[string]any{"targetInfo": r.tabInfoOf(t, false)}))
				}
				if f.has("page") {
					s.event("Target.targetCreated", encode(map[string]any{"targetInfo": r.infoOf(t, t.phase == attached)}))
				}
			}
		}
	}
	s.client.answer(cmd, empty{})
}

// setAutoAttach announces what is there, and answers then, as Chromium does.
func (r *Relay) setAutoAttach(s *session, cmd wire.Command, p targetParams) {
	if p.AutoAttach && !p.Flatten {
		s.client.fail(cmd, codeParams, "only sessions with flatten: true are offered")
		return
	}
	before := s.auto
	s.auto = nil
	if p.AutoAttach {
		s.auto = &autoAttach{on: true, wait: p.Wait, filter: filterOf(p)}
	}
	switch s.kind {
	case ofBrowser:
		for _, t := range r.announcedTabs(s.client) {
			r.autoAttachTo(s, t)
		}
	case ofTab:
		if s.auto != nil && before == nil && s.auto.filter.has("page") {
			r.attachedTo(s, r.newSession(s, ofDebuggee, s.tab, s.tab.root()), r.infoOf(s.tab, true))
		}
	case ofDebuggee:
		if s.of.id != "" || s.stage != apart && (s.tab.phase == attached || s.tab.phase == replaying) {
			r.forwardAutoAttach(s, cmd)
			return
		}
	}
	s.client.answer(cmd, empty{})
}

// wantedAutoAttach is what all sessions of a debuggee want together.
func (d *debuggee) wantedAutoAttach() (want autoAttach) {
	for _, s := range d.views {
		if s.auto != nil {
			want.on = true
			want.wait = want.wait || s.auto.wait
		}
	}
	return want
}

func (a autoAttach) params() []byte {
	return encode(map[string]bool{"autoAttach": a.on, "waitForDebuggerOnStart": a.wait, "flatten": true})
}

// applyAutoAttach sends Target.setAutoAttach if its parameters are others now.
func (r *Relay) applyAutoAttach(d *debuggee) {
	want := d.wantedAutoAttach()
	if want.on == d.auto.on && want.wait == d.auto.wait {
		return
	}
	d.auto = want
	if d.tab.phase == replaying && d.id == "" {
		r.replayed(d.tab, "Target.setAutoAttach", want.params(), nil)
		return
	}
	_ = r.link.CDP(d.tab.id, d.id, "Target.setAutoAttach", want.params(), ignore)
}

// forwardAutoAttach is applyAutoAttach for a command. The children that are there already are announced before the reply.
func (r *Relay) forwardAutoAttach(s *session, cmd wire.Command) {
	children := func() {
		if s.auto == nil {
			return
		}
		for _, child := range s.tab.debuggees {
			if child.parent == s.of {
				r.attachChild(s, child, false)
			}
		}
	}
	want := s.of.wantedAutoAttach()
	if want.on == s.of.auto.on && want.wait == s.of.auto.wait {
		s.local(func() {
			children()
			s.client.answer(cmd, empty{})
		})
		return
	}
	s.of.auto = want
	cmd.Params = want.params()
	r.forward(s, cmd, func(payload []byte, failed bool) []byte {
		if !s.ended && !failed {
			children()
		}
		return payload
	})
}

func (r *Relay) getTargets(s *session, cmd wire.Command, p targetParams) {
	f := filterOf(p)
	list := []any{}
	for _, t := range r.announcedTabs(s.client) {
		if f.has("tab") {
			list = append(list, r.tabInfoOf(t, len(t.tabViews) > 0))
		}
		if f.has("page") {
			list = append(list, r.infoOf(t, len(t.root().views) > 0))
		}
		for _, d := range t.debuggees {
			if d.id != "" && f.has(d.kind) {
				list = append(list, d.info)
			}
		}
	}
	s.client.answer(cmd, map[string]any{"targetInfos": list})
}

func (r *Relay) getTargetInfo(s *session, cmd wire.Command, p targetParams) {
	if p.TargetID == "" {
		switch s.kind {
		case ofBrowser:
			p.TargetID = browserTarget
		case ofTab:
			p.TargetID = s.tab.tabTarget()
		case ofDebuggee:
			p.TargetID = s.of.target
		}
	}
	if p.TargetID == browserTarget {
		s.client.answer(cmd, map[string]any{"targetInfo": r.browserInfo()})
		return
	}
	if d := r.child(p.TargetID); d != nil {
		s.client.answer(cmd, map[string]jsontext.Value{"targetInfo": d.info})
		return
	}
	r.withTarget(s, cmd, p, func(t *tab) {
		info := r.infoOf(t, len(t.root().views) > 0)
		if p.TargetID == t.tabTarget() {
			info = r.tabInfoOf(t, len(t.tabViews) > 0)
		}
		s.client.answer(cmd, map[string]any{"targetInfo": info})
	})
}

// child returns a child of a tab by its target.
func (r *Relay) child(target string) *debuggee {
	for _, t := range r.tabs {
		for _, d := range t.debuggees {
			if d.id != "" && d.target == target {
				return d
			}
		}
	}
	return nil
}

func (r *Relay) attachToTarget(s *session, cmd wire.Command, p targetParams) {
	if !p.Flatten {
		s.client.fail(cmd, codeParams, "only sessions with flatten: true are offered")
		return
	}
	if p.TargetID == browserTarget {
		r.attachToBrowser(s, cmd)
		return
	}
	if d := r.child(p.TargetID); d != nil {
		own := r.newSession(s, ofDebuggee, d.tab, d)
		r.attachedTo(s, own, d.info)
		s.client.answer(cmd, map[string]string{"sessionId": own.id})
		return
	}
	r.withTarget(s, cmd, p, func(t *tab) {
		var own *session
		if p.TargetID == t.tabTarget() {
			own = r.newSession(s, ofTab, t, nil)
			r.attachedTo(s, own, r.tabInfoOf(t, true))
		} else {
			own = r.newSession(s, ofDebuggee, t, t.root())
			r.attachedTo(s, own, r.infoOf(t, true))
		}
		s.client.answer(cmd, map[string]string{"sessionId": own.id})
	})
}

// maxOwners bounds the pages of usher's own that are being opened.
const maxOwners = 100

// createTarget opens a tab. All clients are told of it before the reply.
func (r *Relay) createTarget(s *session, cmd wire.Command, p targetParams) {
	if p.Context != "" && p.Context != contextID {
		s.client.fail(cmd, codeServer, "Failed to find browser context with given id")
		return
	}
	if why := r.refusesTabs(); why != "" {
		s.client.fail(cmd, cdp.CodeUserRefused, why)
		return
	}
	if p.URL == "" {
		p.URL = "about:blank"
	}
	if !visible(p.URL, true) { // the tab would be of no use to anybody
		s.client.fail(cmd, codeServer, "Chrome lets no extension debug "+p.URL+", so no tab was opened")
		return
	}
	c, at := s.client, wire.Command{ID: cmd.ID, SessionID: cmd.SessionID}
	if own := r.options.OwnPage; c.own && own != "" && strings.HasPrefix(p.URL, own) && len(r.owners) < maxOwners {
		r.owners[p.URL] = c
	}
	params := map[string]any{"url": p.URL, "active": !p.Background}
	if p.NewWindow {
		params["newWindow"] = true
	}
	err := r.link.Start("tabs.create", params, func(payload []byte, failed bool) {
		var info tabInfo
		if failed || !decode(payload, &info) {
			r.mu.Lock()
			delete(r.owners, p.URL)
			r.mu.Unlock()
			c.fail(at, codeServer, link.Error("tabs.create", payload).Error())
			return
		}
		r.mu.Lock()
		defer r.unlock()
		r.created(info, byClient, func(t *tab) {
			if t == nil {
				c.fail(at, codeServer, "the new tab has no target")
				return
			}
			done := func() {
				r.announce(t)
				c.answer(at, map[string]string{"targetId": t.target})
			}
			if t.phase == attaching || t.phase == replaying {
				t.ready = append(t.ready, done)
				return
			}
			done()
		})
	})
	if err != nil {
		delete(r.owners, p.URL)
		c.fail(cmd, codeServer, err.Error())
	}
}
