// Package scripts runs scripts of the caller in new documents, before those of the page.
package scripts

import (
	"maps"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Scripts adds the init scripts of a browser context to the CDP sessions of its pages and frames: to present ones, to later
// ones while nothing has run in them, and to those of later connections. A CDP session numbers its scripts itself, so
// Scripts keeps the browser's identifiers of each.
type Scripts struct {
	*core.Core
	contexts map[model.ContextID][]Script
	// identifiers are those of the browser, by CDP session and by Script.ID; empty until the browser has answered.
	identifiers map[string]map[string]string
}

// Script is an init script.
type Script struct {
	ID     string // unique in its context
	Source string
}

// New returns a Scripts without scripts.
func New(c *core.Core) *Scripts {
	return &Scripts{Core: c, contexts: map[model.ContextID][]Script{}, identifiers: map[string]map[string]string{}}
}

// Handlers returns the handlers of the feature.
func (m *Scripts) Handlers() core.Handlers {
	return core.Handlers{
		Replies:  map[core.TagKind]func(*core.Reply){core.TagScript: m.added},
		Commands: []core.CommandHandler{core.Handle(m.add), core.Handle(m.remove)},
	}
}

// AddScript adds an init script to a context, after those that it has.
type AddScript struct {
	Context model.ContextID
	Script
}

// InputName returns the name in recordings.
func (*AddScript) InputName() string { return "AddScript" }

// RemoveScript removes an init script from a context. Documents that have it keep it.
type RemoveScript struct {
	Context model.ContextID
	ID      string
}

// InputName returns the name in recordings.
func (*RemoveScript) InputName() string { return "RemoveScript" }

func (m *Scripts) add(a *AddScript) {
	m.contexts[a.Context] = append(m.contexts[a.Context], a.Script)
	for _, id := range m.ContextSessions(a.Context) {
		m.send(id, a.Script, false)
	}
}

func (m *Scripts) remove(r *RemoveScript) {
	m.contexts[r.Context] = slices.DeleteFunc(m.contexts[r.Context], func(s Script) bool { return s.ID == r.ID })
	if len(m.contexts[r.Context]) == 0 {
		delete(m.contexts, r.Context)
	}
	for _, session := range slices.Sorted(maps.Keys(m.identifiers)) {
		if identifier := m.identifiers[session][r.ID]; identifier != "" && m.Sessions[session].Context == r.Context {
			m.forget(session, r.ID, identifier)
		}
	}
}

// forget removes a script from a CDP session.
func (m *Scripts) forget(session, id, identifier string) {
	delete(m.identifiers[session], id)
	m.Send(session, "Page.removeScriptToEvaluateOnNewDocument", core.Params{"identifier": identifier}, core.Tag{})
}

// SetUp adds the scripts of its context to a new CDP session. If nothing has run in its target yet, they run in the
// first document, too.
func (m *Scripts) SetUp(session string, c model.ContextID, waiting bool) {
	for _, s := range m.contexts[c] {
		m.send(session, s, waiting)
	}
}

func (m *Scripts) send(session string, s Script, now bool) {
	if m.identifiers[session] == nil {
		m.identifiers[session] = map[string]string{}
	}
	m.identifiers[session][s.ID] = ""
	params := core.Params{"source": s.Source}
	if now {
		params["runImmediately"] = true
	}
	m.Send(session, "Page.addScriptToEvaluateOnNewDocument", params, core.Tag{Kind: core.TagScript, Script: s.ID})
}

// added stores the browser's identifier of a script, which may have been removed meanwhile.
func (m *Scripts) added(r *core.Reply) {
	var p struct {
		Identifier string `json:"identifier"`
	}
	known := m.identifiers[r.Session]
	if _, sent := known[r.Tag.Script]; !sent || r.Err != nil || jsonv2.Unmarshal(r.Result, &p) != nil {
		return
	}
	known[r.Tag.Script] = p.Identifier
	if !slices.ContainsFunc(m.contexts[m.Sessions[r.Session].Context], func(s Script) bool { return s.ID == r.Tag.Script }) {
		m.forget(r.Session, r.Tag.Script, p.Identifier)
	}
}

// ForgetSession removes the data of a CDP session that has ended.
func (m *Scripts) ForgetSession(session string) { delete(m.identifiers, session) }

// Forget removes the data of a browser context that no longer exists.
func (m *Scripts) Forget(c model.ContextID) { delete(m.contexts, c) }
