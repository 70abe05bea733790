package agenttool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// filters are what a call asked to see of a snapshot or of a list of requests, by flags that only this tool has.
type filters struct {
	role, search string
	viewport     bool
	requests     string // current-page, current-origin or current-url
}

// take removes the flags of filters from the words of a command.
func (f *filters) take(words []string) ([]string, error) {
	out := make([]string, 0, len(words))
	at := func(command string) bool { return slices.Contains(words, command) }
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch name, value, inline := strings.Cut(w, "="); {
		case w == "--":
			return append(out, words[i:]...), nil
		case at("snapshot") && w == "--viewport":
			f.viewport = true
		case at("snapshot") && name == "--filter":
			if !inline {
				if i++; i < len(words) {
					value = words[i]
				}
			} else {
				value = strings.TrimPrefix(w, "--filter=")
			}
			role, ok := strings.CutPrefix(value, "role=")
			if !ok || strings.TrimSpace(role) == "" {
				return nil, step.Invalid("snapshot --filter must be role=<role>, such as --filter role=button; not %q.", value)
			}
			f.role = role
		case at("network") && (w == "--current-page" || w == "--current-origin" || w == "--current-url"):
			if f.requests != "" {
				return nil, step.Invalid("%s and --%s exclude each other.", w, f.requests)
			}
			f.requests = strings.TrimPrefix(w, "--")
			switch f.requests {
			case "current-page":
				out = append(out, "--page")
			case "current-origin":
				out = append(out, "--origin")
			}
		default:
			if w == "--search" && at("snapshot") && i+1 < len(words) {
				f.search = words[i+1]
			}
			out = append(out, w)
		}
	}
	return out, nil
}

// apply leaves of a step's result what the call asked for.
func (c *call) apply(ctx context.Context, s *step.Step) {
	if s.Status != step.Completed {
		return
	}
	f := &c.filters
	switch {
	case s.Name() == "snapshot":
		if f.role != "" || f.search != "" {
			c.filterSnapshot(s)
		}
		if f.viewport {
			v := &result.SnapshotViewport{}
			if c.diag.Eval(ctx, viewportScript, v) {
				c.details.SnapshotViewport = v
				c.diag.Say(fmt.Sprintf("Viewport: %d of %d pixels down, %d high; %d elements scroll.", v.ScrollY, v.DocumentHeight, v.InnerHeight, v.ScrollableCount))
			}
		}
	case s.Name() == "network requests" && f.requests != "":
		c.filterRequests(ctx, s)
	}
}

// filterSnapshot leaves the lines with a role, and the lines of what they are in.
func (c *call) filterSnapshot(s *step.Step) {
	var shot struct {
		Snapshot string                    `json:"snapshot"`
		Refs     map[string]result.RefInfo `json:"refs"`
	}
	result.Read(s.Data, &shot)
	f := &c.filters
	out := &result.SnapshotFilter{Role: f.role, Search: f.search, TotalRefs: len(shot.Refs)}
	var kept, parents []string
	matches := func(id string) bool {
		r := shot.Refs[id]
		return (f.role == "" || r.Role == f.role) && (f.search == "" || strings.Contains(strings.ToLower(r.Name), strings.ToLower(f.search)))
	}
	for id := range shot.Refs {
		if matches(id) {
			out.MatchedRefs++
		}
	}
	for line := range strings.Lines(shot.Snapshot) {
		line = strings.TrimRight(line, "\n")
		out.TotalLines++
		if f.role == "" { // --find has chosen the lines
			kept = append(kept, line)
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		for len(parents) > 0 && indentOf(parents[len(parents)-1]) >= indent {
			parents = parents[:len(parents)-1]
		}
		role, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "- "), " ")
		if strings.TrimSuffix(role, ":") == f.role {
			kept = append(append(kept, parents...), line)
			parents = nil
			continue
		}
		parents = append(parents, line)
	}
	out.VisibleLines = len(kept)
	c.details.SnapshotFilter = out
	if f.role == "" {
		return
	}
	text := strings.Join(kept, "\n")
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(s.Data, &members, jsontext.AllowInvalidUTF8(true)); err == nil {
		members["snapshot"] = result.Encode(text)
		s.Data = result.Encode(members)
	}
	s.Result.Text = fmt.Sprintf("%d of %d refs have the role %s; %d of %d lines:\n%s", out.MatchedRefs, out.TotalRefs, f.role, out.VisibleLines, out.TotalLines, text)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// filterRequests says which requests a list has of all.
func (c *call) filterRequests(ctx context.Context, s *step.Step) {
	var shown, all struct {
		Requests []jsontext.Value `json:"requests"`
	}
	out := &result.RequestsPageFilter{Mode: c.filters.requests}
	if p := c.page(ctx); p != nil {
		out.CurrentURL = p.URL
	}
	if out.Mode == "current-url" {
		keepAddress(s, out.CurrentURL)
	}
	result.Read(s.Data, &shown)
	out.MatchedRows = len(shown.Requests)
	if res, err := c.h.Run(ctx, c.own("network", "requests")); err == nil {
		result.Read(result.Encode(res.Data), &all)
		out.TotalRows = len(all.Requests)
	}
	c.details.NetworkRequestsPageFilter = out
	c.diag.Say(fmt.Sprintf("Shown: %d of %d requests, by %s.", out.MatchedRows, out.TotalRows, out.Mode))
}

// keepAddress leaves the requests to the address of a page, whatever follows ? or #.
func keepAddress(s *step.Step, page string) {
	members := map[string]jsontext.Value{}
	var rows []jsontext.Value
	result.Read(s.Data, &members)
	result.Read(members["requests"], &rows)
	kept, lines := []jsontext.Value{}, []string{}
	all := strings.Split(s.Result.Text, "\n")
	for _, row := range rows {
		var r struct {
			ID     string `json:"requestId"`
			Method string `json:"method"`
			URL    string `json:"url"`
		}
		if result.Read(row, &r); address(r.URL) != address(page) {
			continue
		}
		kept = append(kept, row)
		if i := slices.IndexFunc(all, func(line string) bool { return strings.HasPrefix(line, "["+r.ID+"] "+r.Method+" "+r.URL+" ") }); i >= 0 {
			lines = append(lines, all[i])
		}
	}
	members["requests"] = result.Encode(kept)
	s.Data, s.Result.Text = result.Encode(members), strings.Join(lines, "\n")
}

// address returns an address without what follows ? or #.
func address(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		return url[:i]
	}
	return url
}

// viewportScript reads how far the page and what scrolls in it are scrolled.
const viewportScript = `(() => {
const root = document.scrollingElement || document.documentElement, all = [];
for (const el of document.querySelectorAll("*")) {
  if (el === root || el === document.body || (el.scrollHeight <= el.clientHeight && el.scrollWidth <= el.clientWidth)) continue;
  const s = getComputedStyle(el);
  if (/auto|scroll/.test(s.overflowX + s.overflowY)) all.push(el);
}
const named = (el) => el.tagName.toLowerCase() + (el.id ? "#" + el.id : "");
return {scrollX: Math.round(scrollX), scrollY: Math.round(scrollY), innerWidth, innerHeight, documentWidth: root.scrollWidth, documentHeight: root.scrollHeight,
  scrollableCount: all.length, containers: all.slice(0, 5).map((el) => ({element: named(el), scrollTop: Math.round(el.scrollTop), scrollLeft: Math.round(el.scrollLeft),
    scrollHeight: el.scrollHeight, clientHeight: el.clientHeight}))};
})()`
