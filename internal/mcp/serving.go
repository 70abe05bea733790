package mcp

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/netutil"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/verb"
)

// serving is the HTTP server from listen to close. Goroutines: the listener's, one per connection, one per client that
// is being prepared. close waits for all.
type serving struct {
	address, token string
	base           Process // template for the servers of clients
	log            *slog.Logger
	server         *http.Server
	done           chan struct{} // closed when the listener has ended

	prepareContext context.Context // of preparing clients; ends when close begins
	cancelPrepare  context.CancelFunc
	callContext    context.Context // of requests and calls; ends after closeGrace
	cancelCalls    context.CancelFunc

	mu      sync.Mutex
	closed  bool                   // guarded by mu: new requests are refused
	clients map[string]*httpClient // guarded by mu: by browser session and form
	mounts  *mounts                // guarded by mu: nil until the first client
	running sync.WaitGroup         // requests, and clients that are being prepared; Add needs mu and not closed
}

// httpClient is the server shared by clients with the same query. The first request starts its preparation; the others
// wait on ready.
type httpClient struct {
	ready  chan struct{} // closed when the server or the error is set
	server *Server
	err    error
	used   time.Time // guarded by serving.mu
}

func newServing(address, token string, log *slog.Logger) *serving {
	s := &serving{address: address, token: token, log: log, done: make(chan struct{}), clients: map[string]*httpClient{}}
	s.prepareContext, s.cancelPrepare = context.WithCancel(context.Background())
	s.callContext, s.cancelCalls = context.WithCancel(context.Background())
	return s
}

// maxConnections bounds open connections. Any local user can connect before the token is checked, and each connection
// takes a file descriptor from browsers and other sessions.
const maxConnections = 256

// serve serves the listener's connections in a goroutine.
func (s *serving) serve(listener net.Listener) {
	sdk := mcp.NewStreamableHTTPHandler(s.serverOf, &mcp.StreamableHTTPOptions{
		Logger: s.log, SessionTimeout: idleClient, DisableLocalhostProtection: true, // authorize checks the host, with a clearer error
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.authorize(sdk))
	s.server = &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return s.callContext },
	}
	listener = netutil.LimitListener(listener, maxConnections)
	go func() {
		defer close(s.done)
		if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("serve agents", "error", err)
		}
	}()
}

// addRequest counts a request in running. It returns false if close has begun.
func (s *serving) addRequest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.running.Add(1)
	}
	return !s.closed
}

// errStopping is the error of requests that arrive during close.
var errStopping = api.Errorf(api.DaemonStopping, "usher stops serving agents at this address").WithHint("`usher mcp http` serves them again.")

// authorize passes on requests that have the token, a Host that names this server, and no Origin of a web page.
func (s *serving) authorize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.addRequest() {
			refuse(w, http.StatusServiceUnavailable, errStopping.Sentence())
			return
		}
		defer s.running.Done()
		_, port, _ := net.SplitHostPort(s.address)
		if !isLoopback(r.Host, port) {
			refuse(w, http.StatusForbidden, fmt.Sprintf("the Host header is %q; call this server as %s", r.Host, s.address))
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Scheme != "http" || !isLoopback(u.Host, port) {
				refuse(w, http.StatusForbidden, fmt.Sprintf("a page of %q may not call this server", origin))
				return
			}
		}
		// Browsers send no Origin with requests that a page may not read, but this header (https://www.w3.org/TR/fetch-metadata/).
		if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			refuse(w, http.StatusForbidden, "a page of another origin may not call this server")
			return
		}
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") { // RFC 9110: case-insensitive
			given = ""
		}
		if given == "" {
			given = r.URL.Query().Get("token")
		}
		if subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "the token is missing or wrong; `usher mcp http` tells it")
			return
		}
		if r.Method == http.MethodPost { // only POST may start a session
			c, err := s.serverFor(r)
			switch {
			case errors.Is(err, errStopping):
				refuse(w, http.StatusServiceUnavailable, errStopping.Sentence())
				return
			case err != nil:
				refuse(w, http.StatusBadRequest, api.AsError(err).Sentence())
				return
			}
			// close may begin before the SDK calls serverOf, so pass on the server that was found.
			r = r.WithContext(context.WithValue(r.Context(), foundKey{}, c))
		}
		next.ServeHTTP(w, r)
	})
}

// foundKey is the context key of the server that was found for a request.
type foundKey struct{}

// serverOf returns the server of a request for the SDK. authorize has reported any error already.
func (s *serving) serverOf(r *http.Request) *mcp.Server {
	if c, ok := r.Context().Value(foundKey{}).(*Server); ok {
		return c.sdk
	}
	c, err := s.serverFor(r)
	if err != nil {
		return nil
	}
	return c.sdk
}

