package web

import (
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands that reach the web without a browser.
func grammar() verb.Set {
	part := []verb.Flag{
		{Name: "raw", Kind: verb.Bool, Doc: "the HTML or text as it is, not converted"},
		{Name: "require-md", Kind: verb.Bool, Doc: "fail unless the server has it as text/markdown"},
		{Name: "llms", Value: "which", Choices: []string{"index", "full"}, Doc: "the links of the nearest llms.txt, or llms-full.txt"},
		{Name: "outline", Kind: verb.Bool, Doc: "only the headings"},
		{Name: "filter", Value: "words", Doc: "only sections (with --outline headings, with --llms links) that contain these words"},
	}
	return verb.Set{Families: []verb.Family{
		{Name: "read", Summary: "read a page as Markdown", Bare: "read page", Fallback: "read url"},
		{Name: "web", Summary: "search the web and read pages without a browser"},
	}, Verbs: []verb.Verb{
		{Name: "read page", Check: readRules, Summary: "the page of the tab as Markdown",
			Help: "Converts the document as it is displayed: its article if it has one, with tables, links and images; content of shadow\n" +
				"roots in place, without what is hidden. The word page may be left out. --llms and --require-md ask the server of the page.",
			Flags: part, Examples: []string{"read", "read --outline", "read --filter prices"}, Next: []string{"snapshot -i"},
			Group: verb.GroupRead, Category: verb.CatGet, Marks: verb.OnTab | verb.TakesFrame},
		{Name: "read url", Check: readRules, Summary: "an address as Markdown, by plain HTTP",
			Help: "Prints Markdown as the server sends it, else that at the same address with .md appended, else that linked in the nearest\n" +
				"llms.txt, else converts HTML and PDF. Scripts do not run: a warning says if the page needs them. The word url may be left\n" +
				"out. Needs no browser, and starts no daemon.",
			Args: []verb.Arg{{Name: "url", Kind: verb.URL, Required: true, Doc: "the address"}}, Flags: part,
			Examples: []string{"read example.com", "read https://go.dev/doc --outline", "read docs.example.com --llms index --filter auth", "read example.com/guide --raw"},
			Next:     []string{"open example.com"}, Group: verb.GroupRead, Category: verb.CatWeb, Marks: verb.DaemonOptional},
		{Name: "web search", Summary: "ask a search engine",
			Help: "Uses the engine whose key is in the environment (BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY, or SEARXNG_URL of an instance with\n" +
				"JSON output): the first one set, or --search-provider. Prints title, address and snippet of each result.",
			Args:     []verb.Arg{{Name: "query", Required: true, Rest: true, Raw: true, Doc: "what to look for"}},
			Flags:    []verb.Flag{{Name: "limit", Kind: verb.Int, Value: "1-20", Min: 1, Max: 20, Default: "5", Doc: "how many results"}},
			Examples: []string{"web search weather in Oslo", "web search --limit 10 \"go generics tutorial\" --json"},
			Next:     []string{"web extract one.example"}, Group: verb.GroupWeb, Category: verb.CatWeb, Marks: verb.DaemonOptional},
		{Name: "web extract", Summary: "read pages as Markdown, by plain HTTP",
			Help: "Fetches up to 5 addresses and prints articles as Markdown, PDFs as text, text unchanged. Scripts do not run; the result says\n" +
				"if a page needs them, and therefore open and snapshot. Beyond --char-limit the first three quarters and the last quarter are\n" +
				"printed, and a file has all of it. One failing address does not stop the others. Cloud metadata is never fetched; with\n" +
				"--site-guard, internal networks neither.",
			Args:     []verb.Arg{{Name: "urls", Required: true, Variadic: true, Doc: "the addresses"}},
			Flags:    []verb.Flag{{Name: "char-limit", Kind: verb.Int, Value: "n", Min: 200, Max: 1_000_000, Default: "15000", Doc: "how many characters of each page are printed"}},
			Examples: []string{"web extract example.com", "web extract https://example.com/report.pdf https://go.dev/doc --char-limit 4000"},
			Next:     []string{"open example.com", "snapshot"}, Group: verb.GroupWeb, Category: verb.CatWeb, Marks: verb.SavesFiles | verb.DaemonOptional},
	}}
}
