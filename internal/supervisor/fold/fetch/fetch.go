// Package fetch shares the Fetch domain of CDP sessions between features, which claim requests of a browser context and
// decide about those that are paused.
package fetch

import (
	"maps"
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Fetch sends one Fetch.enable for the patterns of all claims, and Fetch.disable when no patterns are left. A paused
// request is offered to the claimants of its context in the order of [Fetch.Add], and then continues.
//
// CDP sessions of raw calls are not handled here: their clients continue what they pause.
type Fetch struct {
	*core.Core
	claimants []*Claimant
	contexts  map[model.ContextID]claims
}

// claims maps the claimants of a context to their URL patterns.
type claims map[*Claimant][]string

// Everything is the URL pattern that matches every request.
const Everything = "*"

// Claimant is a feature that decides about requests. It sees every paused request of the contexts in which it has a
// claim, whichever claimant's pattern matched.
type Claimant struct {
	// Request, if set, decides about a request before it is sent.
	Request func(*Request) Verdict
	// Auth, if set, reports whether the claimant takes an authentication challenge. A claimant that does must answer it,
	// now or later.
	Auth func(*cdp.Event) (taken bool)
}

// Verdict is a claimant's decision about a request.
type Verdict int

// Verdicts.
const (
	// Pass leaves the request to the next claimant.
	Pass Verdict = iota
	// Change sends the request with its changed headers, which the next claimants may change again.
	Change
)

// New returns a Fetch without claims.
func New(c *core.Core) *Fetch {
	return &Fetch{Core: c, contexts: map[model.ContextID]claims{}}
}

// Handlers returns the handlers of the domain's events.
func (m *Fetch) Handlers() core.Handlers {
	return core.Handlers{Events: map[string]func(*cdp.Event){
		"Fetch.requestPaused": m.requestPaused,
		"Fetch.authRequired":  m.authRequired,
	}}
}

// Add adds a claimant after those that were added before.
func (m *Fetch) Add(c *Claimant) { m.claimants = append(m.claimants, c) }

// Claim pauses the requests of a context whose URLs match one of the patterns, which replace the claimant's earlier ones.
// Without patterns the claimant only sees requests that other claims pause.
func (m *Fetch) Claim(c model.ContextID, by *Claimant, patterns ...string) {
	before := m.params(c)
	if m.contexts[c] == nil {
		m.contexts[c] = claims{}
	}
	m.contexts[c][by] = patterns
	m.update(c, before)
}

// Release releases a claim.
func (m *Fetch) Release(c model.ContextID, by *Claimant) {
	before := m.params(c)
	delete(m.contexts[c], by)
	if len(m.contexts[c]) == 0 {
		delete(m.contexts, c)
	}
	m.update(c, before)
}

// HasPattern reports whether some claim of the context has the URL pattern.
func (m *Fetch) HasPattern(c model.ContextID, pattern string) bool {
	for _, patterns := range m.contexts[c] {
		if slices.Contains(patterns, pattern) {
			return true
		}
	}
	return false
}

// SetUp enables the claims of its context in a new CDP session.
func (m *Fetch) SetUp(session string, c model.ContextID) {
	if p := m.params(c); len(p.patterns) > 0 {
		m.enable(session, p)
	}
}

// Forget removes the claims of a browser context that no longer exists.
func (m *Fetch) Forget(c model.ContextID) { delete(m.contexts, c) }

// params are the parameters of Fetch.enable.
type params struct {
	patterns []string
	auth     bool
}

// params returns the parameters for all claims of a context.
func (m *Fetch) params(c model.ContextID) (p params) {
	for _, by := range m.claimants {
		patterns, has := m.contexts[c][by]
		p.auth = p.auth || has && by.Auth != nil
		for _, pattern := range patterns {
			if !slices.Contains(p.patterns, pattern) {
				p.patterns = append(p.patterns, pattern)
			}
		}
	}
	if slices.Contains(p.patterns, Everything) {
		p.patterns = []string{Everything}
	}
	return p
}

// update sends changed parameters to the CDP sessions of a context.
func (m *Fetch) update(c model.ContextID, before params) {
	now := m.params(c)
	switch {
	case len(now.patterns) > 0 && (now.auth != before.auth || !slices.Equal(now.patterns, before.patterns)):
		for _, id := range m.ContextSessions(c) {
			m.enable(id, now)
		}
	case len(now.patterns) == 0 && len(before.patterns) > 0:
		for _, id := range m.ContextSessions(c) {
			m.Send(id, "Fetch.disable", nil, core.Tag{})
		}
	}
}

func (m *Fetch) enable(session string, p params) {
	var patterns []core.Params
	for _, pattern := range p.patterns {
		patterns = append(patterns, core.Params{"urlPattern": pattern})
	}
	m.Send(session, "Fetch.enable", core.Params{"patterns": patterns, "handleAuthRequests": p.auth}, core.Tag{})
}

// requestPaused offers a paused request to the claimants, and continues it.
func (m *Fetch) requestPaused(ev *cdp.Event) {
	var p struct {
		ID         string `json:"requestId"`
		Redirected string `json:"redirectedRequestId"`
		Request    struct {
			URL     string            `json:"url"`
			Headers map[string]string `json:"headers"`
		} `json:"request"`
	}
	if !core.Decode(ev, &p) || p.ID == "" {
		return
	}
	if m.Sessions[ev.SessionID].Kind == core.KindOwn {
		m.answerEmpty(ev.SessionID, p.ID)
		return
	}
	r := &Request{Context: m.Sessions[ev.SessionID].Context, URL: p.Request.URL, Redirected: p.Redirected != ""}
	for _, name := range slices.Sorted(maps.Keys(p.Request.Headers)) {
		r.Headers = append(r.Headers, Header{Name: name, Value: p.Request.Headers[name]})
	}
	next := Continue{Request: p.ID, Context: r.Context}
	for _, by := range m.claimants {
		if _, has := m.contexts[r.Context][by]; has && by.Request != nil && by.Request(r) == Change {
			next.Headers = r.Headers
		}
	}
	m.Send(ev.SessionID, "Fetch.continueRequest", next, core.Tag{})
}

// authRequired offers an authentication challenge to the claimants, or lets the browser handle it.
func (m *Fetch) authRequired(ev *cdp.Event) {
	for _, by := range m.claimants {
		if _, has := m.contexts[m.Sessions[ev.SessionID].Context][by]; has && by.Auth != nil && by.Auth(ev) {
			return
		}
	}
	var p struct {
		ID string `json:"requestId"`
	}
	if core.Decode(ev, &p) {
		m.Answer(ev.SessionID, p.ID, "Default")
	}
}

// Answer answers an authentication challenge without credentials: "Default" leaves it to the browser, "CancelAuth" shows
// the server's page for a failed authentication.
func (m *Fetch) Answer(session, request, response string) {
	m.Send(session, "Fetch.continueWithAuth", core.Params{"requestId": request, "authChallengeResponse": core.Params{"response": response}}, core.Tag{})
}
