package cdp

import (
	"errors"
	"fmt"
	"io"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/wire"
)

// item is one message in the inbox.
type item struct {
	env      wire.Envelope
	overflow bool
}

// read is the goroutine of the reader.
func (c *Conn) read() {
	defer c.wg.Done()
	cause := c.readAll()
	c.trimmer.Stop()
	if errors.Is(cause, io.EOF) {
		cause = errors.New("the browser closed it")
	}
	c.fail(cause)
	c.mu.Lock()
	c.inEnd = true
	c.inReady.Signal()
	c.mu.Unlock()
}

// readAll files what comes until the connection ends, and says why it did.
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
		if !c.routes.take(msg, env) && (env.Method != "" || !c.deliverDirect(&env)) {
			c.enqueue(env)
		}
		c.trimmer.Note(len(msg))
	}
}

// enqueue puts a message into the inbox, within the budget of its session.
func (c *Conn) enqueue(env wire.Envelope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := item{env: env}
	if env.Method != "" && env.SessionID != "" {
		if c.overBudget[env.SessionID] {
			return
		}
		n, method := c.queued[env.SessionID]+len(env.Payload), env.Method
		if method == wire.EventsLost {
			if method = lostMethod(env.Payload); !droppable(method) {
				n = c.budget + 1 // what the handler has to know was lost
			}
		}
		if n > c.budget && droppable(method) {
			if c.lost[env.SessionID] {
				return
			}
			c.lost[env.SessionID] = true
			it.env = wire.Envelope{SessionID: env.SessionID, Method: wire.EventsLost, Payload: []byte(`{}`)}
		} else if n > c.budget {
			c.overBudget[env.SessionID] = true
			delete(c.queued, env.SessionID)
			it = item{env: wire.Envelope{SessionID: env.SessionID}, overflow: true}
		} else {
			c.queued[env.SessionID] = n
		}
	}
	c.inbox = append(c.inbox, it)
	c.inReady.Signal()
}

// droppable reports whether an event only adds a record to the journal: what a page writes in any amount it likes
// must not cost the page its session, in which the browser would say it all again.
func droppable(method string) bool {
	switch method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", wire.EventsLost:
		return true
	}
	return strings.HasPrefix(method, "Network.")
}

// lostMethod returns the method of the event that an EventsLost of the wire stands for.
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
		c.delivering = false
		for len(c.inbox) == 0 && !c.inEnd {
			c.inReady.Wait()
		}
		if len(c.inbox) == 0 {
			err, posted := c.err, c.calls
			c.calls = map[int64]*call{}
			c.mu.Unlock()
			for _, cl := range posted {
				c.recovered(func() { cl.finish(nil, err) })
			}
			if sound {
				c.recovered(c.handler.Flush)
			}
			c.recovered(func() { c.handler.Closed(c.Err()) })
			return
		}
		batch, c.inbox = c.inbox, spare[:0]
		c.delivering = true
		c.mu.Unlock()
		// After a panic nothing more is delivered: the handler may know half of what came.
		sound = sound && c.recovered(func() {
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

// recovered runs do and reports whether it did not panic. A panic ends this connection, and no other.
func (c *Conn) recovered(do func()) (sound bool) {
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
		dropped := c.overBudget[it.env.SessionID]
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
		if r := c.routes.of(p.SessionID); r != nil {
			r.Ended(ErrDetached)
		}
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
