package session

import (
	"maps"
	"net/url"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// extraHeaders adds request headers for single origins. They are secrets more
// often than not, so they go to their origin and to no other, not even behind a
// redirect; that is why every request of a tab with such headers is looked at.
type extraHeaders struct {
	mu sync.Mutex
	by map[model.ContextID]map[string]map[string]string // guarded by mu: context, origin, header
}

// set adds headers for the origin of an address.
func (x *extraHeaders) set(c model.ContextID, address string, headers map[string]string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.by == nil {
		x.by = map[model.ContextID]map[string]map[string]string{}
	}
	origins := maps.Clone(x.by[c])
	if origins == nil {
		origins = map[string]map[string]string{}
	}
	origins[originOf(address)] = headers
	x.by[c] = origins
}

// forget drops the headers of a context that is no more.
func (x *extraHeaders) forget(c model.ContextID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.by, c)
}

// of returns the headers of a context by origin. The map is not changed any more.
func (x *extraHeaders) of(c model.ContextID) map[string]map[string]string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.by[c]
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// paused is the part of Fetch.requestPaused that matters here.
type paused struct {
	RequestID  string `json:"requestId"`
	Redirected string `json:"redirectedRequestId"`
	Request    struct {
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	} `json:"request"`
}

// tap continues every held request, with headers added if it goes to an origin that has some, and without them if a
// redirect carried them to another origin.
func (x *extraHeaders) tap(b *supervisor.Browser, ev cdp.Event, tab model.TargetID) {
	if ev.Method != "Fetch.requestPaused" {
		return
	}
	var p paused
	if err := jsonv2.Unmarshal(ev.Params, &p); err != nil || p.RequestID == "" {
		return
	}
	next := params{"requestId": p.RequestID}
	var context model.ContextID
	if t := b.State().Tabs[tab]; t != nil {
		context = t.Context
	}
	origins := x.of(context)
	add, ours := origins[originOf(p.Request.URL)]
	if ours || p.Redirected != "" {
		headers := p.Request.Headers
		if !ours {
			headers = without(headers, origins)
		}
		next["headers"] = merged(headers, add)
	}
	b.Session(ev.SessionID).Post("Fetch.continueRequest", next, nil)
}

// without drops every header that is meant for some origin.
func without(headers map[string]string, origins map[string]map[string]string) map[string]string {
	out := maps.Clone(headers)
	for _, own := range origins {
		for name := range own {
			for have := range out {
				if strings.EqualFold(have, name) {
					delete(out, have)
				}
			}
		}
	}
	return out
}

// merged returns the list of headers for the protocol, with add in place of those of the same name.
func merged(headers, add map[string]string) []params {
	list := []params{}
	for name, value := range without(headers, map[string]map[string]string{"": add}) {
		list = append(list, params{"name": name, "value": value})
	}
	for name, value := range add {
		list = append(list, params{"name": name, "value": value})
	}
	return list
}

// headersOf reads --headers, checked when it was parsed.
func headersOf(set *config.Settings) map[string]string {
	var out map[string]string
	if text := set.Str("headers"); text != "" {
		if err := jsonv2.Unmarshal([]byte(text), &out); err != nil {
			panic("session: headers were not checked: " + err.Error())
		}
	}
	return out
}

// applyHeaders sets the headers of a command for the origin it opens, from now on. It runs before the navigation.
func (s *Session) applyHeaders(cmd Command) {
	headers := headersOf(cmd.Settings)
	if len(headers) == 0 || cmd.Call.Verb.Name != "open" || !cmd.Call.Has("url") {
		return
	}
	h, work := s.browserContext()
	h.headers.set(work.Context, cmd.Call.Str("url"), headers)
	h.sup.SetFetching(supervisor.Fetching{Context: work.Context, All: true})
}
