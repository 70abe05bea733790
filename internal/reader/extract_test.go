package reader

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/html"
)

// TestExtractFrom extracts text with its layout, and Markdown, from documents that Readability takes as a whole, finds nothing in, or
// that are empty.
func TestExtractFrom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ document, text, markdown string }{
		"a table and code": {
			"<main><table><tr><td>a</td><td></td><td>c</td></tr><tr><td>d<br>e</td></tr></table><pre>x  y\r\n z</pre><p>one <b>two</b>\nthree</p></main>",
			"a\t\tc\nd\ne\nx  y\n z\n\none two three", "",
		},
		"blocks that Readability renames":  {`<div>one</div><div>two <a href="y">there</a></div>`, "one\n\ntwo there", "one\n\ntwo [there](http://site.test/dir/y)"},
		"what Readability takes as hidden": {`<main style="display:none">yes</main>`, "yes", "yes"},
		"only a body":                      {`text<script>var no</script><style>no</style>`, "text", "text"},
		"nothing":                          {`<title>Empty</title><img src=a.png><script>no()</script>`, "", ""},
		"no document":                      {``, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, format := range []string{AsText, AsMarkdown} {
				want := c.text
				if format == AsMarkdown {
					want = c.markdown
				}
				if want == "" && c.text != "" {
					continue
				}
				got, err := ExtractFrom(t.Context(), "http://site.test/dir/page", c.document, format)
				if err != nil {
					t.Fatal(err)
				}
				if want == "" {
					if got != nil {
						t.Errorf("%s: %+v", format, got)
					}
					continue
				}
				if got == nil || got.Text+got.Markdown != want || (got.Text == "") == (format == AsText) {
					t.Errorf("%s: %+v, want %q", format, got, want)
				}
			}
		})
	}
}

// TestMainPart finds the first part with text, of a document without an article.
func TestMainPart(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`<main>no<article>no</article></main><div data-pagefind-body>yes</div>`:             "yes",
		`<article>no</article><main>no<article>yes</article><article>no</article></main>`:   "yes",
		`<article>yes</article><main>no</main>`:                                             "yes",
		`<article> </article><article>no</article><main>yes</main>`:                         "yes", // the first article has no text
		`<div data-pagefind-body><img></div><article> </article><div role=main>yes</div>no`: "yes",
		`yes<div role=banner></div>`:                                                        "yes",
		`<img><script>no</script>`:                                                          "",
	} {
		doc, err := html.Parse(strings.NewReader(document))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if n := mainPart(doc); n != nil {
			got = plainText(n)
		}
		if got != want {
			t.Errorf("%s: %q", document, got)
		}
	}
}

// TestExtractArticle extracts an article: its byline and excerpt, without what surrounds it.
func TestExtractArticle(t *testing.T) {
	t.Parallel()
	document := strings.Replace(article, "<title>", `<meta name="author" content="Ada B."><meta name="description" content="Of time.">`+"<title>", 1)
	got, err := ExtractFrom(t.Context(), "http://site.test/", document, AsText)
	if err != nil {
		t.Fatal(err)
	}
	if got.Byline != "Ada B." || got.Excerpt != "Of time." || !strings.Contains(got.Title, "On bread") || strings.Contains(got.Text, "All rights") || !strings.Contains(got.Text, "Flour\tWater\n500 g\t350 g") {
		t.Errorf("%+v", got)
	}
	// Its length is JavaScript's, and fields without a value are left out.
	got, err = ExtractFrom(t.Context(), "http://site.test/", "<p>😀é", AsMarkdown)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(got); err != nil || string(text) != `{"url":"http://site.test/","excerpt":"😀é","contentLength":3,"markdown":"😀é"}` {
		t.Errorf("%s, %v", text, err)
	}
	if e, err := ExtractFrom(t.Context(), "http://site.test/", "<p>x", "html"); err == nil {
		t.Errorf("an unknown format: %+v", e)
	}
	hidden := `<main hidden style="display:none">` + strings.Repeat("Words ", 100) + "</main>"
	if got, err = ExtractFrom(t.Context(), "http://site.test/", hidden, AsText); err != nil || got == nil || len([]rune(got.Excerpt)) > excerptLength+1 || !strings.HasSuffix(got.Excerpt, "…") {
		t.Errorf("%+v, %v", got, err)
	}
}
