// Package fetch owns the Fetch domain of the model's CDP sessions: features claim
// requests of a browser context, and decide about those that are held.
package fetch

import (
	"maps"
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Fetch makes one Fetch.enable of all claims, and disables the domain when none holds
// a request. What is held is offered to the claimants of its context in the order in
// which they were added; what nobody takes goes on.
//
// The CDP sessions of raw calls are not the model's: what they hold is theirs to
// continue.
type Fetch struct {
	*core.Core
	claimants []*Claimant
	contexts  map[model.ContextID]claims
}

// claims are the URL patterns of those who have a claim in a context.
type claims map[*Claimant][]string

// Everything is the URL pattern of every request.
const Everything = "*"

// Claimant is a feature that decides about requests. It is asked about all that is
// held of a context in which it has a claim, whoever's pattern it was that held it.
type Claimant struct {
	// Request, if set, decides about a request that has not been sent yet.
	Request func(*Request) Verdict
	// Auth, if set, reports whether the claimant takes a request whose server or proxy
	// asks for a name and a password. Then it answers it, now or later.
	Auth func(*cdp.Event) (taken bool)
}

// Verdict is what a claimant decides about a request.
type Verdict int

// Verdicts.
const (
	// Pass leaves the request to the next claimant.
	Pass Verdict = iota
	// Change has the request sent with the headers that it now has, unless the next
	// claimants change them again.
	Change
)

// New returns a domain that nobody claims.
func New(c *core.Core) *Fetch {
	return &Fetch{Core: c, contexts: map[model.ContextID]claims{}}
}

// Handlers are the domain's events.
func (m *Fetch) Handlers() core.Handlers {
	return core.Handlers{Events: map[string]func(*cdp.Event){
		"Fetch.requestPaused": m.requestPaused,
		"Fetch.authRequired":  m.authRequired,
	}}
}

// Add adds a claimant behind those that were added before.
func (m *Fetch) Add(c *Claimant) { m.claimants = append(m.claimants, c) }

// Claim holds the requests of a context whose URLs match one of the patterns, in place
// of what the claimant held before. Without a pattern it takes part in what others
// hold.
func (m *Fetch) Claim(c model.ContextID, by *Claimant, patterns ...string) {
	before := m.params(c)
	if m.contexts[c] == nil {
		m.contexts[c] = claims{}
	}
	m.contexts[c][by] = patterns
	m.bring(c, before)
}

// Release gives a claim back.
func (m *Fetch) Release(c model.ContextID, by *Claimant) {
	before := m.params(c)
	delete(m.contexts[c], by)
	if len(m.contexts[c]) == 0 {
		delete(m.contexts, c)
	}
	m.bring(c, before)
}

// Holds reports whether some claimant holds the requests of a URL pattern.
func (m *Fetch) Holds(c model.ContextID, pattern string) bool {
	for _, patterns := range m.contexts[c] {
		if slices.Contains(patterns, pattern) {
			return true
		}
	}
	return false
}

// SetUp holds in a new CDP session the requests that are claimed of its context.
func (m *Fetch) SetUp(session string, c model.ContextID) {
	if p := m.params(c); len(p.patterns) > 0 {
		m.enable(session, p)
	}
}

// Forget drops the claims of a browser context that no longer exists.
func (m *Fetch) Forget(c model.ContextID) { delete(m.contexts, c) }

// params are what Fetch.enable is given.
type params struct {
	patterns []string
	auth     bool
}

// params are those that all claims come to.
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

// bring brings changed claims to the CDP sessions of a context.
func (m *Fetch) bring(c model.ContextID, before params) {
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

// requestPaused has the claimants decide about a request, and lets it go on.
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

// authRequired has the claimants answer a login, or the browser itself.
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

// Answer answers a login without a name and a password: "Default" leaves it to the
// browser, "CancelAuth" shows what the server sends to those who have none.
func (m *Fetch) Answer(session, request, response string) {
	m.Send(session, "Fetch.continueWithAuth", core.Params{"requestId": request, "authChallengeResponse": core.Params{"response": response}}, core.Tag{})
}
