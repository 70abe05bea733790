package cdptest

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// routeResponses are the addresses that are about HTTP itself: status, redirects, time, what was sent.
func (s *Site) routeResponses(mux *http.ServeMux) {
	mux.HandleFunc("/status/{code}", status)
	mux.HandleFunc("/under", s.under)
	mux.HandleFunc("/redirect", redirect)
	mux.HandleFunc("/search", func(w http.ResponseWriter, r *http.Request) { // as a SearXNG instance answers
		if r.URL.Query().Get("format") != "json" {
			http.Error(w, "not of this instance", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		query, _ := json.Marshal("about " + r.URL.Query().Get("q")) // of a string it cannot fail
		fmt.Fprintf(w, `{"results":[{"title":"First","url":"https://one.example/","content":%s},{"title":"Second","url":"https://two.example/","content":""}]}`, query)
	})
	mux.HandleFunc("/redirect-cross", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.fill("{{cross}}/small?crossed", r), http.StatusFound)
	})
	mux.HandleFunc("/redirect-loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/redirect-loop", http.StatusFound) })
	mux.HandleFunc("/members", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/sign-in?next=/members", http.StatusFound)
	})
	mux.HandleFunc("/challenge", func(w http.ResponseWriter, _ *http.Request) { // as Cloudflare answers whom it takes for a program
		w.Header().Set("Cf-Mitigated", "challenge")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<!doctype html><title>Just a moment...</title><h1>Checking your browser</h1>")
	})
	mux.HandleFunc("/echo", echo)
	mux.HandleFunc("/delay", s.delay)
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { s.never(r) })
	mux.HandleFunc("/endless", s.endless)
	mux.HandleFunc("/cut", cut)
	mux.HandleFunc("/confirmed", confirmed)
	mux.HandleFunc("/cookie", setCookie)
	mux.HandleFunc("/login", login)
	mux.HandleFunc("/login/{rest}", login)
	mux.HandleFunc("/digest", digest)
}

// never returns when the browser leaves or the site ends, whichever is first.
func (s *Site) never(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.ended:
	}
}

// status answers /status/404 with that status and a page that shows it.
func status(w http.ResponseWriter, r *http.Request) {
	code, err := strconv.Atoi(r.PathValue("code"))
	if err != nil || code < 200 || code > 599 {
		http.Error(w, "a status is a number from 200 to 599", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	if code == http.StatusNoContent || code == http.StatusNotModified {
		return
	}
	fmt.Fprintf(w, "<!doctype html><html lang=en><title>Status %d</title><h1>Status %d</h1><a href='/'>Home</a>", code, code)
}

// under serves a small page under the policies of the query: ?csp= and ?permissions=.
func (s *Site) under(w http.ResponseWriter, r *http.Request) {
	for key, header := range map[string]string{"csp": "Content-Security-Policy", "permissions": "Permissions-Policy"} {
		if value := r.URL.Query().Get(key); value != "" {
			w.Header().Set(header, value)
		}
	}
	s.page("small")(w, r)
}

// redirect sends the browser on ?n= times (default 3) and ends at /small; or at once to ?to=.
func redirect(w http.ResponseWriter, r *http.Request) {
	if to := r.URL.Query().Get("to"); to != "" {
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	if n := count(r, 3); n > 1 {
		http.Redirect(w, r, fmt.Sprintf("/redirect?n=%d", n-1), http.StatusFound)
		return
	}
	http.Redirect(w, r, "/small?redirected=yes", http.StatusFound)
}

// echo answers with what it was sent: method, path, query, headers (first value each), body.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	headers := make(map[string]string, len(r.Header))
	for name := range r.Header {
		headers[name] = r.Header.Get(name)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	_ = json.MarshalWrite(w, map[string]any{
		"method": r.Method, "path": r.URL.Path, "query": r.URL.RawQuery, "headers": headers, "body": string(body),
	}, json.Deterministic(true))
}

// delay answers with a small page after ?ms= (default 1000).
func (s *Site) delay(w http.ResponseWriter, r *http.Request) {
	timer := time.NewTimer(milliseconds(r, "ms", time.Second))
	defer timer.Stop()
	select {
	case <-timer.C:
		s.page("small")(w, r)
	case <-r.Context().Done():
	case <-s.ended:
	}
}

// endless sends the head of a page at once, then a line every 100 ms for as long as someone reads.
func (s *Site) endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><html lang=en><title>Endless</title><button id=first>First</button>", strings.Repeat(" ", 2048))
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for line := 1; ; line++ {
		w.(http.Flusher).Flush()
		select {
		case <-tick.C:
			fmt.Fprintf(w, "<p>line %d</p>\n", line)
		case <-r.Context().Done():
			return
		case <-s.ended:
			return
		}
	}
}

// cut closes the connection before any answer: the browser reports net::ERR_EMPTY_RESPONSE.
func cut(w http.ResponseWriter, r *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = conn.Close()
}

// confirmed is a page that the cache keeps, and that the server confirms (304) each time.
func confirmed(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"1"`)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader("<!doctype html><title>Confirmed</title>"))
}

// setCookie sets ?name= to ?value= and shows the cookies that came with the request.
func setCookie(w http.ResponseWriter, r *http.Request) {
	if name := r.URL.Query().Get("name"); name != "" {
		http.SetCookie(w, &http.Cookie{Name: name, Value: r.URL.Query().Get("value"), Path: "/"})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html><title>Cookies</title><pre id=cookies>%s</pre>", escapeText(r.Header.Get("Cookie")))
}

// login requires HTTP basic authentication with usher:secret.
func login(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	if user != "usher" || password != "secret" {
		w.Header().Set("WWW-Authenticate", `Basic realm="fixtures"`)
		http.Error(w, "a name and a password are needed", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><title>Inside</title><h1>Inside</h1>")
}

// digest requires HTTP digest authentication (RFC 7616, MD5 with qop=auth) with usher:secret.
func digest(w http.ResponseWriter, r *http.Request) {
	given := map[string]string{}
	if words, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Digest "); ok {
		for part := range strings.SplitSeq(words, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			given[name] = strings.Trim(value, `"`)
		}
	}
	hash := func(parts ...string) string { return fmt.Sprintf("%x", md5.Sum([]byte(strings.Join(parts, ":")))) }
	want := hash(hash("usher", "digested", "secret"), given["nonce"], given["nc"], given["cnonce"], given["qop"], hash(r.Method, given["uri"]))
	if given["username"] != "usher" || given["response"] != want {
		w.Header().Set("WWW-Authenticate", `Digest realm="digested", nonce="fixture", qop="auth", algorithm=MD5`)
		http.Error(w, "a name and a password are needed", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><title>Digested</title><h1>Digested</h1>")
}

// pixel is one transparent PNG pixel.
func pixel(w http.ResponseWriter, _ *http.Request) {
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	w.Header().Set("Content-Type", "image/png")
	_, _ = io.Copy(w, base64.NewDecoder(base64.StdEncoding, bytes.NewReader([]byte(png))))
}
