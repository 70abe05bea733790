package fetch

import (
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Request is a paused request, with the headers that it would be sent with.
type Request struct {
	Context model.ContextID
	URL     string // without fragment
	Method  string
	// Type is the protocol's resource type, such as Document or XHR.
	Type string
	// PostData is the body, if the event has it.
	PostData string
	// Redirected reports whether it follows a redirect, with the headers of the request
	// before it.
	Redirected bool
	Headers    []Header
	// Delay, which claimants set, is how long to wait before the request is continued or answered.
	Delay time.Duration
	// Answer is that of the claimant that took the request.
	Answer Answer
}

// Answer answers a request without the server.
type Answer struct {
	// Abort, if set, fails the request for this reason (Network.ErrorReason).
	Abort string
	// Route and Response otherwise number the response, which only the Browser has.
	Route, Response int
	// Preflight, if set, is a CORS preflight request to allow in place of that response.
	Preflight *Preflight
}

// Preflight is what a CORS preflight request asks for.
type Preflight struct{ Method, Headers string }

// Header returns the value of a header of the page's own, regardless of case; empty for none.
func (r *Request) Header(name string) string {
	for _, h := range r.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// Header is a header of a request.
type Header struct {
	Name, Value string
	// Origin, if set, stands for the extra header of that name for that origin. Its value is a secret that only the
	// Browser has.
	Origin string
	// Route, if set, stands for the header of that name of the route of that number. Only the Browser has its value.
	Route int
}

// Drop removes the headers of these names, regardless of case.
func (r *Request) Drop(names ...string) {
	r.Headers = slices.DeleteFunc(r.Headers, func(h Header) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(h.Name, name) })
	})
}

// Continue stands for the parameters of Fetch.continueRequest, which the Browser completes.
type Continue struct {
	Request string
	Context model.ContextID
	// Headers replace the request's headers; nil keeps them.
	Headers []Header
}

// Params returns the parameters. secret returns the value of a header that has an Origin or a Route.
func (c *Continue) Params(secret func(Header) string) map[string]any {
	params := map[string]any{"requestId": c.Request}
	if c.Headers == nil {
		return params
	}
	list := []map[string]any{}
	for _, h := range c.Headers {
		value := h.Value
		if h.Origin != "" || h.Route != 0 {
			value = secret(h)
		}
		list = append(list, map[string]any{"name": h.Name, "value": value})
	}
	params["headers"] = list
	return params
}
