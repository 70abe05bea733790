package endpoint

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/wire"
)

// maxConnections bounds open connections: any program of this machine can connect before its token is checked.
const maxConnections = 64

// Server serves a Handler on 127.0.0.1. Goroutines: the listener's, one per connection, one more per client, and one that waits for the
// end. Close waits for all.
type Server struct {
	handler *Handler
	host    string // 127.0.0.1:PORT
	server  *http.Server
	wg      sync.WaitGroup
	closing sync.Once
	closed  chan struct{}
}

// Serve begins to serve on a port, 0 for a free one, until Close, or until ended is closed.
func Serve(ended <-chan struct{}, o Options, port int) (*Server, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("serve CDP clients: %w", err)
	}
	s := &Server{handler: New(o), host: listener.Addr().String(), closed: make(chan struct{})}
	s.server = &http.Server{Handler: s.handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	s.wg.Go(func() { _ = s.server.Serve(wire.Limit(listener, maxConnections)) }) // ErrServerClosed, after Close
	s.wg.Go(func() {
		select {
		case <-ended:
			s.end()
		case <-s.closed:
		}
	})
	return s, nil
}

// URL is the address of CDP with the browser; it has the token.
func (s *Server) URL() string { return s.handler.URL(s.host) }

// Clients returns how many clients are connected.
func (s *Server) Clients() int { return s.handler.Clients() }

// SetMode sets how many clients may be connected. Those that are stay.
func (s *Server) SetMode(mode string) { s.handler.SetMode(mode) }

// Closed reports whether the server has ended.
func (s *Server) Closed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// Close stops listening, disconnects the clients and waits for them.
func (s *Server) Close() {
	s.end()
	s.wg.Wait()
}

func (s *Server) end() {
	s.closing.Do(func() {
		close(s.closed)
		_ = s.server.Close() // of listeners and connections that end anyway
		s.handler.Close()
	})
}
