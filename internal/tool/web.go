package tool

import (
	"context"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// Web returns the tools of the toolset web: web search, and reading pages as text without a browser.
func Web() []Tool {
	return tellsPages([]Tool{
		{Name: "web_search", Title: "Search the web", Doc: "Search the web. Returns titles, addresses and descriptions.",
			Params: []Param{{Name: "query", Kind: String, Required: true}, {Name: "limit", Kind: Integer, Default: 5.0, Min: 1, Max: 20}},
			Output: reflect.TypeFor[searchResult](), Traits: ReadOnly | OpenWorld, Missing: needsSearch, Run: webSearch},
		{Name: "web_extract", Title: "Read web pages", Doc: "Read web pages and PDFs as Markdown, without the browser. For pages made by scripts use browser_navigate.",
			Params: []Param{{Name: "urls", Kind: Strings, Required: true, MaxItems: 5},
				{Name: "char_limit", Kind: Integer, Default: 15000.0, Min: 100, Max: 200000}},
			Output: reflect.TypeFor[extractResult](), Traits: ReadOnly | OpenWorld, Run: webExtract},
	})
}

// searchKeys are environment variables; any one of them configures a search engine.
var searchKeys = [...]string{"BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SEARXNG_URL"}

func needsSearch(h *Host) string {
	for _, name := range searchKeys {
		if h.lookup(name) != "" {
			return ""
		}
	}
	return "no search engine is configured: set BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL"
}

// lookup returns the value of a variable in Host.Env, "" if absent.
func (h *Host) lookup(name string) string {
	for i := len(h.Env) - 1; i >= 0; i-- {
		if pair := h.Env[i]; len(pair) > len(name) && pair[len(name)] == '=' && pair[:len(name)] == name {
			return pair[len(name)+1:]
		}
	}
	return ""
}

var (
	webHits = reading[struct {
		Web jsontext.Value `json:"web"`
	}]("web search")
	webPages = reading[struct {
		Results []webPage `json:"results"`
	}]("web extract")
)

// webPage is one result of `web extract`. Tools name its last member blocked_by_policy.
type webPage struct {
	pageText
	Blocked jsontext.Value `json:"blockedByPolicy,omitzero"`
}

// pageText is the text of a page, or the error of reading it.
type pageText struct {
	URL      string `json:"url"`
	Title    string `json:"title"`
	Content  string `json:"content"`
	Error    string `json:"error,omitzero"`
	Note     string `json:"note,omitzero"`
	Artifact string `json:"artifact,omitzero"`
	Chars    int    `json:"chars,omitzero"`
}

func webSearch(ctx context.Context, h *Host, a Args) (*Result, error) {
	found, warning, err := webHits.ask(ctx, h, given("query", a.Str("query"), "limit", a.Int("limit")))
	if err != nil {
		return nil, err
	}
	return &Result{Value: searchResult{succeeded, webHitList{found.Web}, warning}}, nil
}

func webExtract(ctx context.Context, h *Host, a Args) (*Result, error) {
	if len(a.Strings("urls")) == 0 {
		return nil, api.Errorf(api.InvalidArgument, "web_extract: urls is empty; give up to five addresses")
	}
	read, warning, err := webPages.ask(ctx, h, given("urls", a.Strings("urls"), "char-limit", a.Int("char_limit")))
	if err != nil {
		return nil, err
	}
	results := []extracted{}
	for _, page := range read.Results {
		results = append(results, extracted{page.pageText, page.Blocked})
	}
	return &Result{Value: extractResult{succeeded, results, warning}}, nil
}
