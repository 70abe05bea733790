package relay

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/wire"
)

// document is what a session was told of a page before its tab was attached. The ids are the relay's.
type document struct {
	loader   string
	tree     bool // its frame was told
	contexts []*madeContext
}

// madeContext is a script context with an id of the relay's.
type madeContext struct {
	id     int64
	unique string
	world  string // "" for that of the page
	// promised says that the browser has not answered yet that it has made it.
	promised bool
}

// firstContext is the smallest id of contexts that the relay makes. V8 counts from 1, so none of a renderer is as large.
const firstContext = 1 << 30

// document returns what the session is told of the page.
func (s *session) document() *document {
	if s.told == nil {
		s.told = &document{loader: newID()}
	}
	return s.told
}

// frame is the main frame of a tab that is not attached.
func (s *session) frame() map[string]any {
	origin, secure := "://", "InsecureScheme"
	if u, err := url.Parse(s.tab.info.URL); err == nil && u.Host != "" {
		origin = u.Scheme + "://" + u.Host
		if u.Scheme == "https" {
			secure = "Secure"
		} else if h := u.Hostname(); h == "localhost" || strings.HasSuffix(h, ".localhost") || strings.HasPrefix(h, "127.") || h == "::1" {
			secure = "SecureLocalhost"
		}
	}
	return map[string]any{
		"id": s.tab.target, "loaderId": s.document().loader, "url": s.tab.info.URL, "domainAndRegistry": "", "securityOrigin": origin,
		"mimeType": "text/html", "secureContextType": secure, "crossOriginIsolatedContextType": "NotIsolated", "gatedAPIFeatures": []string{},
	}
}

// context tells the session of a context with an id of the relay's, if it has Runtime enabled.
func (r *Relay) context(s *session, world string) int64 {
	if c := s.world(world); c != nil {
		return c.id
	}
	c := r.newContext(s, world)
	if s.enabled["Runtime"] {
		s.contextEvent(c)
	}
	return c.id
}

// newContext gives a context of the session an id of the relay's.
func (r *Relay) newContext(s *session, world string) *madeContext {
	r.lastID++
	c := &madeContext{id: firstContext + r.lastID, unique: "usher-relay." + strconv.FormatInt(r.lastID, 10), world: world}
	d := s.document()
	d.contexts = append(d.contexts, c)
	return c
}

// contextEvent sends Runtime.executionContextCreated.
func (s *session) contextEvent(c *madeContext) {
	kind := "default"
	if c.world != "" {
		kind = "isolated"
	}
	s.event("Runtime.executionContextCreated", encode(map[string]any{"context": map[string]any{
		"id": c.id, "origin": s.frame()["securityOrigin"], "name": c.world, "uniqueId": c.unique,
		"auxData": map[string]any{"isDefault": c.world == "", "type": kind, "frameId": s.tab.target},
	}}))
}

// tellDocument tells a session of the page anew: the tab has navigated, or is not attached any more.
func (r *Relay) tellDocument(s *session) {
	tree := s.told == nil || s.told.tree
	s.told = &document{loader: newID(), tree: tree}
	if s.enabled["Runtime"] {
		s.event("Runtime.executionContextsCleared", []byte("{}"))
	}
	if s.enabled["Page"] && tree {
		s.event("Page.frameNavigated", encode(map[string]any{"frame": s.frame(), "type": "Navigation"}))
	}
	if s.enabled["Runtime"] {
		r.context(s, "")
	}
	for _, w := range s.worlds {
		r.context(s, worldOf(w))
	}
	if s.tab.info.Status == "complete" {
		s.loaded()
	}
}

// worldOf returns the name of the world in parameters of Page.createIsolatedWorld.
func worldOf(params jsontext.Value) string {
	var p struct {
		World string `json:"worldName"`
	}
	decode(params, &p)
	return p.World
}

// loaded tells a session that the page has loaded.
func (s *session) loaded() {
	if !s.enabled["Page"] {
		return
	}
	now := float64(time.Now().UnixMicro()) / 1e6
	for _, name := range []string{"DOMContentLoaded", "load"} {
		if s.lifecycle {
			s.event("Page.lifecycleEvent", encode(map[string]any{"frameId": s.tab.target, "loaderId": s.document().loader, "name": name, "timestamp": now}))
		}
	}
}

// unattachedChanged tells the sessions of a tab that is not attached what its page does.
func (r *Relay) unattachedChanged(t *tab, before tabInfo) {
	for _, s := range t.root().views {
		switch {
		case s.told == nil && !s.enabled["Page"] && !s.enabled["Runtime"]:
		case before.URL != t.info.URL:
			r.tellDocument(s)
		case before.Status != "complete" && t.info.Status == "complete":
			s.loaded()
			if s.enabled["Page"] {
				s.event("Page.frameStoppedLoading", encode(map[string]string{"frameId": t.target}))
			}
		}
	}
}

