package fetch

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Request is a paused request, with the headers that it would be sent with.
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
	// Origin, if set, stands for the extra header of that name for that origin. Its value is a secret that only the
	// Browser has.
	Origin string
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

// Params returns the parameters. extra has the values of extra headers by origin and name.
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