// parameters are the query parameters of the server's URL.
var parameters = []string{"session", "toolsets", "platform", "results", "token"}

// serverFor returns the server of a request, and prepares it if there is none. All clients with the same query (browser
// session, tools, form of results) share one.
func (s *serving) serverFor(r *http.Request) (*Server, error) {
	query := r.URL.Query()
	for name := range query {
		if !slices.Contains(parameters, name) {
			return nil, api.Errorf(api.InvalidArgument, "the query parameter %q is unknown; there are %s", name, strings.Join(parameters, ", "))
		}
	}
	name, results := query.Get("session"), Results(query.Get("results"))
	if name != "" {
		if err := verb.CheckName(name); err != nil {
			return nil, api.Errorf(api.InvalidSessionName, "the query's session: %w", err)
		}
	}
	if results != "" && !results.Valid() {
		return nil, api.Errorf(api.InvalidArgument, "the query's results is %q; it may be %v", results, Forms())
	}
	key := strings.Join([]string{name, string(results), query.Get("platform"), query.Get("toolsets")}, "\x00")
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errStopping
	}
	c := s.clients[key]
	idle := []*httpClient(nil)
	if c == nil {
		c = &httpClient{ready: make(chan struct{})}
		idle = s.removeIdle()
		s.clients[key] = c
		s.running.Go(func() { s.prepare(key, c, query) })
	}
	c.used = time.Now()
	s.mu.Unlock()
	for _, old := range idle {
		old.server.close()
	}
	select {
	case <-c.ready:
		return c.server, c.err
	case <-s.prepareContext.Done():
		return nil, errStopping
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
}

// removeIdle removes the servers that have no connection and no recent request, and returns them to be closed. The
// caller holds mu.
func (s *serving) removeIdle() (idle []*httpClient) {
	for key, c := range s.clients {
		if c.server == nil || time.Since(c.used) < idleClient {
			continue
		}
		connected := false
		for range c.server.sdk.Sessions() {
			connected = true
		}
		if !connected {
			idle = append(idle, c)
			delete(s.clients, key)
		}
	}
	return idle
}

// prepare makes the server of a client, which may start programs. A failure is removed, so that the next request tries
// again.
func (s *serving) prepare(key string, c *httpClient, query url.Values) {
	made, err := s.build(query)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prepareContext.Err() != nil {
		err = errStopping
	}
	if err != nil && s.clients[key] == c {
		delete(s.clients, key)
	}
	if err != nil && made != nil {
		made.close() // it has no connections, so this does not wait
		made = nil
	}
	c.server, c.err = made, err
	close(c.ready)
}

func (s *serving) build(query url.Values) (*Server, error) {
	base := s.base
	base.Platform = query.Get("platform")
	if names := query.Get("toolsets"); names != "" {
		base.Toolsets = strings.Split(names, ",")
	}
	opts, err := base.options(s.prepareContext)
	if err != nil {
		return nil, err
	}
	if name := query.Get("session"); name != "" {
		opts.Host.Session = name
	}
	if results := Results(query.Get("results")); results != "" {
		opts.Results = results
	}
	opts.Log, opts.CallContext = s.log, s.callContext
	return New(opts), nil
}

// sharedMounts returns the MCP servers and plugins, which all clients share.
func (s *serving) sharedMounts(conf *config.Tools) (*mounts, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errStopping
	}
	if s.mounts == nil {
		s.mounts = newMounts(conf, &s.base)
	}
	return s.mounts, nil
}

// closeGrace is how long running requests may take after the server was closed.
const closeGrace = time.Second

// close stops listening, refuses new requests, lets running ones finish within closeGrace, ends the MCP servers and
// plugins, and waits for all of it.
func (s *serving) close() error {
	s.mu.Lock()
	s.closed = true
	clients, mounts := s.clients, s.mounts
	s.clients = map[string]*httpClient{}
	s.mu.Unlock()
	s.cancelPrepare()
	end := func() {
		for _, c := range clients {
			<-c.ready
			if c.server != nil {
				c.server.close()
			}
		}
	}
	var ending sync.WaitGroup
	ending.Go(end) // event streams stay open until end is called
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	var err error
	if s.server.Shutdown(ctx) != nil { // closes the remaining connections
		err = s.server.Close()
	}
	s.cancelCalls()
	<-s.done
	if mounts != nil {
		mounts.Close() // also ends waits for a program to start
	}
	s.running.Wait()
	ending.Wait()
	end() // of clients that connected meanwhile
	return err
}