// Members of commands and events that hold ids of contexts.
var contextMembers = map[string]string{
	"Runtime.evaluate": "contextId", "Runtime.callFunctionOn": "executionContextId", "Runtime.compileScript": "executionContextId",
	"Runtime.runScript": "executionContextId", "Runtime.globalLexicalScopeNames": "executionContextId", "Runtime.addBinding": "executionContextId",
	"DOM.resolveNode":          "executionContextId",
	"Runtime.consoleAPICalled": "executionContextId", "Runtime.bindingCalled": "executionContextId", "Runtime.inspectRequested": "executionContextId",
	"Runtime.executionContextDestroyed": "executionContextId",
	"Debugger.scriptParsed":             "executionContextId", "Debugger.scriptFailedToParse": "executionContextId",
}

// realContexts returns the parameters of a command with the browser's ids of contexts. missing reports that a context has gone.
func (s *session) realContexts(method string, params []byte) (out []byte, missing bool) {
	if s.told == nil || len(s.told.contexts) == 0 {
		return params, false
	}
	if bytes.Contains(params, []byte(`"uniqueContextId"`)) {
		return s.realUnique(params)
	}
	name := contextMembers[method]
	if name == "" {
		return params, false
	}
	id, ok := numberOf(params, name)
	if !ok || id < firstContext {
		return params, false
	}
	real, ok := s.toReal[id]
	return withMember(params, name, strconv.AppendInt(nil, real, 10)), !ok
}

// realUnique is realContexts for parameters with a unique id.
func (s *session) realUnique(params []byte) (out []byte, missing bool) {
	var p struct {
		Unique string `json:"uniqueContextId"`
	}
	if !decode(params, &p) || !strings.HasPrefix(p.Unique, "usher-relay.") {
		return params, false
	}
	for _, c := range s.told.contexts {
		if c.unique == p.Unique {
			for _, real := range s.of.contexts {
				if real.id == s.toReal[c.id] {
					return withMember(params, "uniqueContextId", encode(uniqueOf(real.event))), false
				}
			}
		}
	}
	return params, true
}

// uniqueOf returns the unique id in the parameters of Runtime.executionContextCreated.
func uniqueOf(event []byte) string {
	var p struct {
		Context struct {
			Unique string `json:"uniqueId"`
		} `json:"context"`
	}
	decode(event, &p)
	return p.Context.Unique
}

// madeContexts returns the parameters of an event with the ids that the session knows of contexts, and of the loader.
func (s *session) madeContexts(method string, params []byte) []byte {
	if len(s.fromReal) > 0 {
		if name := contextMembers[method]; name != "" {
			if id, ok := numberOf(params, name); ok && s.fromReal[id] != 0 {
				params = withMember(params, name, strconv.AppendInt(nil, s.fromReal[id], 10))
			}
		} else if method == "Runtime.exceptionThrown" {
			params = s.madeException(params)
		}
	}
	if s.loader[0] != "" && (strings.HasPrefix(method, "Page.") || strings.HasPrefix(method, "Network.")) {
		params = bytes.ReplaceAll(params, []byte(s.loader[0]), []byte(s.loader[1]))
	}
	return params
}

// madeException is madeContexts for Runtime.exceptionThrown, whose details have the id.
func (s *session) madeException(params []byte) []byte {
	var p struct {
		Details jsontext.Value `json:"exceptionDetails"`
	}
	if !decode(params, &p) {
		return params
	}
	id, ok := numberOf(p.Details, "executionContextId")
	if !ok || s.fromReal[id] == 0 {
		return params
	}
	return withMember(params, "exceptionDetails", withMember(p.Details, "executionContextId", strconv.AppendInt(nil, s.fromReal[id], 10)))
}

// numberOf returns an integer member of an object.
func numberOf(object []byte, name string) (n int64, ok bool) {
	_ = wire.Members(object, func(key string, value []byte) (err error) { // what cannot be read has no such member
		if key == name {
			n, err = strconv.ParseInt(string(value), 10, 64)
			ok = err == nil
		}
		return nil
	})
	return n, ok
}

// withMember returns an object with a member set to a value; another one of the same name is replaced.
func withMember(object []byte, name string, value []byte) []byte {
	out := append(make([]byte, 0, len(object)+len(name)+len(value)+8), '{')
	add := func(key string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), key...), `":`...), value...)
	}
	_ = wire.Members(object, func(key string, value []byte) error { // no object has no members
		if key != name {
			add(key, value)
		}
		return nil
	})
	add(name, value)
	return append(out, '}')
}
