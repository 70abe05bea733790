// Package devtools serves the tabs of a browser context to DevTools and other CDP clients, over HTTP and WebSocket on
// loopback, whatever the transport of usher's own connection is. The paths are those of Chromium's remote debugging port
// (https://chromedevtools.github.io/devtools-protocol/, "HTTP Endpoints"), below a first element that nobody can guess:
//
//	/TOKEN/                        the tabs, as a page with links
//	/TOKEN/json/list, /json        the tabs, as JSON
//	/TOKEN/json/version            the browser and the version of the protocol
//	/TOKEN/devtools/page/TARGET    WebSocket: CDP with one tab
//	/TOKEN/devtools/FILE           the files of the front end that is built into the browser
//
// Each WebSocket client gets a CDP session of its own ([supervisor.ClientSession]): Chromium keeps what a client enables
// per session, so nothing is counted, and a client that leaves disables nothing that usher needs. Ids of calls are the
// client's; it reaches its tab and what is attached below it, and no other target.
//
// Whoever knows the address controls the tabs. Therefore the server listens on loopback only, compares the token in
// constant time, and refuses a Host that is not its own (DNS rebinding) and the Origin of any page but the front end.
package devtools

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// Server serves the tabs of one browser context. Goroutines: the listener's, one per connection, one more per WebSocket
// client, and one that waits for the end of the browser. Close waits for all.
type Server struct {
	browser *supervisor.Browser
	context model.ContextID
	host    string // 127.0.0.1:PORT
	token   string
	files   *frontEnd
	server  *http.Server
	stop    context.CancelFunc // ends the requests and the clients
	ended   context.Context
	wg      sync.WaitGroup

	mu      sync.Mutex
	closed  bool             // guarded by mu: no more clients
	clients map[*client]bool // guarded by mu
}

// maxConnections bounds open connections: any program of this machine can connect before the token is checked.
const maxConnections = 64

// Serve begins to serve the tabs of a browser context on a free port, until Close or the browser's end.
func Serve(b *supervisor.Browser, c model.ContextID) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve DevTools: %w", err)
	}
	s := &Server{
		browser: b, context: c, host: listener.Addr().String(), token: rand.Text(), files: &frontEnd{browser: b}, clients: map[*client]bool{},
	}
	s.ended, s.stop = context.WithCancel(context.Background())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{token}/{$}", s.index)
	mux.HandleFunc("GET /{token}/json", s.list)
	mux.HandleFunc("GET /{token}/json/list", s.list)
	mux.HandleFunc("GET /{token}/json/version", s.version)
	mux.HandleFunc("GET /{token}/devtools/page/{target}", s.page)
	mux.HandleFunc("GET /{token}/devtools/{file...}", s.file)
	s.server = &http.Server{
		Handler: s.authorize(mux), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return s.ended },
	}
	s.wg.Go(func() { _ = s.server.Serve(wire.Limit(listener, maxConnections)) }) // ErrServerClosed, after Close
	s.wg.Go(func() {
		select {
		case <-b.Done():
			s.shut()
		case <-s.ended.Done():
		}
	})
	return s, nil
}

// Address is the address of the list of tabs; whoever knows it controls the tabs.
func (s *Server) Address() string { return "http://" + s.host + "/" + s.token + "/" }

// FrontEnd returns the address of DevTools for a tab, for any browser of this machine that is Chromium.
func (s *Server) FrontEnd(t model.TargetID) string {
	return s.Address() + "devtools/" + frontEndPage + "?ws=" + s.socket(t)
}

// Bundled returns the address of DevTools for a tab in the front end of the browser that opens it.
func (s *Server) Bundled(t model.TargetID) string {
	return bundled + frontEndPage + "?ws=" + s.socket(t)
}

// WebSocket returns the address of CDP with a tab.
func (s *Server) WebSocket(t model.TargetID) string { return "ws://" + s.socket(t) }

func (s *Server) socket(t model.TargetID) string {
	return s.host + "/" + s.token + "/devtools/page/" + string(t)
}

// Check reports whether the browser has the files of the front end. Otherwise only [Server.Bundled] can show it.
func (s *Server) Check(ctx context.Context) error {
	_, err := s.files.read(ctx, frontEndPage)
	return err
}

// Clients returns how many WebSocket clients are connected.
func (s *Server) Clients() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.clients)
}

// Paused reports whether the debugger of a client has paused a tab: its scripts wait until somebody continues there.
func (s *Server) Paused(t model.TargetID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		if c.target == t && c.isPaused() {
			return true
		}
	}
	return false
}

// Closed reports whether the server has ended.
func (s *Server) Closed() bool { return s.ended.Err() != nil }

// Close stops listening, disconnects the clients and waits for them.
func (s *Server) Close() {
	s.shut()
	s.wg.Wait()
}

// shut is Close without waiting.
func (s *Server) shut() {
	s.mu.Lock()
	s.closed = true
	for c := range s.clients {
		c.end("usher stopped serving it")
	}
	s.mu.Unlock()
	s.stop()
	_ = s.server.Close() // of listeners and connections that end anyway
	s.files.close()
}

// add counts a client in. It returns false after shut.
func (s *Server) add(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.clients[c] = true
	s.wg.Add(1)
	return true
}

func (s *Server) remove(c *client) {
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
	s.wg.Done()
}

// authorize passes on requests with the token, a Host that names this server, and no Origin of a web page.
func (s *Server) authorize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch {
		case !s.own(r.Host):
			http.Error(w, "the Host header does not name this server", http.StatusForbidden)
			return
		case !s.mayCall(r.Header.Get("Origin")):
			http.Error(w, "a web page may not call this server", http.StatusForbidden)
			return
		case subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1:
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		h := w.Header()
		h.Set("Referrer-Policy", "no-referrer") // the address is the key
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "SAMEORIGIN")
		next.ServeHTTP(w, r)
	})
}

// own reports whether a Host header names this server.
func (s *Server) own(host string) bool {
	_, port, _ := net.SplitHostPort(s.host)
	return host == s.host || strings.EqualFold(host, "localhost:"+port)
}

// mayCall reports whether an Origin header is none, this server's own, or that of the front end that is built into a
// browser.
func (s *Server) mayCall(origin string) bool {
	if origin == "" || origin == "devtools://devtools" {
		return true
	}
	host, found := strings.CutPrefix(origin, "http://")
	return found && s.own(host)
}

// tab returns a tab of the browser context; nil for others.
func (s *Server) tab(id model.TargetID) *model.Tab {
	if t := s.browser.State().Tabs[id]; t != nil && t.Context == s.context {
		return t
	}
	return nil
}

// page serves CDP with one tab.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	t := s.tab(model.TargetID(r.PathValue("target")))
	if t == nil {
		http.Error(w, "the session has no such tab", http.StatusNotFound)
		return
	}
	c := newClient(t.ID)
	if !s.add(c) {
		http.Error(w, "the server is ending", http.StatusServiceUnavailable)
		return
	}
	defer s.remove(c)
	c.serve(s.ended, w, r, s.browser)
}

// file serves a file of the front end.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	got, err := s.files.read(r.Context(), r.PathValue("file"))
	switch {
	case errors.Is(err, errNoFile):
		http.Error(w, "the front end has no such file", http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", got.kind)
	w.Header().Set("Cache-Control", "private, max-age=3600") // the address lasts as long as the session
	_, _ = w.Write(got.body)                                 // whoever asked may have left
}
