package reader

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if Child() {
		return
	}
	goleak.VerifyTestMain(m)
}

const article = `<!doctype html><html><head><title>On bread | The Baker</title><style>p{color:red}</style></head><body>
<nav><a href="/">Home</a> <a href="/about">About</a></nav>
<article><h1>On bread</h1><p>Bread is made of flour, water and salt, and of time; the last of them is what most recipes leave out, and it is what matters, as anybody who has baked will tell you at length.</p>
<p>A dough that_is * <b>rests</b> for a night tastes of something. See <a href="/recipes" title="All our recipes">the recipes</a>, or <a href="#flour">below</a>.</p>
<table><thead><tr><th>Flour</th><th>Water</th></tr></thead><tbody><tr><td>500 g</td><td>350 g</td></tr></tbody></table>
<p id=flour>Flour comes in many kinds, and each of them drinks another amount of water, which is why a recipe that names grams only names a place to begin.</p></article>
<script>document.write("no")</script><footer>All rights reserved</footer></body></html>`

// pages answers what the tests ask for.
func pages(w http.ResponseWriter, r *http.Request) {
	kind := func(s string) { w.Header().Set("Content-Type", s) }
	switch r.URL.Path {
	case "/article":
		kind("text/html; charset=utf-8")
		fmt.Fprint(w, article)
	case "/short":
		kind("text/html")
		fmt.Fprint(w, "<title>Short</title><h1>Hello</h1><p>One line.</p>")
	case "/app":
		kind("text/html")
		fmt.Fprint(w, `<title>App</title><div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript><script src=/app.js></script>`)
	case "/latin":
		kind("text/plain; charset=iso-8859-1")
		_, _ = w.Write([]byte("caf\xe9"))
	case "/markdown":
		kind("text/markdown")
		fmt.Fprint(w, "# As it *is*\n")
	case "/json":
		kind("application/json")
		fmt.Fprint(w, `{"a": [1, 2]}`)
	case "/bytes.pdf":
		kind("application/octet-stream")
		_, _ = w.Write(document("(Known by its first bytes) Tj"))
	case "/gaps.pdf":
		kind("application/pdf")
		_, _ = w.Write(document("[(Abstract)-333(Syntax)-333(Notation)-333(Number)-333(One)] TJ"))
	case "/damaged.pdf":
		kind("application/pdf")
		_, _ = w.Write(document("(x) Tj")[:300])
	case "/picture":
		kind("image/png")
	case "/gone":
		http.Error(w, "no", http.StatusGone)
	case "/hop":
		http.Redirect(w, r, "/article", http.StatusFound)
	case "/file":
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	case "/loop":
		http.Redirect(w, r, "/loop", http.StatusFound)
	case "/endless":
		kind("text/plain")
		for chunk := strings.Repeat("x", 1<<20); ; {
			if _, err := w.Write([]byte(chunk)); err != nil {
				return
			}
		}
	case "/silent":
		<-r.Context().Done()
	}
}

// document returns a PDF of one page that draws what it is told to, in a font whose letters are half as wide as high.
func document(draws string) []byte {
	stream := "BT /F1 12 Tf 72 720 Td " + draws + " ET"
	widths := strings.TrimSpace(strings.Repeat("500 ", 224))
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(stream), stream),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 255/Widths[" + widths + "]>>",
		"<</Title(A title)>>",
	}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	begin := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R/Info 6 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, begin)
	return []byte(b.String())
}

func open(t *testing.T, opt Options) (*Reader, string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(pages))
	t.Cleanup(server.Close)
	opt.Agent = "usher"
	r, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return r, server.URL
}

func TestRead(t *testing.T) {
	t.Parallel()
	r, site := open(t, Options{})
	for path, want := range map[string]Page{
		"/markdown":  {Type: "text/markdown", Text: "# As it *is*"},
		"/latin":     {Type: "text/plain", Text: "café"},
		"/json":      {Type: "application/json", Text: `{"a": [1, 2]}`},
		"/short":     {Type: "text/html", Title: "Short", Text: "## Hello\n\nOne line."},
		"/app":       {Type: "text/html", Title: "App", Scripted: true},
		"/bytes.pdf": {Type: "application/pdf", Title: "A title", Text: "Known by its first bytes"},
		"/gaps.pdf":  {Type: "application/pdf", Title: "A title", Text: "Abstract Syntax Notation Number One"},
	} {
		want.URL, want.Status = site+path, 200
		got, err := r.Read(t.Context(), site+path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got.Header = ""; *got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", path, *got, want)
		}
	}
}

