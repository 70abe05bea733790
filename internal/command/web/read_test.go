package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/web"
)

// built is a page whose text is in what its scripts and styles make of it.
const built = `<!doctype html><html lang=en><title>Built</title><style>.off{display:none} .unseen{visibility:hidden}</style>
<main><h2>Prices</h2><p>See <a href="list?page=2">the list</a>.</p><img src="pic.png" alt="A picture">
<table><tr><th>Kind<th>Price<tr><td>Tea<td>2</table><p class=off>secret offer</p><p class=unseen>unseen words</p>
<h2>Parts</h2><my-part><b>slotted</b></my-part><form><input name=childNodes><p>in the form</p></form><p id=late></p><svg><text>drawn</text></svg></main>
<script>
document.querySelector("my-part").attachShadow({mode: "open"}).innerHTML = "<p>before <slot></slot> after</p><style>p{color:red}</style>";
late.textContent = "made by a script";
</script>`

func serve(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL
}

func TestReadOfTheTab(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, built)
	})
	s.Run(t, "open", site+"/dir/page")
	got := commandtest.Data[web.Reading](t, s.Run(t, "read"))
	if got.Source != "active-tab-html" || got.ContentType != "text/html" || got.URL != site+"/dir/page" || got.Title != "Built" || got.Truncated {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{"## Prices", "[the list](" + site + "/dir/list?page=2)", "![A picture](" + site + "/dir/pic.png)",
		"| Kind | Price |", "| Tea  | 2     |", "before **slotted** after", "made by a script", "in the form"} {
		if !strings.Contains(got.Content, want) {
			t.Errorf("%q is missing in\n%s", want, got.Content)
		}
	}
	for _, no := range []string{"secret", "unseen", "color", "drawn", "attachShadow"} {
		if strings.Contains(got.Content, no) {
			t.Errorf("%q is in\n%s", no, got.Content)
		}
	}
	if text := s.Run(t, "read", "--outline").Text; text != "# Outline\n\nSource: "+site+"/dir/page\n\n- Built\n  - Prices\n  - Parts" {
		t.Errorf("outline: %q", text)
	}
	if got := commandtest.Data[web.Reading](t, s.Run(t, "read", "--filter", "tea")); got.Source != "active-tab-html-filtered" || !strings.HasPrefix(got.Content, "## Prices") || strings.Contains(got.Content, "Parts") {
		t.Errorf("%+v", got)
	}
	if got := commandtest.Data[web.Reading](t, s.Run(t, "read", "--raw")); got.Source != "active-tab-raw" || !strings.Contains(got.Content, `<p class="off">secret offer</p>`) {
		t.Errorf("%+v", got)
	}
	if _, err := s.Try(t, "read", "--require-md"); api.CodeOf(err) != api.ExtractFailed || !strings.Contains(err.Error(), "got text/html") {
		t.Errorf("--require-md: %v", err)
	}
}

func TestReadOfAFrame(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/inner" {
			fmt.Fprint(w, "<p>inside")
			return
		}
		fmt.Fprint(w, "<p>outside<iframe name=inner src=/inner></iframe>")
	})
	s.Run(t, "open", site)
	if text := s.Run(t, "read").Text; text != "outside" {
		t.Errorf("the page: %q", text)
	}
	if text := s.Run(t, "read", "--frame", "inner").Text; text != "inside" {
		t.Errorf("the frame: %q", text)
	}
}

func TestReadOfAnAddress(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/llms.txt":
			fmt.Fprint(w, "# Site\n- [Auth](/auth.md): how to log in\n- [Other](/other.md)\n")
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>Page</title><h2>One</h2><p>first</p><h2>Two</h2><p>second</p>")
		default:
			http.NotFound(w, r)
		}
	})
	got := commandtest.Data[web.Reading](t, s.Run(t, "read", site+"/page"))
	if got.Source != "html-fallback" || got.Status != 200 || got.Content != "# Page\n\n## One\n\nfirst\n\n## Two\n\nsecond" {
		t.Errorf("%+v", got)
	}
	// A flag may precede the address.
	if text := s.Run(t, "read", "--filter", "second", site+"/page").Text; text != "## Two\n\nsecond" {
		t.Errorf("--filter: %q", text)
	}
	if text := s.Run(t, "read", site+"/page", "--filter", "third").Text; text != "No matching page sections" {
		t.Errorf("--filter: %q", text)
	}
	want := "# llms.txt\n\nSource: " + site + "/llms.txt\n\n- [Auth](" + site + "/auth.md): how to log in"
	if text := s.Run(t, "read", site+"/page", "--llms", "index", "--filter", "LOG IN").Text; text != want {
		t.Errorf("--llms index: %q", text)
	}
	_, err := s.Try(t, "read", site+"/none")
	if api.CodeOf(err) != api.ExtractFailed || api.AsError(err).Data["status"] != 404 {
		t.Errorf("a page that does not exist: %v", err)
	}
}
