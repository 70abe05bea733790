package cdptest

import (
	"embed"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

//go:embed pages
var pages embed.FS

// routes returns the site's addresses. A page of pages/ answers under its name without .html, its scripts and frames under
// their whole name; what needs the server's help has a handler of its own.
func (s *Site) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", s.page("index"))
	mux.HandleFunc("/{page}", func(w http.ResponseWriter, r *http.Request) { s.page(r.PathValue("page"))(w, r) })
	mux.HandleFunc("/buttons", serveMany(`<button id="b%[1]d">Button %[1]d</button>`, "Many buttons", ""))
	mux.HandleFunc("/divs", serveMany(`<div id="d%[1]d" class="go" onclick="this.dataset.hit=1">Card %[1]d</div>`, "Many clickable divs", ".go{cursor:pointer}"))
	mux.HandleFunc("/links", serveMany(`<a id="a%[1]d" href="/small?%[1]d">Link %[1]d</a>`, "Many links", ""))
	mux.HandleFunc("/text", serveMany(`<p>Paragraph %[1]d says what paragraph %[1]d says.</p>`, "Much text", ""))
	mux.HandleFunc("/csp", s.strict)
	mux.HandleFunc("/csp.js", s.script("csp.js"))
	mux.HandleFunc("/traffic-worker.js", s.script("traffic-worker.js"))
	mux.HandleFunc("/pixel.png", pixel)
	mux.HandleFunc("/socket", socket)
	s.routeResponses(mux)
	s.routeFiles(mux)
	return mux
}

// page serves one embedded page. Its text may name the site's hosts: {{same}}, {{cross}}, {{a}}, {{b}} (all http
// origins), {{secure}} (https); and its query: {{query:key:default}}.
func (s *Site) page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := pages.ReadFile("pages/" + name + ".html")
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write([]byte(s.fill(string(text), r)))
	}
}

// socket greets a WebSocket, sends its messages back, and closes it after "end".
func socket(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer func() { _ = c.CloseNow() }()
	err = c.Write(r.Context(), websocket.MessageText, []byte("hello"))
	for err == nil {
		var kind websocket.MessageType
		var data []byte
		if kind, data, err = c.Read(r.Context()); err != nil {
			return
		}
		if string(data) == "end" {
			_ = c.Close(websocket.StatusNormalClosure, "")
			return
		}
		err = c.Write(r.Context(), kind, data)
	}
}

func (s *Site) script(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := pages.ReadFile("pages/" + name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(text)
	}
}

// fill puts the site's origins and the request's query into a page. "same" is the origin of the request, and "cross" is
// one of another site, so that a page works under every name of the site.
func (s *Site) fill(text string, r *http.Request) string {
	origin := func(host string) string { return strings.TrimSuffix(address("http", host, s.port, ""), "/") }
	cross := origin("localhost")
	if host, _, err := net.SplitHostPort(r.Host); err == nil && host == "localhost" {
		cross = origin("127.0.0.1")
	}
	text = strings.NewReplacer(
		"{{same}}", "http://"+r.Host,
		"{{cross}}", cross,
		"{{a}}", origin("a.localhost"),
		"{{b}}", origin("b.localhost"),
		"{{secure}}", strings.TrimSuffix(s.Secure(""), "/"),
	).Replace(text)
	for {
		before, rest, found := strings.Cut(text, "{{query:")
		if !found {
			return text
		}
		slot, after, _ := strings.Cut(rest, "}}")
		key, value, _ := strings.Cut(slot, ":")
		if r.URL.Query().Has(key) {
			value = r.URL.Query().Get(key)
		}
		text = before + escapeText(value) + after
	}
}

// escapeText makes a value of the query safe in page text, in a quoted attribute and in a script string.
func escapeText(value string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "`", "&#96;", `\`, "&#92;").Replace(value)
}

// serveMany serves a page of ?n= elements (default 100, at most a million) made from one format that takes the number,
// from 1.
func serveMany(format, title, style string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n := count(r, 100)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var page strings.Builder
		fmt.Fprintf(&page, "<!doctype html><html lang=en><meta charset=utf-8><title>%s</title><style>%s</style><body>\n", title, style)
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&page, format, i)
			page.WriteByte('\n')
		}
		_, _ = w.Write([]byte(page.String()))
	}
}

func count(r *http.Request, otherwise int) int {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	if err != nil || n < 0 || n > 1_000_000 {
		return otherwise
	}
	return n
}

// strict serves a page under the strictest policy real sites use: no inline script, no eval, no unnamed origin, and
// string-to-code sinks closed by trusted types.
func (s *Site) strict(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self'; img-src 'self'; style-src 'self'; form-action 'self'; base-uri 'none'; "+
			"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
	s.page("csp")(w, r)
}

// milliseconds reads a duration of the query, given in milliseconds.
func milliseconds(r *http.Request, key string, otherwise time.Duration) time.Duration {
	n, err := strconv.Atoi(r.URL.Query().Get(key))
	if err != nil || n < 0 {
		return otherwise
	}
	return time.Duration(n) * time.Millisecond
}
