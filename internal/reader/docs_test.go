package reader

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// docs answers as sites with documents for models do.
func docs(w http.ResponseWriter, r *http.Request) {
	html := func(text string) { w.Header().Set("Content-Type", "text/html"); fmt.Fprint(w, "<h1>"+text+"</h1>") }
	markdown := func(text string) { w.Header().Set("Content-Type", "text/markdown"); fmt.Fprint(w, text) }
	switch r.URL.Path {
	case "/negotiated":
		if strings.HasPrefix(r.Header.Get("Accept"), "text/markdown") {
			markdown("# Negotiated")
			return
		}
		html("Negotiated")
	case "/beside", "/a/b/linked.html", "/plain":
		html(r.URL.Path)
	case "/beside.md", "/only.md":
		markdown("# Beside")
	case "/app":
		html("App")
	case "/app.md": // a site that shows its one page for everything
		html("App")
	case "/a/llms.txt":
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "# Docs\n- [Linked](b/linked.md): the one\n- [Other](http://elsewhere.test/x.md)\n")
	case "/a/b/linked.md":
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "# Linked")
	case "/llms-full.txt":
		fmt.Fprint(w, "# All\n\n## Keys\n\nabout keys\n")
	case "/text":
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "words")
	default:
		http.NotFound(w, r)
	}
}

func TestReadMarkdown(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(docs))
	t.Cleanup(server.Close)
	r, err := New(Options{Agent: "usher"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct{ source, at, text string }{
		"/negotiated":      {AcceptMarkdown, "/negotiated", "# Negotiated"},
		"/beside?x=1":      {PathMarkdown, "/beside.md?x=1", "# Beside"},
		"/only":            {PathMarkdown, "/only.md", "# Beside"},
		"/a/b/linked.html": {LLMSLink, "/a/b/linked.md", "# Linked"},
		"/plain":           {HTMLFallback, "/plain", "## /plain"},
		"/app":             {HTMLFallback, "/app", "## App"},
		"/text":            {PlainText, "/text", "words"},
	} {
		p, source, err := r.ReadMarkdown(t.Context(), server.URL+path)
		if err != nil || source != want.source || p.URL != server.URL+want.at || p.Text != want.text || p.Status != 200 {
			t.Errorf("%s: %s %+v %v", path, source, p, err)
		}
	}
	var status *StatusError
	if _, _, err := r.ReadMarkdown(t.Context(), server.URL+"/none"); !errors.As(err, &status) || status.Status != 404 {
		t.Errorf("a page that does not exist: %v", err)
	}
	if p, err := r.LLMS(t.Context(), server.URL+"/a/b/c/d", false); err != nil || p.URL != server.URL+"/a/llms.txt" {
		t.Errorf("the nearest llms.txt: %+v %v", p, err)
	}
	if p, err := r.LLMS(t.Context(), server.URL+"/a/b/c/d", true); err != nil || !strings.HasPrefix(p.Text, "# All") {
		t.Errorf("llms-full.txt: %+v %v", p, err)
	}
	if p, err := r.ReadRaw(t.Context(), server.URL+"/plain"); err != nil || p.Text != "<h1>/plain</h1>" {
		t.Errorf("as it is: %+v %v", p, err)
	}
}

func TestConvert(t *testing.T) {
	t.Parallel()
	p, err := Convert(t.Context(), "http://a.test/dir/page", `<title>T</title><p>One <a href="x">link</a></p><table><tr><th>a<th>b<tr><td>1<td>2</table>`)
	if err != nil || p.Title != "T" || !strings.Contains(p.Text, "[link](http://a.test/dir/x)") || !strings.Contains(p.Text, "| 1 | 2 |") {
		t.Errorf("%+v %v", p, err)
	}
}

func TestWithTitle(t *testing.T) {
	t.Parallel()
	for _, test := range [][3]string{{"text", "Small", "# Small\n\ntext"}, {"## small\n\ntext", "Small", "## small\n\ntext"}, {"", "Small", "# Small"}, {"text", "", "text"}} {
		if got := WithTitle(test[0], test[1]); got != test[2] {
			t.Errorf("%q %q: %q", test[0], test[1], got)
		}
	}
}

const manual = "intro words\n\n# Title #\n\ntext\n\n```sh\n# no heading\n~~~\n```\n\n## Keys\n\nabout keys\n\n~~~~\n```\n## nor this\n~~~~\n### Sub keys\nmore\n#not one\n"

func TestSections(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range Sections(manual) {
		got = append(got, fmt.Sprintf("%d %s %d", s.Level, s.Heading, len(s.Text)))
	}
	if want := "0  11|1 Title 43|2 Keys 46|3 Sub keys 26"; strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	if got, want := Outline(manual, ""), "- Title\n  - Keys\n    - Sub keys"; got != want {
		t.Errorf("outline:\n%s", got)
	}
	if got, want := Outline(manual, "SUB"), "    - Sub keys"; got != want {
		t.Errorf("part of the outline: %q", got)
	}
	if got, want := Matching(manual, "No Heading"), Sections(manual)[1].Text; got != want {
		t.Errorf("sections: %q", got)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	got := fmt.Sprint(Links("# A\n- [One](/one.md): first\n* [Two]( <https://b.test/two> \"t\" )\n[no item](x)\n- plain\n- [bad](http://[)\n", "http://a.test/docs/llms.txt"))
	if want := "[{One http://a.test/one.md first} {Two https://b.test/two }]"; got != want {
		t.Errorf("got %s", got)
	}
}

// FuzzSections: no line of a document is lost or given twice.
func FuzzSections(f *testing.F) {
	f.Add(manual)
	f.Add("```\n# a\n")
	f.Fuzz(func(t *testing.T, text string) {
		count := func(s string) int { return len(strings.Fields(s)) }
		n := 0
		for _, s := range Sections(text) {
			n += count(s.Text)
		}
		if n != count(text) {
			t.Errorf("%d of %d words", n, count(text))
		}
		Links(text, "http://a.test/")
		Outline(text, "a")
	})
}
