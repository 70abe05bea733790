package network

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/http/httpguts"

	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb"
)

// routeList is the word in place of a pattern that lists the routes. No URL is that word.
const routeList = "list"

// maxDelay is the longest delay of a route. Pages give up earlier.
const maxDelay = 10 * time.Minute

func routeVerb() verb.Verb {
	return verb.Verb{Name: "network route", Check: routeRules, Also: bodyScript, Prepares: func(c *verb.Call) bool { return c.Str("url") != routeList }, Summary: "answer, delay, change or abort requests; list: the routes",
		Help: "In a pattern * and ** match any characters, slashes included, and {a,b} one of the words; a pattern without them is a whole\n" +
			"URL. Routes are tried in the order in which they were added; the first that answers or aborts a request decides. A route with\n" +
			"the pattern and types of an earlier one replaces it. Routes hold for every tab, frame and worker of the session until\n" +
			"`network unroute` or `close`. With --status or --body, --header is a header of the response; without, of the request, which\n" +
			"goes on to the server. `network route list` lists the routes, and how many requests each got. Without a browser, a route starts one,\n" +
			"so that it holds for the first page.",
		Args: []verb.Arg{{Name: "url", Required: true, Doc: "a pattern of URLs, such as **/api/*; or list"}},
		Flags: []verb.Flag{{Name: "abort", Kind: verb.Bool, Doc: "fail the requests"},
			{Name: "body", Kind: verb.String, Value: "text", Raw: true, Doc: "answer with this body"},
			{Name: "status", Kind: verb.Int, Min: 200, Max: 599, Value: "code", Doc: "answer with this status (default with --body: 200)"},
			{Name: "content-type", Kind: verb.String, Value: "type", Doc: "of the answer (default: by its body: JSON, HTML or plain text)"},
			{Name: "header", Kind: verb.String, Value: "name: value", Multi: verb.Repeat, Doc: "add a header to the answer, or to the request"},
			{Name: "remove-header", Kind: verb.String, Value: "names", Multi: verb.CSV, Doc: "remove these headers from the request"},
			{Name: "delay", Kind: verb.Duration, Value: "time", Doc: "wait so long before anything else, at most 10m"},
			{Name: "allow-origin", Kind: verb.String, Value: "origin", Doc: "let pages of this origin, or *, read the answer (CORS, preflight requests included)"},
			{Name: "resource-type", Aliases: []string{"resource-types"}, Kind: verb.String, Value: "types", Multi: verb.CSV,
				Doc: "only these kinds: document, stylesheet, image, script, xhr, fetch, ..."}},
		Examples: []string{`network route '**/api/user' --body '{"name":"Ada"}'`, "network route '**/*.{png,jpg}' --abort",
			"network route '**/slow' --delay 2s", "network route '**/pay' --status 503 --resource-type fetch,xhr",
			"network route '**/api/*' --header 'X-Debug: 1'", "network route list"},
		Group: verb.GroupWatch, Category: verb.CatNetwork, Marks: verb.NeedsBrowser | verb.Control}
}

// answers reports whether a route answers requests itself.
func answers(c *verb.Call) bool { return c.Has("body") || c.Has("status") }

// bodyScript returns eval for an answer that a page may run: any but JSON that is sent as such, and one that sends the page elsewhere
// for it.
func bodyScript(c *verb.Call) []string {
	body := c.Str("body")
	has := func(field string) bool {
		return slices.ContainsFunc(c.List("header"), func(text string) bool {
			name, _, _ := headerField(text)
			return name == field
		})
	}
	if c.Has("status") && has("Location") {
		return []string{"eval"}
	}
	typed := c.Has("content-type") || has("Content-Type")
	if body == "" || !typed && jsontext.Value(body).IsValid() {
		return nil
	}
	return []string{"eval"}
}

func routeRules(c *verb.Call) *verb.Error {
	flags := []string{"abort", "body", "status", "content-type", "header", "remove-header", "delay", "allow-origin", "resource-type"}
	given := slices.DeleteFunc(slices.Clone(flags), func(name string) bool { return !c.Has(name) })
	if c.Str("url") == routeList {
		if len(given) > 0 {
			return verb.Invalid("network route list takes no --" + given[0])
		}
		return nil
	}
	if _, err := policy.ParseURLGlob(c.Str("url")); err != nil {
		return verb.Invalid("network route: "+plain.Quote(c.Str("url"))+" is not a pattern: "+err.Error(), "Write one such as **/api/* or **/*.{png,jpg}.")
	}
	for _, t := range c.List("resource-type") {
		if !slices.ContainsFunc(journal.ResourceTypes(), func(known string) bool { return strings.EqualFold(known, t) }) {
			return verb.Invalid("--resource-type: there is no type "+plain.Quote(t), "The types are "+strings.ToLower(strings.Join(journal.ResourceTypes(), ", "))+".")
		}
	}
	for _, text := range c.List("header") {
		if _, _, ok := headerField(text); !ok {
			return verb.Invalid("--header: "+plain.Quote(text)+" is not a header", "Write 'Name: value'.")
		}
	}
	return routeConflicts(c)
}

// routeConflicts checks which flags go together.
func routeConflicts(c *verb.Call) *verb.Error {
	switch {
	case c.Bool("abort") && (answers(c) || c.Has("header") || c.Has("remove-header") || c.Has("content-type") || c.Has("allow-origin")):
		return verb.Invalid("network route: --abort goes with --delay and --resource-type only", "Use one route to abort, another to answer.")
	case !answers(c) && (c.Has("content-type") || c.Has("allow-origin")):
		return verb.Invalid("network route: --content-type and --allow-origin are for answers", "Add --body or --status.")
	case answers(c) && c.Has("remove-header"):
		return verb.Invalid("network route: --remove-header is for requests that go on to the server", "Leave out --body and --status.")
	case c.Dur("delay") > maxDelay:
		return verb.Invalid("network route: --delay is at most 10m")
	case c.Has("allow-origin") && !validHeader("Access-Control-Allow-Origin", c.Str("allow-origin")):
		return verb.Invalid("--allow-origin: "+plain.Quote(c.Str("allow-origin"))+" is not an origin", "Write *, or one such as https://example.com.")
	case c.Has("content-type") && !validHeader("Content-Type", c.Str("content-type")):
		return verb.Invalid("--content-type: " + plain.Quote(c.Str("content-type")) + " is not a content type")
	}
	return nil
}

// headerField parses "Name: value".
func headerField(text string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(text, ":")
	name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
	return name, value, ok && validHeader(name, value)
}

func validHeader(name, value string) bool {
	return httpguts.ValidHeaderFieldName(name) && httpguts.ValidHeaderFieldValue(value)
}
