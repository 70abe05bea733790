package network

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/verb"
)

// Route is the result of `network route`: Routed, or Routes of `network route list`.
type Route struct {
	Routed string       `json:"routed,omitzero"` // the pattern
	Routes []RouteEntry `json:"routes,omitzero"` // in the order in which they are tried
}

// RouteEntry is a route of `network route list`.
type RouteEntry struct {
	Pattern string   `json:"pattern"`
	Types   []string `json:"resourceTypes,omitzero"`
	Action  string   `json:"action"`          // abort, respond, replay or continue
	Status  int      `json:"status,omitzero"` // of the answer
	Body    int      `json:"bodySize,omitzero"`
	// Headers are the names of the headers that are added to the answer, or to the request.
	Headers       []string `json:"headers,omitzero"`
	RemoveHeaders []string `json:"removeHeaders,omitzero"`
	Delay         int64    `json:"delay,omitzero"` // milliseconds
	// Source is the file of a replayed HAR, with so many Responses.
	Source    string `json:"source,omitzero"`
	Responses int    `json:"responses,omitzero"`
	Requests  int    `json:"requests"` // to which it was applied
}

// Unroute is the result of `network unroute`.
type Unroute struct {
	Unrouted string `json:"unrouted"` // the pattern, or "all"
	Removed  int    `json:"removed"`  // routes
}

func route(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Route], error) {
	pattern := c.Str("url")
	if pattern == routeList {
		return listRoutes(e), nil
	}
	r, data := routeOf(c)
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	if _, err := e.Browser.AddRoute(ctx, e.Context, r, data); err != nil {
		return run.Reply[*Route]{}, e.Explain(err, "route "+pattern)
	}
	reply := run.Reply[*Route]{Data: &Route{Routed: pattern}, Text: run.Done}
	if g, err := policy.ParseURLGlob(pattern); err == nil && !g.Reachable() {
		reply.Warning = fmt.Sprintf("the pattern %s matches no URL, because it begins with neither * nor a scheme; write **%s", pattern, "/"+strings.TrimLeft(pattern, "/"))
	}
	return reply, nil
}

// routeOf returns the route of a command, whose flags were checked.
func routeOf(c *verb.Call) (supervisor.Route, supervisor.RouteData) {
	r := supervisor.Route{Pattern: c.Str("url"), Types: c.List("resource-type"), Delay: c.Dur("delay"), Remove: c.List("remove-header")}
	var fields []supervisor.HeaderField
	for _, text := range c.List("header") {
		name, value, _ := headerField(text)
		fields = append(fields, supervisor.HeaderField{Name: name, Value: value})
	}
	if c.Bool("abort") {
		r.Abort = "Failed"
		return r, supervisor.RouteData{}
	}
	if !answers(c) {
		data := supervisor.RouteData{Headers: map[string]string{}}
		for _, f := range fields {
			if _, repeated := data.Headers[f.Name]; !repeated {
				r.Headers = append(r.Headers, f.Name)
			}
			data.Headers[f.Name] = f.Value
		}
		return r, data
	}
	r.Respond, r.AllowOrigin = true, c.Str("allow-origin")
	response := supervisor.RouteResponse{Status: http.StatusOK, Headers: fields, Body: []byte(c.Str("body"))}
	if c.Has("status") {
		response.Status = c.Int("status")
	}
	if kind := contentType(c, fields); kind != "" {
		response.Headers = append(response.Headers, supervisor.HeaderField{Name: "Content-Type", Value: kind})
	}
	if r.AllowOrigin != "" {
		response.Headers = append(response.Headers, supervisor.HeaderField{Name: "Access-Control-Allow-Origin", Value: r.AllowOrigin})
		if r.AllowOrigin != "*" {
			response.Headers = append(response.Headers, supervisor.HeaderField{Name: "Access-Control-Allow-Credentials", Value: "true"})
		}
	}
	return r, supervisor.RouteData{Responses: []supervisor.RouteResponse{response}}
}

// contentType returns the content type of an answer, empty if it has one among its headers or no body.
func contentType(c *verb.Call, fields []supervisor.HeaderField) string {
	body := []byte(c.Str("body"))
	switch {
	case c.Has("content-type"):
		return c.Str("content-type")
	case len(body) == 0, slices.ContainsFunc(fields, func(f supervisor.HeaderField) bool { return f.Name == "Content-Type" }):
		return ""
	case jsontext.Value(body).IsValid():
		return "application/json"
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		return "text/html; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

func listRoutes(e *run.Env) run.Reply[*Route] {
	data := &Route{Routes: []RouteEntry{}}
	var lines []string
	for _, r := range e.Browser.Routes(e.Context) {
		entry := routeEntry(&r, e.Browser.RouteData(e.Context, r.Number))
		data.Routes = append(data.Routes, entry)
		lines = append(lines, routeLine(&entry))
	}
	if len(lines) == 0 {
		lines = []string{"No routes"}
	}
	return run.Reply[*Route]{Data: data, Text: strings.Join(lines, "\n")}
}

func routeEntry(r *supervisor.RouteStatus, data supervisor.RouteData) RouteEntry {
	out := RouteEntry{
		Pattern: r.Pattern, Types: r.Types, Action: "continue", Headers: r.Headers, RemoveHeaders: r.Remove,
		Delay: r.Delay.Milliseconds(), Source: r.Source, Requests: r.Requests,
	}
	switch {
	case r.Source != "":
		out.Action, out.Responses = "replay", len(r.Recorded)
	case r.Abort != "":
		out.Action = "abort"
	case r.Respond && len(data.Responses) > 0:
		answer := data.Responses[0]
		out.Action, out.Status, out.Body = "respond", answer.Status, len(answer.Body)
		for _, h := range answer.Headers {
			out.Headers = append(out.Headers, h.Name)
		}
	}
	return out
}

func routeLine(r *RouteEntry) string {
	var b strings.Builder
	b.WriteString(r.Pattern)
	if len(r.Types) > 0 {
		b.WriteString(" (" + strings.Join(r.Types, ", ") + ")")
	}
	b.WriteString(": " + r.Action)
	switch r.Action {
	case "respond":
		fmt.Fprintf(&b, " %d, %d bytes", r.Status, r.Body)
	case "replay":
		fmt.Fprintf(&b, " %d responses of %s", r.Responses, r.Source)
	}
	if len(r.Headers) > 0 {
		b.WriteString(", headers " + strings.Join(r.Headers, ", "))
	}
	if len(r.RemoveHeaders) > 0 {
		b.WriteString(", without " + strings.Join(r.RemoveHeaders, ", "))
	}
	if r.Delay > 0 {
		b.WriteString(", after " + strconv.FormatInt(r.Delay, 10) + " ms")
	}
	return b.String() + fmt.Sprintf(" — %d requests", r.Requests)
}

func unroute(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Unroute], error) {
	data := &Unroute{Unrouted: "all"}
	pattern := c.Str("url")
	if pattern != "" {
		data.Unrouted = pattern
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	removed, err := e.Browser.RemoveRoutes(ctx, e.Context, func(r *supervisor.RouteStatus) bool {
		return pattern == "" || pattern == r.Pattern && r.Source == "" || r.Source != "" && r.Source == e.Path(pattern)
	})
	if err != nil {
		return run.Reply[*Unroute]{}, e.Explain(err, "remove routes")
	}
	data.Removed = len(removed)
	reply := run.Reply[*Unroute]{Data: data, Text: run.Done}
	if pattern != "" && len(removed) == 0 {
		reply.Warning = fmt.Sprintf("there was no route %s; `network route list` lists them", pattern)
	}
	return reply, nil
}
