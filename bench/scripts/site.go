package scripts

import (
	"context"
	"embed"
	"fmt"
	"html"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed pages
var pages embed.FS

// Site serves the pages that scripts use, on loopback under two host names. It keeps nothing: every run of a script finds the
// same pages and data.
type Site struct {
	port   int
	server *http.Server
	served sync.WaitGroup
}

// OpenSite starts the site on a free port. The caller ends it with Close.
func OpenSite() (*Site, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the pages of scripts: %w", err)
	}
	s := &Site{port: listener.Addr().(*net.TCPAddr).Port}
	s.server = &http.Server{
		Handler:           s.routes(),
		ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // browsers that leave are expected
	}
	s.served.Add(1)
	go func() {
		defer s.served.Done()
		_ = s.server.Serve(listener) // always ErrServerClosed, which Close causes
	}()
	return s, nil
}

// Close ends the site and waits for its server.
func (s *Site) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close() // a browser keeps connections open; they are cut
	}
	s.served.Wait()
}

// The names by which scripts and results call the site: its own origin, and the same pages under another site's.
const (
	sameName  = "{{same}}"
	crossName = "{{cross}}"
)

// Origin returns the origin of the pages.
func (s *Site) Origin() string { return s.same() }

func (s *Site) same() string  { return "http://127.0.0.1:" + strconv.Itoa(s.port) }
func (s *Site) cross() string { return "http://localhost:" + strconv.Itoa(s.port) }

// fill puts the origins of the site into text that names them.
func (s *Site) fill(text string) string {
	return strings.NewReplacer(sameName, s.same(), crossName, s.cross()).Replace(text)
}

// unfill puts the names back, so that results of different ports are equal.
func (s *Site) unfill(text string) string {
	port := strconv.Itoa(s.port)
	return strings.NewReplacer(s.same(), sameName, s.cross(), crossName, "127.0.0.1:"+port, "{{host}}", "localhost:"+port, "{{crosshost}}").Replace(text)
}

func (s *Site) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{page}", func(w http.ResponseWriter, r *http.Request) { s.page(w, r, r.PathValue("page")) })
	mux.HandleFunc("GET /app/{path...}", func(w http.ResponseWriter, r *http.Request) { s.page(w, r, "app") })
	mux.HandleFunc("GET /pixel.png", picture)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /file/orders.csv", csv)
	mux.HandleFunc("POST /login", login)
	mux.HandleFunc("GET /account", s.account)
	mux.HandleFunc("POST /logout", logout)
	mux.HandleFunc("POST /signup", signUp)
	routeData(mux)
	return mux
}

// page serves pages/NAME.html, with {{same}}, {{cross}} (from the other name the first one) and {{query:key:default}} filled in.
func (s *Site) page(w http.ResponseWriter, r *http.Request, name string) {
	text, err := pages.ReadFile("pages/" + name + ".html")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(fillQuery(s.fill(string(text)), r)))
}

func fillQuery(text string, r *http.Request) string {
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
		text = before + html.EscapeString(value) + after
	}
}

// login takes any name with the password "tea", and keeps it in a cookie.
func login(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("password") != "tea" {
		http.Redirect(w, r, "/login?error=Wrong+password", http.StatusSeeOther)
		return
	}
	cookie := &http.Cookie{Name: "user", Value: r.FormValue("user"), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if r.FormValue("remember") != "" {
		cookie.MaxAge = 86400
	}
	http.SetCookie(w, cookie)
	http.Redirect(w, r, "/account?user="+r.FormValue("user"), http.StatusSeeOther)
}

// account serves the account of the query's user, to whom has signed in and to whom the query says.
func (s *Site) account(w http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie("user"); err != nil && !r.URL.Query().Has("user") {
		http.Redirect(w, r, "/login?error=Sign+in+first", http.StatusSeeOther)
		return
	}
	s.page(w, r, "account")
}

func logout(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: "user", Path: "/", MaxAge: -1})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// signUp answers with what the form sent.
func signUp(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm() // what cannot be read is missing from the page
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html><html lang=en><title>Welcome</title><h1>Welcome, %s</h1><dl>", html.EscapeString(r.PostForm.Get("name")))
	for _, key := range []string{"email", "country", "topics", "plan", "notes", "terms", "letter"} {
		fmt.Fprintf(w, "<dt>%s</dt><dd id=%s>%s</dd>", key, key, html.EscapeString(strings.Join(r.PostForm[key], ", ")))
	}
	fmt.Fprint(w, "</dl></html>")
}

func csv(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="orders.csv"`)
	fmt.Fprint(w, "order,total\n1,12.00\n2,7.50\n")
}
