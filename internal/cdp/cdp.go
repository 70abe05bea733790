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
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/fault"
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

	mu       sync.Mutex
	lastID   int64               // guarded by mu
	calls    map[int64]*call     // guarded by mu
	sessions map[string]*Session // guarded by mu
	outbox   [][]byte            // guarded by mu
	outReady *sync.Cond          // on mu: outbox grew or err was set
	inbox    []item              // guarded by mu
	inReady  *sync.Cond          // on mu: inbox grew or ended
	inEnd    bool                // guarded by mu: the reader is finished
	err      error               // guarded by mu: why the connection ended
	queued   map[string]int      // guarded by mu: bytes of events waiting, by session
	cut      map[string]bool     // guarded by mu: sessions over budget
	lost     map[string]bool     // guarded by mu: sessions with dropped events, reported with their next event
}

// item is one message in the inbox.
type item struct {
	env      wire.Envelope
	overflow bool
}

// New starts a connection over w with the default budget and takes ownership
// of w.
func New(w wire.Conn, h Handler) *Conn {
	return NewBudget(w, h, DefaultBudget)
}

// NewBudget is New with another byte budget per CDP session.
func NewBudget(w wire.Conn, h Handler, budget int) *Conn {
	c := &Conn{
		wire: w, handler: h, budget: budget, done: make(chan struct{}),
		calls: map[int64]*call{}, sessions: map[string]*Session{},
		queued: map[string]int{}, cut: map[string]bool{}, lost: map[string]bool{},
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

// Done is closed when the connection has ended and the handler's Closed has returned.
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
	_ = c.wire.Close() // the cause is already known; a second one adds nothing
}

func (c *Conn) read() {
	defer c.wg.Done()
	cause := c.readAll()
	if errors.Is(cause, io.EOF) {
		cause = errors.New("the browser closed it")
	}
	c.fail(cause)
	c.mu.Lock()
	c.inEnd = true
	c.inReady.Signal()
	c.mu.Unlock()
}

// readAll appends messages to the inbox until the connection ends, and returns the reason.
func (c *Conn) readAll() (cause error) {
	defer fault.Recover(func(e *fault.Error) { cause = e })
	for {
		msg, err := c.wire.Read()
		if err != nil {
			return err
		}
		env, err := wire.Peek(msg)
		if err != nil {
			return fmt.Errorf("browser sent %.80q: %w", msg, err)
		}
		c.file(env)
	}
}

// file puts a message into the inbox, within the budget of its session.
func (c *Conn) file(env wire.Envelope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := item{env: env}
	if env.Method != "" && env.SessionID != "" {
		if c.cut[env.SessionID] {
			return
		}
		n, method := c.queued[env.SessionID]+len(env.Payload), env.Method
		if method == wire.EventsLost {
			if method = lostMethod(env.Payload); !spareable(method) {
				n = c.budget + 1 // an event that the handler needs was dropped
			}
		}
		if n > c.budget && spareable(method) {
			if c.lost[env.SessionID] {
				return
			}
			c.lost[env.SessionID] = true
			it.env = wire.Envelope{SessionID: env.SessionID, Method: wire.EventsLost, Payload: []byte(`{}`)}
		} else if n > c.budget {
			c.cut[env.SessionID] = true
			delete(c.queued, env.SessionID)
			it = item{env: wire.Envelope{SessionID: env.SessionID}, overflow: true}
		} else {
			c.queued[env.SessionID] = n
		}
	}
	c.inbox = append(c.inbox, it)
	c.inReady.Signal()
}

// spareable reports whether an event can be dropped with no other loss than a record: events that a page can cause in
// any number must not detach its session, in which the browser would send them all again.
func spareable(method string) bool {
	switch method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", wire.EventsLost:
		return true
	}
	return strings.HasPrefix(method, "Network.")
}

// lostMethod is the method of the event that an EventsLost of the wire stands for.
func lostMethod(params []byte) string {
	var p struct {
		Method string `json:"method"`
	}
	if err := jsonv2.Unmarshal(params, &p); err != nil || p.Method == "" {
		return wire.EventsLost // of the connection itself
	}
	return p.Method
}

// pump delivers the inbox in order.
func (c *Conn) pump() {
	defer c.wg.Done()
	defer close(c.done)
	var batch, spare []item
	sound := true
	for {
		c.mu.Lock()
		for len(c.inbox) == 0 && !c.inEnd {
			c.inReady.Wait()
		}
		if len(c.inbox) == 0 {
			err, posted := c.err, c.calls
			c.calls = map[int64]*call{}
			c.mu.Unlock()
			for _, cl := range posted {
				c.contain(func() { cl.finish(nil, err) })
			}
			if sound {
				c.contain(c.handler.Flush)
			}
			c.contain(func() { c.handler.Closed(c.Err()) })
			return
		}
		batch, c.inbox = c.inbox, spare[:0]
		c.mu.Unlock()
		// After a panic nothing more is delivered: the handler's state may be inconsistent.
		sound = sound && c.contain(func() {
			for i := range batch {
				c.deliver(batch[i])
			}
			c.handler.Flush()
		})
		clear(batch)
		spare = batch
		if cap(spare) > 1<<14 {
			spare = nil
		}
	}
}

