// Package routes answers, delays and changes requests by the routes of a browser context.
package routes

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Routes offers each paused request to the routes of its context in the order in which they were added. The first that
// answers it ends that; those before it may delay it or change its headers. The fold has no responses and no values of
// headers: the Browser has them.
type Routes struct {
	*core.Core
	fetch    *fetch.Fetch
	claimant *fetch.Claimant
	contexts map[model.ContextID][]*route
}

// Route is one rule for requests.
type Route struct {
	// Number identifies the route in its browser. It is positive.
	Number int
	// Pattern is a [policy.URLGlob].
	Pattern string
	// Types are the protocol's resource types, in any case; none for all.
	Types []string
	// Delay is how long to wait before anything else.
	Delay time.Duration
	// Headers are the names of the headers that the request gets, and Remove of those that it loses.
	Headers, Remove []string
	// Abort, if set, fails the request for this reason (Network.ErrorReason).
	Abort string
	// Respond answers the request with the route's response.
	Respond bool
	// AllowOrigin, if set, is the origin that CORS preflight requests are told is allowed, or *.
	AllowOrigin string
	// Recorded are the requests for which the route has recorded responses, by the number of the response. It then
	// answers those; the others it fails for the reason Abort, or leaves to the next route.
	Recorded []Recorded
	// Source is the file of the recorded responses.
	Source string
}

// Recorded is a recorded request.
type Recorded struct {
	Method, URL string // the URL without fragment
	// Post identifies the body: [PostKey] of it; empty for none.
	Post string
	// Abort is the reason for which it failed; empty if it has a response.
	Abort string
}

// PostKey identifies the body of a request.
func PostKey(body string) string {
	if body == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:16])
}

// Status is a route, and what it has done.
type Status struct {
	Route
	// Requests is the number of requests to which it was applied.
	Requests int
}

// route is a Route in use.
type route struct {
	Status
	glob policy.URLGlob
	// recorded are the numbers of recorded responses, by method and URL, and used of those that were given out.
	recorded map[string][]int
	used     map[int]bool
}

// New returns a Routes without routes.
func New(c *core.Core, domain *fetch.Fetch) *Routes {
	m := &Routes{Core: c, fetch: domain, contexts: map[model.ContextID][]*route{}}
	m.claimant = &fetch.Claimant{Request: m.request}
	domain.Add(m.claimant)
	return m
}

// Handlers returns the handlers of the feature's commands.
func (m *Routes) Handlers() core.Handlers {
	return core.Handlers{Commands: []core.CommandHandler{core.Handle(m.add), core.Handle(m.remove)}}
}

// AddRoute adds a route to those of a context. It takes the place of a route with the same pattern, types and source.
type AddRoute struct {
	Context model.ContextID
	Route
}

// InputName returns the name in recordings.
func (*AddRoute) InputName() string { return "Route" }

// RemoveRoutes removes the routes of a context with these numbers.
type RemoveRoutes struct {
	Context model.ContextID
	Numbers []int
}

// InputName returns the name in recordings.
func (*RemoveRoutes) InputName() string { return "Unroute" }

// Same reports whether a new route takes the place of another.
func (r *Route) Same(o *Route) bool {
	return r.Pattern == o.Pattern && slices.Equal(r.Types, o.Types) && r.Source == o.Source
}

func (m *Routes) add(a *AddRoute) {
	glob, err := policy.ParseURLGlob(a.Pattern)
	if err != nil { // it was checked; a recording may contain anything
		return
	}
	r := &route{Status: Status{Route: a.Route}, glob: glob}
	if len(a.Recorded) > 0 {
		r.recorded, r.used = map[string][]int{}, map[int]bool{}
		for i, e := range a.Recorded {
			key := e.Method + " " + e.URL
			r.recorded[key] = append(r.recorded[key], i)
		}
	}
	list := slices.Clone(m.contexts[a.Context])
	if i := slices.IndexFunc(list, func(o *route) bool { return o.Same(&a.Route) }); i >= 0 {
		list[i] = r
	} else {
		list = append(list, r)
	}
	m.contexts[a.Context] = list
	m.claim(a.Context)
}

func (m *Routes) remove(c *RemoveRoutes) {
	m.contexts[c.Context] = slices.DeleteFunc(slices.Clone(m.contexts[c.Context]), func(r *route) bool { return slices.Contains(c.Numbers, r.Number) })
	m.claim(c.Context)
}

