// Package headers adds extra headers to the requests to single origins.
package headers

import (
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Everywhere stands for all origins.
const Everywhere = "*"

// Headers adds extra headers to requests. Their values are often secrets, so they are sent to their origin only, unless
// that is [Everywhere], and are removed from redirects to others. Therefore all requests of a context with such headers are paused. The fold has the
// names only; the Browser has the values.
type Headers struct {
	*core.Core
	fetch    *fetch.Fetch
	claimant *fetch.Claimant
	names    map[model.ContextID]map[string][]string // by origin
}

// New returns a Headers without extra headers.
func New(c *core.Core, domain *fetch.Fetch) *Headers {
	m := &Headers{Core: c, fetch: domain, names: map[model.ContextID]map[string][]string{}}
	m.claimant = &fetch.Claimant{Request: m.request}
	domain.Add(m.claimant)
	return m
}

// Handlers returns the handlers of the feature's commands.
func (m *Headers) Handlers() core.Handlers {
	return core.Handlers{Commands: []core.CommandHandler{core.Handle(m.set)}}
}

// SetHeaders sets the extra headers of a context for an origin, in place of the earlier ones.
type SetHeaders struct {
	Context model.ContextID
	Origin  string
	Names   []string
}

// InputName returns the name in recordings.
func (*SetHeaders) InputName() string { return "SetHeaders" }

func (m *Headers) set(h *SetHeaders) {
	if m.names[h.Context] == nil {
		m.names[h.Context] = map[string][]string{}
	}
	m.names[h.Context][h.Origin] = h.Names
	if len(h.Names) == 0 && h.Origin == Everywhere {
		delete(m.names[h.Context], h.Origin)
	}
	if len(m.names[h.Context]) == 0 {
		m.fetch.Release(h.Context, m.claimant)
		return
	}
	m.fetch.Claim(h.Context, m.claimant, fetch.Everything)
}

// request removes extra headers that a redirect carries to another origin, and adds those of the request's origin and of
// all origins.
func (m *Headers) request(r *fetch.Request) fetch.Verdict {
	origins := m.names[r.Context]
	origin := model.Origin(r.URL)
	if origins[origin] == nil && origins[Everywhere] == nil && !r.Redirected {
		return fetch.Pass
	}
	if r.Redirected {
		for _, names := range origins {
			r.Drop(names...)
		}
	}
	m.add(r, Everywhere)
	m.add(r, origin)
	return fetch.Change
}

// add sets the extra headers of an origin in a request.
func (m *Headers) add(r *fetch.Request, origin string) {
	names := m.names[r.Context][origin]
	r.Drop(names...)
	for _, name := range names {
		r.Headers = append(r.Headers, fetch.Header{Name: name, Origin: origin})
	}
}

// Forget removes the data of a browser context that no longer exists.
func (m *Headers) Forget(c model.ContextID) { delete(m.names, c) }