// contain has a panic of the handler end this connection, and no other. It reports whether there was none.
func (c *Conn) contain(do func()) (sound bool) {
	defer fault.Recover(func(e *fault.Error) { c.fail(e) })
	do()
	return true
}

func (c *Conn) deliver(it item) {
	switch {
	case it.overflow:
		c.handler.Overflow(it.env.SessionID)
		c.forget(it.env.SessionID)
		c.Browser().Post("Target.detachFromTarget", map[string]string{"sessionId": it.env.SessionID}, nil)
	case it.env.Method != "":
		c.mu.Lock()
		if n, ok := c.queued[it.env.SessionID]; ok {
			if n -= len(it.env.Payload); n <= 0 {
				delete(c.queued, it.env.SessionID)
			} else {
				c.queued[it.env.SessionID] = n
			}
		}
		dropped := c.cut[it.env.SessionID]
		if it.env.Method == wire.EventsLost {
			delete(c.lost, it.env.SessionID)
		}
		c.mu.Unlock()
		if dropped {
			return
		}
		c.handler.Event(Event{SessionID: it.env.SessionID, Method: it.env.Method, Params: it.env.Payload})
		if it.env.Method == "Target.detachedFromTarget" {
			c.detached(it.env.Payload)
		}
	default:
		c.reply(it.env)
	}
}

func (c *Conn) reply(env wire.Envelope) {
	c.mu.Lock()
	cl := c.calls[env.ID]
	delete(c.calls, env.ID)
	c.mu.Unlock()
	if cl == nil {
		return // its caller gave up
	}
	if cl.posted == nil {
		c.handler.Flush()
	}
	if !env.IsError {
		cl.finish(env.Payload, nil)
		return
	}
	e := &Error{Method: cl.method}
	if err := jsonv2.Unmarshal(env.Payload, e); err != nil {
		e.Message = string(env.Payload)
	}
	cl.finish(nil, e)
}

// detached fails the calls in flight of a session the browser let go: it never
// replies to them.
func (c *Conn) detached(params []byte) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if err := jsonv2.Unmarshal(params, &p); err == nil && p.SessionID != "" {
		c.forget(p.SessionID)
	}
}

func (c *Conn) forget(sessionID string) {
	c.mu.Lock()
	s := c.sessions[sessionID]
	delete(c.sessions, sessionID)
	delete(c.queued, sessionID)
	var gone []*call
	for id, cl := range c.calls {
		if cl.session == s && s != nil {
			gone = append(gone, cl)
			delete(c.calls, id)
		}
	}
	if s != nil {
		s.detached = true
	}
	c.mu.Unlock()
	if len(gone) > 0 {
		c.handler.Flush()
	}
	for _, cl := range gone {
		cl.finish(nil, fmt.Errorf("%s: %w", cl.method, ErrDetached))
	}
}

func (c *Conn) write() {
	defer c.wg.Done()
	defer fault.Recover(func(e *fault.Error) { c.fail(e) })
	var batch, spare [][]byte
	for {
		c.mu.Lock()
		for len(c.outbox) == 0 && c.err == nil {
			c.outReady.Wait()
		}
		if c.err != nil {
			c.mu.Unlock()
			return
		}
		batch, c.outbox = c.outbox, spare[:0]
		c.mu.Unlock()
		for i, msg := range batch {
			if err := c.wire.Write(msg); err != nil {
				c.fail(fmt.Errorf("write to the browser: %w", err))
				return
			}
			batch[i] = nil
		}
		spare = batch
	}
}

// send files a call and its message.
func (c *Conn) send(s *Session, method string, params any, posted func(jsontext.Value, error)) *call {
	cl := &call{method: method, session: s, posted: posted, done: make(chan struct{})}
	msg, err := encode(method, params, s.id)
	if err != nil {
		cl.finish(nil, err)
		return cl
	}
	c.mu.Lock()
	switch {
	case c.err != nil:
		err = fmt.Errorf("%s: %w", method, c.err)
	case s.detached:
		err = fmt.Errorf("%s: %w", method, ErrDetached)
	default:
		c.lastID++
		cl.id = c.lastID
		c.calls[cl.id] = cl
		c.outbox = append(c.outbox, msg.withID(cl.id))
		c.outReady.Signal()
	}
	c.mu.Unlock()
	if err != nil {
		cl.finish(nil, err)
	}
	return cl
}

// drop removes a call whose caller stopped waiting.
func (c *Conn) drop(id int64) {
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
}

// call is one request in flight. It is finished exactly once, by the goroutine that removes it from Conn.calls.
type call struct {
	id      int64
	method  string
	session *Session
	posted  func(jsontext.Value, error)
	done    chan struct{}
	result  jsontext.Value
	err     error
}

func (cl *call) finish(result jsontext.Value, err error) {
	cl.result, cl.err = result, err
	if cl.posted != nil {
		cl.posted(result, err)
	}
	close(cl.done)
}

func (cl *call) wait(ctx context.Context) (jsontext.Value, error) {
	select {
	case <-cl.done:
		return cl.result, cl.err
	case <-ctx.Done():
	}
	select { // a reply that is already here wins over the deadline
	case <-cl.done:
		return cl.result, cl.err
	default:
	}
	cl.session.conn.drop(cl.id)
	return nil, fmt.Errorf("%s: %w", cl.method, context.Cause(ctx))
}