// claim claims the requests for the routes of a context.
func (m *Routes) claim(c model.ContextID) {
	if len(m.contexts[c]) == 0 {
		delete(m.contexts, c)
		m.fetch.Release(c, m.claimant)
		return
	}
	var patterns []string
	for _, r := range m.contexts[c] {
		patterns = append(patterns, r.glob.CDP())
		if len(r.Headers) > 0 { // they are taken from redirects to other addresses
			patterns = append(patterns, fetch.Everything)
		}
	}
	m.fetch.Claim(c, m.claimant, patterns...)
}

// Of returns the routes of a context, in order.
func (m *Routes) Of(c model.ContextID) []Status {
	var list []Status
	for _, r := range m.contexts[c] {
		list = append(list, r.Status)
	}
	return list
}

// Forget removes the data of a browser context that no longer exists.
func (m *Routes) Forget(c model.ContextID) { delete(m.contexts, c) }

// request applies the routes that match to a request, until one answers it.
func (m *Routes) request(r *fetch.Request) fetch.Verdict {
	verdict := fetch.Pass
	if r.Redirected { // with the headers that routes gave to the request before it
		for _, rt := range m.contexts[r.Context] {
			if len(rt.Headers) > 0 && slices.ContainsFunc(rt.Headers, func(name string) bool { return r.Header(name) != "" }) {
				r.Drop(rt.Headers...)
				verdict = fetch.Change
			}
		}
	}
	for _, rt := range m.contexts[r.Context] {
		if !rt.matches(r) {
			continue
		}
		answer, answered, applies := rt.answer(r)
		if !applies {
			continue
		}
		rt.Requests++
		r.Delay = max(r.Delay, rt.Delay)
		if answered {
			r.Answer = answer
			return fetch.Take
		}
		if len(rt.Headers)+len(rt.Remove) > 0 {
			r.Drop(rt.Remove...)
			r.Drop(rt.Headers...)
			for _, name := range rt.Headers {
				r.Headers = append(r.Headers, fetch.Header{Name: name, Route: rt.Number})
			}
			verdict = fetch.Change
		}
	}
	return verdict
}

func (rt *route) matches(r *fetch.Request) bool {
	return (len(rt.Types) == 0 || slices.ContainsFunc(rt.Types, func(t string) bool { return strings.EqualFold(t, r.Type) })) && rt.glob.Match(r.URL)
}

// answer returns the answer of a route that matches, if it has one. applies reports whether the route is for the request
// at all.
func (rt *route) answer(r *fetch.Request) (answer fetch.Answer, answered, applies bool) {
	if asks := r.Header("Access-Control-Request-Method"); r.Method == http.MethodOptions && asks != "" && rt.AllowOrigin != "" {
		return fetch.Answer{Route: rt.Number, Preflight: &fetch.Preflight{Method: asks, Headers: r.Header("Access-Control-Request-Headers")}}, true, true
	}
	if rt.Source != "" {
		if n := rt.find(r); n >= 0 {
			rt.used[n] = true
			if why := rt.Recorded[n].Abort; why != "" {
				return fetch.Answer{Abort: why}, true, true
			}
			return fetch.Answer{Route: rt.Number, Response: n}, true, true
		}
		return fetch.Answer{Abort: rt.Abort}, rt.Abort != "", rt.Abort != ""
	}
	switch {
	case rt.Abort != "":
		return fetch.Answer{Abort: rt.Abort}, true, true
	case rt.Respond:
		return fetch.Answer{Route: rt.Number}, true, true
	}
	return fetch.Answer{}, false, true
}

// find returns the number of the recorded response for a request, -1 for none: of those with its method, URL and body
// (or, if none has its body, its method and URL) the first that was not given out, else the last.
func (rt *route) find(r *fetch.Request) int {
	all := rt.recorded[r.Method+" "+r.URL]
	post := PostKey(r.PostData)
	same := slices.DeleteFunc(slices.Clone(all), func(n int) bool { return rt.Recorded[n].Post != post })
	if len(same) > 0 {
		all = same
	}
	if len(all) == 0 {
		return -1
	}
	for _, n := range all {
		if !rt.used[n] {
			return n
		}
	}
	return all[len(all)-1]
}
