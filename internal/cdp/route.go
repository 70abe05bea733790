package cdp

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/usher-browser/usher/internal/wire"
)

// Route takes the messages of CDP sessions that belong to another client, such as Playwright: they are passed on as they are, and
// neither handler nor calls of the connection see them. Ids of commands are the client's, because the browser answers in the
// session of the command.
type Route interface {
	// Message gets an event or a reply of one of the route's sessions, on the goroutine of the reader: it must not block. It may keep
	// msg, in which env points.
	Message(msg []byte, env wire.Envelope)
	// Ended is called when the connection has ended, or a session of the route that was attached from a session of the connection.
	// It may be called more than once, and must not block.
	Ended(error)
}

// routes are the sessions of a connection that have a route.
type routes struct {
	some atomic.Int32 // how many, so that other messages cost nothing

	mu    sync.Mutex
	by    map[string]Route // guarded by mu: by session
	ended error            // guarded by mu: of the connection
}

func (r *routes) of(session string) Route {
	if r.some.Load() == 0 || session == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.by[session]
}

// end tells all routes that the connection has ended, each once.
func (r *routes) end(err error) {
	r.mu.Lock()
	told := map[Route]bool{}
	for _, route := range r.by {
		told[route] = true
	}
	r.by, r.ended = nil, err
	r.some.Store(0)
	r.mu.Unlock()
	for route := range told {
		route.Ended(err)
	}
}

// AddRoute passes all further messages of a session to a route, until RemoveRoute. The error is that of a connection that has ended.
func (c *Conn) AddRoute(session string, to Route) error {
	r := &c.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended != nil {
		return r.ended
	}
	if r.by == nil {
		r.by = map[string]Route{}
	}
	if r.by[session] == nil {
		r.some.Add(1)
	}
	r.by[session] = to
	return nil
}

// RemoveRoute ends the route of a session.
func (c *Conn) RemoveRoute(session string) {
	r := &c.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by[session] != nil {
		delete(r.by, session)
		r.some.Add(-1)
	}
}

// Write sends a message of a session with a route, in order with those of its own goroutine. It blocks while the browser does not read. The
// message must be complete and valid: see [wire.ParseCommand].
func (c *Conn) Write(msg []byte) error {
	if err := c.Err(); err != nil {
		return err
	}
	if err := c.wire.Write(msg); err != nil {
		return fmt.Errorf("write to the browser: %w", err)
	}
	return nil
}

// Post queues a message of a session with a route, behind what the connection itself is about to send. It does not block.
func (c *Conn) Post(msg []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.outbox = append(c.outbox, msg)
		c.outReady.Signal()
	}
}