func TestArticle(t *testing.T) {
	t.Parallel()
	r, site := open(t, Options{})
	p, err := r.Read(t.Context(), site+"/hop")
	if err != nil {
		t.Fatal(err)
	}
	if p.URL != site+"/article" || !strings.HasPrefix(p.Title, "On bread") {
		t.Errorf("%s %q", p.URL, p.Title)
	}
	for _, want := range []string{"Bread is made of flour", "that_is * **rests**", "[the recipes](" + site + "/recipes)", "| Flour | Water |", "| 500 g | 350 g |", "or below"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is missing in\n%s", want, p.Text)
		}
	}
	for _, clutter := range []string{"Home", "rights reserved", "document.write", "color:red", "All our recipes", "#flour"} {
		if strings.Contains(p.Text, clutter) {
			t.Errorf("%q is in\n%s", clutter, p.Text)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	r, site := open(t, Options{})
	for path, want := range map[string]string{
		"/gone": "410 Gone", "/picture": "image/png", "/file": "file is neither http nor https", "/loop": "more than 10 times",
		"/endless": "larger than 20 MB", "/damaged.pdf": "PDF",
	} {
		if p, err := r.Read(t.Context(), site+path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v", path, p, err)
		}
	}
	if _, err := r.Read(t.Context(), "ftp://example.com/x"); err == nil {
		t.Error("another scheme was read")
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := r.Read(ctx, site+"/silent"); done <- err }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who gives up is told %v", err)
	}
}

// TestChecks: every address is judged, and the network address of every connection, whatever its name resolved to before.
func TestChecks(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var judged []string
	no := errors.New("not there")
	r, site := open(t, Options{Check: func(_ context.Context, address string) error {
		mu.Lock()
		defer mu.Unlock()
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		judged = append(judged, u.Path)
		if u.Path == "/article" {
			return no
		}
		return nil
	}})
	if _, err := r.Read(t.Context(), site+"/hop"); !errors.Is(err, no) {
		t.Errorf("a redirect to what is refused: %v", err)
	}
	if !slices.Equal(judged, []string{"/hop", "/article"}) {
		t.Errorf("judged %v", judged)
	}
	var asked netip.Addr
	r, site = open(t, Options{Connect: func(ip netip.Addr) error { asked = ip; return no }})
	name := strings.Replace(site, "127.0.0.1", "localhost", 1)
	if _, err := r.Read(t.Context(), name+"/short"); !errors.Is(err, no) || !asked.IsLoopback() {
		t.Errorf("connected to %v: %v", asked, err)
	}
}

// TestEndlessPDF: a page tree that contains itself keeps the library busy for ever; who waits for it need not.
func TestEndlessPDF(t *testing.T) {
	t.Parallel()
	body := strings.Replace(string(document("(x) Tj")), "/Kids[3 0 R]/Count 1", "/Kids[2 0 R]/Count 1", 1)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	p := Page{Type: "application/pdf"}
	if err := p.convertInChild(ctx, strings.NewReader(body), order{Type: p.Type, From: "http://a.test/"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %q", err, p.Text)
	}
}

// TestMemoryLimit ends a conversion that takes more than it may, and nothing else.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	table := "<table>" + strings.Repeat("<tr><td>a<td>b</tr>", 1<<18) + "</table>"
	p := Page{Type: "text/html"}
	err := p.convertInChild(t.Context(), strings.NewReader(table), order{Type: p.Type, From: "http://a.test/", Memory: 32 << 20})
	if err == nil || !strings.Contains(err.Error(), "memory than the limit") {
		t.Errorf("%v, %d bytes of text", err, len(p.Text))
	}
}

// TestDeepNesting reads pages that are nested further than any reader's stack: one way or the other they come to an end.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"<div>", "<b>", "<table><tr><td>", "<ul><li>", "<blockquote>", "<svg><g>", "<math><mi>", "<template>", "<select><option>"} {
		p := Page{Type: "text/html"}
		body := strings.Repeat(tag, 100_000/len(tag)) + "text"
		if err := p.convertInChild(t.Context(), strings.NewReader(body), order{Type: p.Type, From: "http://a.test/"}); err != nil && strings.Contains(err.Error(), errChild.Error()) {
			t.Errorf("%s: %v", tag, err)
		}
	}
}

