package network

import (
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

const keepsEarlier = "Of all tabs of the session, also of pages that they showed earlier, which are marked; --clear forgets them."

// grammar returns the commands about what pages log and request.
func grammar() verb.Set {
	const reads = verb.NeedsBrowser | verb.Control
	pageFlag := verb.Flag{Name: "page", Kind: verb.Bool, Doc: "only those of the page that the active tab shows"}
	clearFlag := []verb.Flag{{Name: "clear", Kind: verb.Bool, Doc: "clear the record"}, pageFlag}
	return verb.Set{Families: []verb.Family{
		{Name: "network", Summary: "requests; answer, record or slow them"},
	}, Verbs: []verb.Verb{
		{Name: "console", Summary: "console messages, oldest first", Help: keepsEarlier, Flags: clearFlag, Examples: []string{"console", "console --clear"},
			Group: verb.GroupWatch, Category: verb.CatLogs, Marks: reads | verb.WorksOffline},
		{Name: "errors", Summary: "uncaught errors, oldest first", Help: keepsEarlier, Flags: clearFlag, Examples: []string{"errors", "errors --clear"},
			Group: verb.GroupWatch, Category: verb.CatLogs, Marks: reads | verb.WorksOffline},
		eventsVerb(),
		{Name: "network requests", Check: requestsRules, Summary: "list network requests",
			Flags: []verb.Flag{{Name: "clear", Kind: verb.Bool, Doc: "clear the record"},
				{Name: "filter", Kind: verb.String, Value: "text", Raw: true, Doc: "only addresses that contain this"},
				{Name: "type", Kind: verb.String, Value: "types", Multi: verb.CSV, Doc: "only these kinds: document, stylesheet, image, script, xhr, fetch, ..."},
				{Name: "method", Kind: verb.String, Value: "verb", Doc: "only this HTTP method"},
				{Name: "status", Kind: verb.String, Value: "codes", Doc: "only this status: 200, 4xx or 400-499"},
				{Name: "page", Kind: verb.Bool, Doc: "only those of the page that the active tab shows, from its own document on"},
				{Name: "origin", Kind: verb.Bool, Doc: "only those to the origin of that page"}},
			Examples: []string{"network requests", "network requests --type xhr,fetch --status 4xx", "network requests --filter /api/ --method POST", "network requests --page --origin"},
			Next:     []string{"network request <id>"}, Group: verb.GroupWatch, Category: verb.CatNetwork, Marks: reads | verb.WorksOffline},
		{Name: "network request", Summary: "one request with headers and bodies", Args: []verb.Arg{{Name: "id", Required: true, Doc: "the id from network requests"}},
			Examples: []string{"network request 1234.56"}, Group: verb.GroupWatch, Category: verb.CatNetwork, Marks: reads},
		routeVerb(),
		{Name: "network unroute", Summary: "remove routes", Args: []verb.Arg{{Name: "url", Doc: "the pattern of the routes, or the file of a replayed HAR; without it, all routes"}},
			Examples: []string{"network unroute '**/api/*'", "network unroute"}, Group: verb.GroupWatch, Category: verb.CatNetwork,
			Marks: verb.NeedsBrowser | verb.Control},
		harVerb(),
		{Name: "network throttle", Prepares: func(c *verb.Call) bool { return c.Has("preset") && c.Str("preset") != "off" }, Summary: "emulate a slow network, or none",
			Help: "The presets are those of Chrome's DevTools. They hold for the session's tabs, frames and workers, present and later ones,\n" +
				"until `network throttle off`. Without a preset it prints the present conditions. Without a browser, a preset starts one, so\n" +
				"that it holds for the first page.",
			Args:     []verb.Arg{{Name: "preset", Choices: presetNames(), Doc: "slow-3g, fast-3g, 4g, offline, or off"}},
			Examples: []string{"network throttle slow-3g", "network throttle offline", "network throttle off"},
			Group:    verb.GroupWatch, Category: verb.CatNetwork, Marks: verb.NeedsBrowser | verb.Control},
	}}
}

func eventsVerb() verb.Verb {
	return verb.Verb{Name: "events", Summary: "all events, in order",
		Help: "Numbered events: tabs, frames, navigations, load states, dialogs, downloads, crashes, console messages, uncaught errors,\n" +
			"requests. The newest 10,000 per session are kept (at most 4 MB). --since NUMBER continues after an event; STREAM:NUMBER, as\n" +
			"printed, also detects a restarted browser or daemon. --follow prints one line per event (with --json one object) from now on\n" +
			"or from --since, until the session ends or --timeout; it waits for a session without a browser and does not keep an idle\n" +
			"session open. A reader that falls behind is disconnected and told its position.",
		Flags: []verb.Flag{{Name: "follow", Short: "f", Kind: verb.Bool, Doc: "print events as they happen, until interrupted"},
			{Name: "wait", Kind: verb.Bool, Hidden: true, Doc: "with --follow: attach to no browser, but wait until another command does"},
			{Name: "since", Kind: verb.String, Value: "number", Doc: "only events after this number, or STREAM:NUMBER"},
			{Name: "types", Kind: verb.String, Value: "types", Multi: verb.CSV, Doc: "only these kinds or families: tab, frame, load, dialog, dialog_opened, download, console, error, request, ..."},
			{Name: "tab", Kind: verb.String, Value: "tab", Doc: "only events of this tab: id (t2), label or target id"}},
		Examples: []string{"events", "events --follow --json", "events --types dialog,download,tab_crashed --since 3f9a21bc:120", "events -f --tab t2"},
		Group:    verb.GroupWatch, Category: verb.CatLogs, Marks: verb.NeedsBrowser | verb.Control | verb.Background | verb.WorksOffline}
}

func requestsRules(c *verb.Call) *verb.Error {
	if c.Has("status") {
		if _, err := ParseStatus(c.Str("status")); err != nil {
			return verb.AsError(err)
		}
	}
	return nil
}

// StatusRange is a range of HTTP status codes, both ends included.
type StatusRange struct{ From, To int }

// ParseStatus parses a status filter: 200, 4xx or 400-499, or several of them separated by commas.
func ParseStatus(s string) ([]StatusRange, error) {
	var out []StatusRange
	for _, part := range verb.SplitCSV(s) {
		r, ok := statusRange(strings.ToLower(part))
		if !ok {
			return nil, verb.Invalid("--status: "+plain.Quote(part)+" is not a status", "Write 200, 4xx or 400-499.")
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, verb.Invalid("--status: "+plain.Quote(s)+" is not a status", "Write 200, 4xx or 400-499.")
	}
	return out, nil
}

func statusRange(s string) (StatusRange, bool) {
	if len(s) == 3 && s[1:] == "xx" && s[0] >= '1' && s[0] <= '5' {
		from := int(s[0]-'0') * 100
		return StatusRange{from, from + 99}, true
	}
	from, to, ranged := strings.Cut(s, "-")
	a, err := strconv.Atoi(from)
	if err != nil || a < 0 || a > 999 {
		return StatusRange{}, false
	}
	if !ranged {
		return StatusRange{a, a}, true
	}
	b, err := strconv.Atoi(to)
	if err != nil || b < a || b > 999 {
		return StatusRange{}, false
	}
	return StatusRange{a, b}, true
}
