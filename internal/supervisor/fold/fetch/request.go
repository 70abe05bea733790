package fetch

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Request is a request that is held, as it would be sent.
type Request struct {
	Context model.ContextID
	URL     string
	// Redirected reports whether it follows a redirect, with the headers of the request
	// before it.
	Redirected bool
	Headers    []Header
}

// Header is a header of a request.
type Header struct {
	Name, Value string
	// Origin makes it the extra header of that name that requests to the origin get: its
	// value is a secret that only the Browser knows.
	Origin string
}

// Drop drops the headers of these names, in whatever case.
func (r *Request) Drop(names ...string) {
	r.Headers = slices.DeleteFunc(r.Headers, func(h Header) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(h.Name, name) })
	})
}

// Continue stands for the parameters of Fetch.continueRequest that the Browser fills in.
type Continue struct {
	Request string
	Context model.ContextID
	// Headers are sent in place of the request's own; nil for those.
	Headers []Header
}

// Params are the parameters, given the values of extra headers by origin and name.
func (c *Continue) Params(extra map[string]map[string]string) map[string]any {
	params := map[string]any{"requestId": c.Request}
	if c.Headers == nil {
		return params
	}
	list := []map[string]any{}
	for _, h := range c.Headers {
		value := h.Value
		if h.Origin != "" {
			value = extra[h.Origin][h.Name]
		}
		list = append(list, map[string]any{"name": h.Name, "value": value})
	}
	params["headers"] = list
	return params
}
