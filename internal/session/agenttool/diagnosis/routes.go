package diagnosis

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// maxRouted bounds the diagnostics of routes.
const maxRouted = 5

// routed reports requests to which a route of the session applies and which did not end well: it may be the route that is wrong, not the page.
func (g *Diagnosis) routed(ctx context.Context, requests []request) {
	res, err := g.Host.Run(ctx, step.Command(g.Host, g.Namespace, g.Session, "network", "route", "list"))
	if err != nil {
		return // without a session there are no routes
	}
	var list struct {
		Routes []struct {
			Pattern string `json:"pattern"`
			Action  string `json:"action"`
			Status  int    `json:"status"`
		} `json:"routes"`
	}
	result.Read(result.Encode(res.Data), &list)
	for _, route := range list.Routes {
		glob, err := policy.ParseURLGlob(route.Pattern)
		if err != nil {
			continue // it applies to nothing
		}
		mode := map[string]string{"abort": "abort", "respond": "body", "replay": "body"}[route.Action]
		if mode == "" {
			mode = "handler"
		}
		for _, r := range requests {
			if len(g.Details.NetworkRouteDiagnostics) >= maxRouted || !glob.Match(r.URL) {
				continue
			}
			d := result.RouteDiagnostic{Mode: mode, RequestID: r.ID, RequestURL: r.URL, RoutePattern: route.Pattern}
			switch {
			case r.cors():
				d.Reason, d.Summary = "cors-likely-routed-request", "The page may not read the answer of the route: give the route --allow-origin."
			case !r.Done && !r.failed():
				d.Reason, d.Summary = "pending-routed-request", "The route has not answered the request yet."
			case mode != "abort" && r.failed() && (r.Status == 0 || r.Status != route.Status): // a status that the route gives is meant
				d.Reason, d.Summary = "unfulfilled-routed-request", fmt.Sprintf("The request failed although the route %s applies: %d %s", route.Pattern, r.Status, r.Failed+r.Blocked)
			default:
				continue
			}
			if g.Details.NetworkRouteDiagnostics == nil {
				g.Next.Add("inspect-routed-network-request", "Shows what the route answered.", "network", "request", r.ID)
				if !g.recordsHAR() {
					g.Next.Add("start-network-har-capture-for-route-mock", "Records the real answers, from which a route can be made.", "network", "har", "start")
				}
			}
			g.Details.NetworkRouteDiagnostics = append(g.Details.NetworkRouteDiagnostics, d)
			g.Say("Route " + route.Pattern + ": " + d.Summary)
		}
	}
}

// cors reports whether the browser kept the answer from the page.
func (r *request) cors() bool {
	return strings.Contains(r.Blocked, "cors") || strings.Contains(r.Failed, "CORS")
}
