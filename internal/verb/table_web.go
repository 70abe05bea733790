package verb

// webVerbs are those that reach the web without a browser.
func webVerbs() []Verb {
	return []Verb{
		{Name: "web search", Summary: "ask a search engine",
			Help: "Asks the engine whose key is in the environment: BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY, or SEARXNG_URL with the address of an\n" +
				"instance that gives JSON; the first of them, or the one of --search-provider. Results are titles, addresses and a sentence or two.",
			Args:     []Arg{{Name: "query", Required: true, Rest: true, Raw: true, Doc: "what to look for"}},
			Flags:    []Flag{{Name: "limit", Kind: Int, Value: "1-20", Min: 1, Max: 20, Default: "5", Doc: "how many results"}},
			Examples: []string{"web search weather in Oslo", "web search --limit 10 \"go generics tutorial\" --json"},
			Next:     []string{"web extract one.example"}, Group: GroupWeb, Category: CatWeb},
		{Name: "web extract", Summary: "read pages as Markdown, by plain HTTP",
			Help: "Fetches each address (at most 5) and gives its article as Markdown; PDFs as text; text as it is. No script runs: a page made by\n" +
				"scripts says so, and is read with open and snapshot. Of what is longer than --char-limit the first three quarters and the last\n" +
				"quarter are given, and all of it is in a file that is named. An address that fails does not keep the others. Addresses of clouds'\n" +
				"metadata are never connected to; with --site-guard nor are those of internal networks.",
			Args:     []Arg{{Name: "urls", Required: true, Variadic: true, Doc: "the addresses"}},
			Flags:    []Flag{{Name: "char-limit", Kind: Int, Value: "n", Min: 200, Max: 1_000_000, Default: "15000", Doc: "how much of each page is given"}},
			Examples: []string{"web extract example.com", "web extract https://example.com/report.pdf https://go.dev/doc --char-limit 4000"},
			Next:     []string{"open example.com", "snapshot"}, Group: GroupWeb, Category: CatWeb, Marks: SavesFiles},
	}
}
