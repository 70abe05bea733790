// Package headers adds request headers for single origins.
package headers

import (
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Headers adds extra headers to requests. They are secrets more often than not, so
// they go to their origin and to no other, not even behind a redirect; that is why
// every request of a context with such headers is held. The fold knows their names,
// the Browser alone their values.
type Headers struct {
	*core.Core
	fetch    *fetch.Fetch
	claimant *fetch.Claimant
	names    map[model.ContextID]map[string][]string // by origin
}

// New returns one that adds nothing.
func New(c *core.Core, domain *fetch.Fetch) *Headers {
	m := &Headers{Core: c, fetch: domain, names: map[model.ContextID]map[string][]string{}}
	m.claimant = &fetch.Claimant{Request: m.request}
	domain.Add(m.claimant)
	return m
}

// Handlers are what concerns extra headers.
func (m *Headers) Handlers() core.Handlers {
	return core.Handlers{Commands: []core.CommandHandler{core.Handle(m.set)}}
}

// SetHeaders says which headers are added to requests of a context to an origin, in
// place of those before.
type SetHeaders struct {
	Context model.ContextID
	Origin  string
	Names   []string
}

// InputName is the name in recordings.
func (*SetHeaders) InputName() string { return "Headers" }

func (m *Headers) set(h *SetHeaders) {
	if m.names[h.Context] == nil {
		m.names[h.Context] = map[string][]string{}
	}
	m.names[h.Context][h.Origin] = h.Names
	m.fetch.Claim(h.Context, m.claimant, fetch.Everything)
}

// request takes out what a redirect carries to another origin, and adds what the
// request's origin gets.
func (m *Headers) request(r *fetch.Request) fetch.Verdict {
	origins := m.names[r.Context]
	origin := model.Origin(r.URL)
	own, ok := origins[origin]
	if !ok && !r.Redirected {
		return fetch.Pass
	}
	if r.Redirected {
		for _, names := range origins {
			r.Drop(names...)
		}
	}
	r.Drop(own...)
	for _, name := range own {
		r.Headers = append(r.Headers, fetch.Header{Name: name, Origin: origin})
	}
	return fetch.Change
}

// Forget drops what is kept for a browser context that no longer exists.
func (m *Headers) Forget(c model.ContextID) { delete(m.names, c) }
