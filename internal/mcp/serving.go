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
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/netutil"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/verb"
)

// serving is HTTP from the moment it listens to the moment it does not. Goroutines: the listener's, one per connection, one per
// client that is being prepared; close waits for all.
type serving struct {
	address, token string
	base           Process // what servers of clients are made with
	log            *slog.Logger
	server         *http.Server
	done           chan struct{} // closed when the listener has ended

	life context.Context // of what is prepared; ends when close begins
	end  context.CancelFunc
	work context.Context // of requests and calls; ends when the grace is over
	cut  context.CancelFunc

	mu      sync.Mutex
	closed  bool                   // guarded by mu: nothing begins any more
	clients map[string]*httpClient // guarded by mu: by browser session and form
	mounts  *mounts                // guarded by mu: nil until there is a client
	busy    sync.WaitGroup         // requests, and clients that are being prepared; added to under mu while not closed
}

// httpClient is the server of the clients that ask for the same. The first to ask has it prepared, the others wait for that.
type httpClient struct {
	ready  chan struct{} // closed when the rest is set
	server *Server
	err    error
	used   time.Time // guarded by serving.mu
}

func newServing(address, token string, log *slog.Logger) *serving {
	s := &serving{address: address, token: token, log: log, done: make(chan struct{}), clients: map[string]*httpClient{}}
	s.life, s.end = context.WithCancel(context.Background())
	s.work, s.cut = context.WithCancel(context.Background())
	return s
}

// maxConnections is how many connections there are at once: any user of the machine may open some, before anybody is asked
// for the token, and each takes a file descriptor from the browsers and the other sessions.
const maxConnections = 256

// begin answers what comes to the listener.
func (s *serving) begin(listener net.Listener) {
	sdk := mcp.NewStreamableHTTPHandler(s.serverOf, &mcp.StreamableHTTPOptions{
		Logger: s.log, SessionTimeout: idleClient, DisableLocalhostProtection: true, // ours says what to do
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.guarded(sdk))
	s.server = &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return s.work },
	}
	listener = netutil.LimitListener(listener, maxConnections)
	go func() {
		defer close(s.done)
		if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("serve agents", "error", err)
		}
	}()
}

// enter counts a request, unless the end has begun.
func (s *serving) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.busy.Add(1)
	}
	return !s.closed
}

// errEnding is what a request is told that comes while the end is under way.
var errEnding = api.Errorf(api.DaemonStopping, "usher stops serving agents at this address").WithHint("`usher mcp http` serves them again.")

// guarded lets through who knows the token, calls this address by its name, and is no
// page of another site.
func (s *serving) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			refuse(w, http.StatusServiceUnavailable, errEnding.Sentence())
			return
		}
		defer s.busy.Done()
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
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") { // RFC 9110: in any case of letters
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
		if r.Method == http.MethodPost { // only those may begin something
			c, err := s.find(r)
			switch {
			case errors.Is(err, errEnding):
				refuse(w, http.StatusServiceUnavailable, errEnding.Sentence())
				return
			case err != nil:
				refuse(w, http.StatusBadRequest, api.AsError(err).Sentence())
				return
			}
			// The end may begin before the SDK asks: what was found now counts.
			r = r.WithContext(context.WithValue(r.Context(), foundKey{}, c))
		}
		next.ServeHTTP(w, r)
	})
}

// foundKey is the key of the server that was found for a request.
type foundKey struct{}

// serverOf is find for the SDK. What may be wrong with a request was told before.
func (s *serving) serverOf(r *http.Request) *mcp.Server {
	if c, ok := r.Context().Value(foundKey{}).(*Server); ok {
		return c.sdk
	}
	c, err := s.find(r)
	if err != nil {
		return nil
	}
	return c.sdk
}

// find is the server for a request: one for each browser session, named by the query's
// session, which all its clients share.
func (s *serving) find(r *http.Request) (*Server, error) {
	query := r.URL.Query()
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
		return nil, errEnding
	}
	c := s.clients[key]
	idle := []*httpClient(nil)
	if c == nil {
		c = &httpClient{ready: make(chan struct{})}
		idle = s.forgetIdle()
		s.clients[key] = c
		s.busy.Go(func() { s.prepare(key, c, query) })
	}
	c.used = time.Now()
	s.mu.Unlock()
	for _, old := range idle {
		old.server.close()
	}
	select {
	case <-c.ready:
		return c.server, c.err
	case <-s.life.Done():
		return nil, errEnding
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
}

// forgetIdle takes out what nobody is connected to any more or has asked for lately, to be closed. It needs mu.
func (s *serving) forgetIdle() (idle []*httpClient) {
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

// prepare makes the server of a client, for which programs may have to be started. A failure is not kept: the next request
// tries again.
func (s *serving) prepare(key string, c *httpClient, query url.Values) {
	made, err := s.build(query)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		err = errEnding
	}
	if err != nil && s.clients[key] == c {
		delete(s.clients, key)
	}
	if err != nil && made != nil {
		made.close() // nobody is connected to it: this does not wait
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
	opts, err := base.options(s.life)
	if err != nil {
		return nil, err
	}
	if name := query.Get("session"); name != "" {
		opts.Host.Session = name
	}
	if results := Results(query.Get("results")); results != "" {
		opts.Results = results
	}
	opts.Log, opts.Life = s.log, s.work
	return New(opts), nil
}

// group is the MCP servers and plugins, the same for all clients.
func (s *serving) group(conf *config.Tools) (*mounts, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errEnding
	}
	if s.mounts == nil {
		s.mounts = mounted(conf, &s.base)
	}
	return s.mounts, nil
}

// closeGrace is how long requests under way may take when the server stops.
const closeGrace = time.Second

// close stops listening and waits until nothing is left of it: requests under way are given a moment, what comes meanwhile is
// refused, and every program is ended.
func (s *serving) close() error {
	s.mu.Lock()
	s.closed = true
	clients, mounts := s.clients, s.mounts
	s.clients = map[string]*httpClient{}
	s.mu.Unlock()
	s.end()
	end := func() {
		for _, c := range clients {
			<-c.ready
			if c.server != nil {
				c.server.close()
			}
		}
	}
	var ending sync.WaitGroup
	ending.Go(end) // streams stay open until then
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	var err error
	if s.server.Shutdown(ctx) != nil { // what stays open is cut
		err = s.server.Close()
	}
	s.cut()
	<-s.done
	if mounts != nil {
		mounts.Close() // also ends what waits for a program to start
	}
	s.busy.Wait()
	ending.Wait()
	end() // of those that connected meanwhile
	return err
}
