package cdp

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/wire"
)

// Direct is a call that can do without the goroutines of the connection: its message is written by its caller where that needs no
// waiting, and its reply is offered to Reply by the goroutine that reads the connection.
type Direct struct {
	// Reply gets the result, while the handler has all events that came before it. It returns false to leave the reply to the usual
	// way. It must not block. It is not called for errors, and not while events wait for the handler.
	Reply func(result jsontext.Value) bool
	// Ended is called when the call has ended in any other way: its [Pending] has the result or the error. It must not block.
	Ended func()
}

// StartDirect sends a command with encoded parameters. Either Reply takes the reply, or Ended is called, once.
func StartDirect[R any](s *Session, method string, params jsontext.Value, d *Direct) *Pending[R] {
	cl := &call{method: method, session: s, direct: d, done: make(chan struct{})}
	s.conn.start(cl, params)
	return &Pending[R]{cl}
}

// tryWrite writes a message if nothing waits to be written and the browser takes it at once. The caller holds mu, so that messages
// keep their order.
func (c *Conn) tryWrite(msg []byte) bool {
	t, ok := c.wire.(wire.Trier)
	return ok && !c.writing && len(c.outbox) == 0 && t.TryWrite(msg)
}

// deliverDirect passes the reply of a direct call on, unless events wait that came before it.
func (c *Conn) deliverDirect(env *wire.Envelope) bool {
	if env.IsError {
		return false
	}
	c.mu.Lock()
	cl := c.calls[env.ID]
	if cl == nil || cl.direct == nil || c.delivering || len(c.inbox) > 0 {
		c.mu.Unlock()
		return false
	}
	delete(c.calls, env.ID) // so that nobody else finishes it
	c.mu.Unlock()
	if cl.direct.Reply(env.Payload) {
		return true
	}
	c.mu.Lock()
	c.calls[env.ID] = cl // for the pump, in order
	c.mu.Unlock()
	return false
}
