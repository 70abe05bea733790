// Package cdp implements one connection to a browser: calls with replies, flat CDP sessions, and one ordered stream of
// events.
//
//	     caller goroutines                     the handler (one consumer)
//	Call / Start / Post |                              ^  events and posted
//	                    v                              |  replies, in order
//	+---------+   +-----------+   frames   +--------+  |
//	| writer  |<--|  outbox   |            | reader |--+--> inbox --> pump
//	+---------+   +-----------+            +--------+        (byte budget)
//	     |                                      ^
//	     +---------------> wire.Conn <----------+
//
// A connection has three goroutines. The reader takes a message, peeks at its envelope and appends it to the inbox; it
// decodes no payload and does not block. The pump takes the inbox in order of arrival: an event goes to the handler, a
// reply completes its call. So when a call returns, the handler has received every event that arrived before the reply.
// The writer isolates callers from a browser that does not read.
package cdp

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/usher-browser/usher/internal/wire"
)

// ErrClosed is wrapped by the error of every call on a connection that ended, for any reason.
var ErrClosed = errors.New("connection to the browser is closed")

// ErrDetached is wrapped by the error of a call in flight on a CDP session that
// was detached: its tab, frame or worker is gone or moved to another process.
var ErrDetached = errors.New("CDP session is detached")

// Error is the error response of the browser to a call.
type Error struct {
	Method  string `json:"-"`
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitzero"`
}

// CodeUserRefused is the code of an error for what the settings of the user whose browser it is do not allow. Only usher's relay sends it.
const CodeUserRefused = -32010

func (e *Error) Error() string {
	if e.Data != "" {
		return fmt.Sprintf("%s: %s (%s)", e.Method, e.Message, e.Data)
	}
	return fmt.Sprintf("%s: %s", e.Method, e.Message)
}

// Event is an event of the browser.
type Event struct {
	SessionID string // CDP session; empty for the browser itself
	Method    string
	Params    []byte // raw JSON; the receiver may keep it
}

// Handler receives all events in order on one goroutine. Its methods must return quickly and must not wait for a call:
// the replies come after them.
type Handler interface {
	// Event is called for each event.
	Event(Event)
	// Flush is called before replies are passed to their callers and whenever the inbox is empty: the moment to publish
	// what the events changed.
	Flush()
	// Overflow is called when the events of a CDP session were dropped because they exceeded the byte budget; the
	// session is detached.
	Overflow(sessionID string)
	// Closed is called once, last, with the cause.
	Closed(error)
}

// DefaultBudget is the largest size, in bytes, of the undelivered events of one CDP session; beyond it, they are
// dropped. The handler normally keeps the inbox empty; 64 MiB is about 100,000 network events.
const DefaultBudget = 64 << 20

// Conn is one connection. Its methods may be called from any goroutine.
type Conn struct {
	wire    wire.Conn
	handler Handler
	budget  int
	done    chan struct{} // closed when the pump has delivered everything
	wg      sync.WaitGroup

	mu         sync.Mutex
	lastID     int64               // guarded by mu
	calls      map[int64]*call     // guarded by mu
	sessions   map[string]*Session // guarded by mu
	outbox     [][]byte            // guarded by mu
	outReady   *sync.Cond          // on mu: outbox grew or err was set
	inbox      []item              // guarded by mu
	inReady    *sync.Cond          // on mu: inbox grew or ended
	delivering bool                // guarded by mu: the pump is working on what it took of inbox
	writing    bool                // guarded by mu: the writer is working on what it took of outbox
	inEnd      bool                // guarded by mu: the reader is finished
	err        error               // guarded by mu: why the connection ended
	queued     map[string]int      // guarded by mu: bytes of events waiting, by session
	overBudget map[string]bool     // guarded by mu: sessions over budget
	lost       map[string]bool     // guarded by mu: sessions with dropped events, reported with their next event

	routes routes

	ended   atomic.Uint64 // how many calls have ended
	trimmer wire.Trimmer
}

// New starts a connection over w with the default budget and takes ownership
// of w.
func New(w wire.Conn, h Handler) *Conn {
	return NewWithBudget(w, h, DefaultBudget)
}

// NewWithBudget is New with another byte budget per CDP session.
func NewWithBudget(w wire.Conn, h Handler, budget int) *Conn {
	c := &Conn{
		wire: w, handler: h, budget: budget, done: make(chan struct{}),
		calls: map[int64]*call{}, sessions: map[string]*Session{},
		queued: map[string]int{}, overBudget: map[string]bool{}, lost: map[string]bool{},
	}
	c.outReady, c.inReady = sync.NewCond(&c.mu), sync.NewCond(&c.mu)
	c.wg.Add(3)
	go c.read()
	go c.write()
	go c.pump()
	return c
}

// Browser returns the session of the browser itself.
func (c *Conn) Browser() *Session { return c.Session("") }

// Session returns the flat CDP session with that id. Calls on an unknown id fail with the browser's error.
func (c *Conn) Session(id string) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[id]
	if s == nil {
		s = &Session{conn: c, id: id}
		c.sessions[id] = s
	}
	return s
}

// Capabilities say what can be done over the connection.
func (c *Conn) Capabilities() wire.Capabilities { return c.wire.Capabilities() }

// Done is closed after the connection has ended and the handler's Closed was called.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns the reason why the connection ended, nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection, fails every call in flight at once with ErrClosed and waits for the connection's
// goroutines. It must not be called by the handler.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	c.wg.Wait()
	return nil
}

// Abort ends the connection for a reason without waiting, such as one that has gone
// silent.
func (c *Conn) Abort(cause error) { c.fail(cause) }

// fail records the first cause of the end and sets everything free.
func (c *Conn) fail(cause error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	if errors.Is(cause, ErrClosed) {
		c.err = cause
	} else {
		c.err = fmt.Errorf("%w: %w", ErrClosed, cause)
	}
	var waiting []*call
	for id, cl := range c.calls {
		if cl.posted == nil { // posted ones belong to the pump
			waiting = append(waiting, cl)
			delete(c.calls, id)
		}
	}
	err := c.err
	c.outReady.Broadcast()
	c.mu.Unlock()
	for _, cl := range waiting {
		cl.finish(nil, err)
	}
	c.routes.end(err)
	_ = c.wire.Close() // the cause is already known; a second one adds nothing
}
