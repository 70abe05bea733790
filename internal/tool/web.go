package tool

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// Web are the tools of the toolset web: search, and pages as text, without a browser.
func Web() []Tool {
	return tellsPages([]Tool{
		{Name: "web_search", Title: "Search the web", Doc: "Search the web. Returns titles, addresses and descriptions.",
			Params: []Param{{Name: "query", Kind: String, Required: true}, {Name: "limit", Kind: Integer, Default: 5.0, Min: 1, Max: 20}},
			Fields: []Param{{Name: "data", Kind: Map}}, Traits: ReadOnly | OpenWorld, Missing: needsSearch, Run: webSearch},
		{Name: "web_extract", Title: "Read web pages", Doc: "Read web pages and PDFs as Markdown, without the browser. For pages made by scripts use browser_navigate.",
			Params: []Param{{Name: "urls", Kind: Strings, Required: true, MaxItems: 5},
				{Name: "char_limit", Kind: Integer, Default: 15000.0, Min: 100, Max: 200000}},
			Fields: []Param{{Name: "results", Kind: Array}}, Traits: ReadOnly | OpenWorld, Run: webExtract},
	})
}

// searchKeys are the variables of which one makes search work.
var searchKeys = [...]string{"BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SEARXNG_URL"}

func needsSearch(h *Host) string {
	for _, name := range searchKeys {
		if h.lookup(name) != "" {
			return ""
		}
	}
	return "no search engine is configured: set BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL"
}

// lookup is the value of a variable of the caller's environment.
func (h *Host) lookup(name string) string {
	for i := len(h.Env) - 1; i >= 0; i-- {
		if pair := h.Env[i]; len(pair) > len(name) && pair[len(name)] == '=' && pair[:len(name)] == name {
			return pair[len(name)+1:]
		}
	}
	return ""
}

func webSearch(ctx context.Context, h *Host, a Args) (*Result, error) {
	var found struct {
		Web jsontext.Value `json:"web"`
	}
	warning, err := h.into(ctx, &found, "web search", []string{"--limit=" + strconv.Itoa(a.Int("limit"))}, a.Str("query"))
	if err != nil {
		return nil, err
	}
	data := success()
	data.Set("data", Object{{"web", found.Web}})
	data.SetIf("warning", warning)
	return &Result{Data: data}, nil
}

func webExtract(ctx context.Context, h *Host, a Args) (*Result, error) {
	if len(a.Strings("urls")) == 0 {
		return nil, api.Errorf(api.InvalidArgument, "web_extract: urls is empty; give up to five addresses")
	}
	var read struct {
		Results []struct {
			URL      string         `json:"url"`
			Title    string         `json:"title"`
			Content  string         `json:"content"`
			Error    string         `json:"error,omitzero"`
			Note     string         `json:"note,omitzero"`
			Artifact string         `json:"artifact,omitzero"`
			Chars    int            `json:"chars,omitzero"`
			Blocked  jsontext.Value `json:"blockedByPolicy,omitzero"`
			Policy   jsontext.Value `json:"blocked_by_policy,omitzero"`
		} `json:"results"`
	}
	warning, err := h.into(ctx, &read, "web extract", []string{"--char-limit=" + strconv.Itoa(a.Int("char_limit"))}, a.Strings("urls")...)
	if err != nil {
		return nil, err
	}
	for i := range read.Results {
		page := &read.Results[i]
		page.Policy, page.Blocked = page.Blocked, nil // tools write names so
	}
	data := success()
	data.Set("results", read.Results)
	data.SetIf("warning", warning)
	return &Result{Data: data}, nil
}
