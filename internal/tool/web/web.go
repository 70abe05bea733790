// Package web has the tools of agents that reach the web without a browser: the toolset web.
package web

import (
	"context"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// Tools returns the tools of the toolset web: web search, and reading pages as text without a browser.
func Tools() []tool.Tool {
	return tool.WithPageContent([]tool.Tool{
		{Name: "web_search", Title: "Search the web", Doc: "Search the web. Returns titles, addresses and descriptions.",
			Params: []tool.Param{{Name: "query", Kind: tool.String, Required: true}, {Name: "limit", Kind: tool.Integer, Default: 5.0, Min: 1, Max: 20}},
			Output: reflect.TypeFor[searchResult](), Traits: tool.ReadOnly | tool.OpenWorld, Unavailable: noSearchEngine, Run: webSearch},
		{Name: "web_extract", Title: "Read web pages", Doc: "Read web pages and PDFs as Markdown, without the browser. For pages made by scripts use browser_navigate.",
			Params: []tool.Param{{Name: "urls", Kind: tool.Strings, Required: true, MaxItems: 5},
				{Name: "char_limit", Kind: tool.Integer, Default: 15000.0, Min: 100, Max: 200000}},
			Output: reflect.TypeFor[extractResult](), Traits: tool.ReadOnly | tool.OpenWorld, Run: webExtract},
	})
}

// searchVariables are environment variables; any one of them configures a search engine.
var searchVariables = [...]string{"BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SEARXNG_URL"}

func noSearchEngine(h *tool.Host) string {
	for _, name := range searchVariables {
		if getenv(h, name) != "" {
			return ""
		}
	}
	return "no search engine is configured: set BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL"
}

// getenv returns the value of a variable in Host.Env, "" if absent.
func getenv(h *tool.Host, name string) string {
	for i := len(h.Env) - 1; i >= 0; i-- {
		if pair := h.Env[i]; len(pair) > len(name) && pair[len(name)] == '=' && pair[:len(name)] == name {
			return pair[len(name)+1:]
		}
	}
	return ""
}

var (
	searchQuery = tool.NewQuery[struct {
		Web jsontext.Value `json:"web"`
	}]("web search")
	extractQuery = tool.NewQuery[struct {
		Results []webPage `json:"results"`
	}]("web extract")
)

// webPage is one result of `web extract`. Tools name its last member blocked_by_policy.
type webPage struct {
	api.PageText
	Blocked jsontext.Value `json:"blockedByPolicy,omitzero"`
}

func webSearch(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	found, warning, err := searchQuery.Run(ctx, h, tool.Values("query", a.Str("query"), "limit", a.Int("limit")))
	if err != nil {
		return nil, err
	}
	return &tool.Result{Value: searchResult{tool.Succeeded, webHitList{found.Web}, warning}}, nil
}

func webExtract(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	if len(a.Strings("urls")) == 0 {
		return nil, api.Errorf(api.InvalidArgument, "web_extract: urls is empty; give up to five addresses")
	}
	read, warning, err := extractQuery.Run(ctx, h, tool.Values("urls", a.Strings("urls"), "char-limit", a.Int("char_limit")))
	if err != nil {
		return nil, err
	}
	results := []extracted{}
	for _, page := range read.Results {
		results = append(results, extracted{page.PageText, page.Blocked})
	}
	return &tool.Result{Value: extractResult{tool.Succeeded, results, warning}}, nil
}

// searchResult is the result of web_search.
type searchResult struct {
	tool.Success
	Data    webHitList `json:"data"`
	Warning string     `json:"warning,omitzero" schema:"-"`
}

// webHitList are the hits of a web search.
type webHitList struct {
	Web jsontext.Value `json:"web"` // in the form of `usher web search`
}

// extractResult is the result of web_extract.
type extractResult struct {
	tool.Success
	Results []extracted `json:"results"`
	Warning string      `json:"warning,omitzero" schema:"-"`
}

// extracted is one page.
type extracted struct {
	api.PageText
	Policy jsontext.Value `json:"blocked_by_policy,omitzero"` // the rule that refused the URL
}
