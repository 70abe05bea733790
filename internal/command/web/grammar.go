package web

import (
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands that reach the web without a browser.
func grammar() verb.Set {
	return verb.Set{Families: []verb.Family{
		{Name: "web", Summary: "search the web and read pages without a browser"},
	}, Verbs: []verb.Verb{
		{Name: "web search", Summary: "ask a search engine",
			Help: "Uses the engine whose key is in the environment (BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY, or SEARXNG_URL of an instance with\n" +
				"JSON output): the first one set, or --search-provider. Prints title, address and snippet of each result.",
			Args:     []verb.Arg{{Name: "query", Required: true, Rest: true, Raw: true, Doc: "what to look for"}},
			Flags:    []verb.Flag{{Name: "limit", Kind: verb.Int, Value: "1-20", Min: 1, Max: 20, Default: "5", Doc: "how many results"}},
			Examples: []string{"web search weather in Oslo", "web search --limit 10 \"go generics tutorial\" --json"},
			Next:     []string{"web extract one.example"}, Group: verb.GroupWeb, Category: verb.CatWeb},
		{Name: "web extract", Summary: "read pages as Markdown, by plain HTTP",
			Help: "Fetches up to 5 addresses and prints articles as Markdown, PDFs as text, text unchanged. Scripts do not run; the result says\n" +
				"if a page needs them, and therefore open and snapshot. Beyond --char-limit the first three quarters and the last quarter are\n" +
				"printed, and a file has all of it. One failing address does not stop the others. Cloud metadata is never fetched; with\n" +
				"--site-guard, internal networks neither.",
			Args:     []verb.Arg{{Name: "urls", Required: true, Variadic: true, Doc: "the addresses"}},
			Flags:    []verb.Flag{{Name: "char-limit", Kind: verb.Int, Value: "n", Min: 200, Max: 1_000_000, Default: "15000", Doc: "how many characters of each page are printed"}},
			Examples: []string{"web extract example.com", "web extract https://example.com/report.pdf https://go.dev/doc --char-limit 4000"},
			Next:     []string{"open example.com", "snapshot"}, Group: verb.GroupWeb, Category: verb.CatWeb, Marks: verb.SavesFiles},
	}}
}