// TestWaitForSlot has documents wait for their turn, in the time of their caller.
func TestWaitForSlot(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	oldReads, oldConversions := reads, conversions
	reads, conversions = make(chan struct{}), make(chan struct{})
	defer func() { reads, conversions = oldReads, oldConversions }()
	p := Page{Type: "text/plain"}
	document := io.MultiReader(strings.NewReader("all of it"), atEnd(func() { cancel(enough) }))
	if err := p.convertInChild(ctx, document, order{Type: p.Type, From: "http://a.test/"}); !errors.Is(err, enough) {
		t.Errorf("no room for a conversion: %v", err)
	}
	r, site := open(t, Options{})
	if _, err := r.Read(ctx, site+"/short"); !errors.Is(err, enough) {
		t.Errorf("no room for a read: %v", err)
	}
	if len(reads) != 0 || len(conversions) != 0 {
		t.Errorf("%d reads and %d conversions go on", len(reads), len(conversions))
	}
}

// atEnd is called when everything before it was read.
type atEnd func()

func (f atEnd) Read([]byte) (int, error) { f(); return 0, io.EOF }

// TestBareEnvironment gives the process nothing that a page could be told.
func TestBareEnvironment(t *testing.T) {
	t.Setenv("USHER_CREDENTIALS", "secret")
	t.Setenv("TAVILY_API_KEY", "secret")
	if env := strings.Join(bareEnvironment(), " "); strings.Contains(env, "secret") {
		t.Errorf("the environment is %s", env)
	}
}

// FuzzAnswer reads what a process said that was taken over by its document.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"{\"title\":\"a\",\"size\":2}\nab", "{\"size\":-1}\n", "{\"size\":99999999999}\n", "{\"error\":\"no\"}\n", "{", strings.Repeat("x", 70<<10)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		p := &Page{}
		if _, err := p.answer(bufio.NewReader(bytes.NewReader(said))); err == nil && (len(p.Text) > maxText || !utf8.ValidString(p.Text)) {
			t.Errorf("%d bytes", len(p.Text))
		}
	})
}

// FuzzConvert turns any document into text that steers no terminal, or says why not.
func FuzzConvert(f *testing.F) {
	f.Add("text/html", article)
	f.Add("text/html", "<table><tr><td><ul><li><pre>a</table>")
	f.Add("application/pdf", string(document("(x) Tj")))
	f.Add("text/plain", "caf\xe9")
	f.Fuzz(func(t *testing.T, kind, body string) {
		if kind == "application/pdf" || len(body) > 4<<10 { // a page tree may be endless, for which the process has its limit
			return
		}
		first, err := json.Marshal(order{Type: kind, Header: "text/html", From: "http://a.test/"}, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			t.Fatal(err)
		}
		var in, out bytes.Buffer
		in.Write(append(first, '\n'))
		sink := newChunkWriter(&in)
		if _, err := io.WriteString(sink, body); err != nil {
			t.Fatal(err)
		}
		if err := sink.end(); err != nil {
			t.Fatal(err)
		}
		c := child{in: bufio.NewReader(&in), out: bufio.NewWriter(&out)}
		if _, err := c.convert(func() bool { return true }); err != nil {
			t.Fatal(err)
		}
		if n := c.in.Buffered() + in.Len(); n != 0 {
			t.Errorf("%d bytes of the document were left", n)
		}
		p := &Page{}
		if _, err := p.answer(bufio.NewReader(&out)); err == nil && strings.ContainsRune(p.Text, 0x1b) {
			t.Errorf("%q", p.Text)
		}
	})
}

// TestScripted: a short page counts as made by scripts only if one of them may change it, or its text says so.
func TestScripted(t *testing.T) {
	from, err := url.Parse("http://a.example/")
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]bool{
		`<h1>Prices</h1><script>const answer = 'Same name in a script'</script>`:      false,
		`<h1>Prices</h1><script type="application/ld+json">{"document":"x"}</script>`: false,
		`<h1>Prices</h1><script type="importmap">{"imports":{}}</script>`:             false,
		`<h1>Prices</h1>`: false,
		`<div id=app></div><script src=/app.js></script>`:                                     true,
		`<div id=app></div><script type=module>import "/app.js"</script>`:                     true,
		`<div id=app></div><script>document.getElementById("app").textContent = "x"</script>`: true,
		`<div id=app></div><script>app.innerHTML = "x"</script>`:                              true,
		`<noscript>You need to enable JavaScript.</noscript>`:                                 true,
		`<p>` + strings.Repeat("words ", 80) + `</p><script src=/app.js></script>`:            false,
	} {
		p := Page{Type: "text/html"}
		if err := p.read([]byte(body), "text/html; charset=utf-8", from, &order{}); err != nil || p.Scripted != want {
			t.Errorf("%s: %v, %v", body, p.Scripted, err)
		}
	}
}
