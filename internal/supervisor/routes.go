package supervisor

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/fold/routes"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Route is one rule for the requests of a browser context; see [routes.Route].
type Route = routes.Route

// RouteStatus is a route, and what it has done; see [routes.Status].
type RouteStatus = routes.Status

// RecordedRequest is a request for which a route has a recorded response; see [routes.Recorded].
type RecordedRequest = routes.Recorded

// PostKey identifies the body of a request; see [routes.PostKey].
func PostKey(body string) string { return routes.PostKey(body) }

// RouteData is the part of a route that only the Browser has, because it may be secret or large.
type RouteData struct {
	// Headers are the values of Route.Headers.
	Headers map[string]string
	// Responses are the response of Route.Respond, or those of Route.Recorded.
	Responses []RouteResponse
}

// RouteResponse is a response in place of the server's.
type RouteResponse struct {
	Status  int
	Phrase  string // the status text; empty for the usual one
	Headers []HeaderField
	Body    []byte
}

// HeaderField is one header of a response.
type HeaderField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// AddRoute adds a route to those of a context, in place of one with the same pattern, types and source. It returns the
// route's number when the browser pauses the requests that the route may be for. Errors: the browser's refusals, or the
// cause of ctx's end; the route is added nevertheless.
func (b *Browser) AddRoute(ctx context.Context, c model.ContextID, r Route, data RouteData) (int, error) {
	in := &routes.AddRoute{Context: c, Route: r}
	err := b.confirmed(ctx, in, func() {
		for _, old := range b.model.Routes(c) {
			if old.Same(&r) {
				delete(b.routes[c], old.Number)
			}
		}
		b.lastRoute++
		in.Number = b.lastRoute
		if b.routes[c] == nil {
			b.routes[c] = map[int]RouteData{}
		}
		b.routes[c][in.Number] = data
	})
	return in.Number, err
}

// RemoveRoutes removes the routes of a context that are selected, and returns them. Errors are those of AddRoute.
func (b *Browser) RemoveRoutes(ctx context.Context, c model.ContextID, selected func(*RouteStatus) bool) ([]RouteStatus, error) {
	in := &routes.RemoveRoutes{Context: c}
	var removed []RouteStatus
	err := b.confirmed(ctx, in, func() {
		removed = slices.DeleteFunc(b.model.Routes(c), func(r RouteStatus) bool { return !selected(&r) })
		for _, r := range removed {
			in.Numbers = append(in.Numbers, r.Number)
			delete(b.routes[c], r.Number)
		}
		if len(b.routes[c]) == 0 {
			delete(b.routes, c)
		}
	})
	return removed, err
}

// Routes returns the routes of a context in the order in which they are tried.
func (b *Browser) Routes(c model.ContextID) []RouteStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.model.Routes(c)
}

// RouteData returns what only the Browser has of a route. Its contents must not be changed.
func (b *Browser) RouteData(c model.ContextID, number int) RouteData {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.routes[c][number]
}

// fulfillment returns the parameters of Fetch.fulfillRequest. The caller holds mu.
func (b *Browser) fulfillment(f fetch.Fulfill) core.Params {
	data, known := b.routes[f.Context][f.Route]
	var out RouteResponse
	switch {
	case f.Preflight != nil && known:
		out = allowing(f, data)
	case known && f.Response < len(data.Responses):
		out = data.Responses[f.Response]
	default: // the route was removed while the request was delayed
		out = RouteResponse{Status: http.StatusServiceUnavailable, Phrase: "route removed"}
	}
	params := core.Params{"requestId": f.Request, "responseCode": out.Status, "body": out.Body, "responseHeaders": nonNil(out.Headers)}
	if out.Phrase != "" {
		params["responsePhrase"] = out.Phrase
	}
	return params
}

// allowing returns the response to a CORS preflight request that allows what it asks for. The origin is the one that the
// route's response allows.
func allowing(f fetch.Fulfill, data RouteData) RouteResponse {
	out := RouteResponse{Status: http.StatusNoContent, Headers: []HeaderField{
		{"Access-Control-Allow-Methods", f.Preflight.Method}, {"Access-Control-Max-Age", strconv.Itoa(0)},
	}}
	if f.Preflight.Headers != "" {
		out.Headers = append(out.Headers, HeaderField{"Access-Control-Allow-Headers", f.Preflight.Headers})
	}
	for _, h := range data.Responses[0].Headers {
		if h.Name == "Access-Control-Allow-Origin" || h.Name == "Access-Control-Allow-Credentials" {
			out.Headers = append(out.Headers, h)
		}
	}
	return out
}

func nonNil(list []HeaderField) []HeaderField {
	if list == nil {
		return []HeaderField{}
	}
	return list
}
