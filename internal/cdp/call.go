package cdp

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/fault"
)

// write is the goroutine of the writer.
func (c *Conn) write() {
	defer c.wg.Done()
	defer fault.Recover(func(e *fault.Error) { c.fail(e) })
	var batch, spare [][]byte
	for {
		c.mu.Lock()
		c.writing = false
		for len(c.outbox) == 0 && c.err == nil {
			c.outReady.Wait()
		}
		if c.err != nil {
			c.mu.Unlock()
			return
		}
		batch, c.outbox = c.outbox, spare[:0]
		c.writing = true
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

// send registers a call and queues its message.
func (c *Conn) send(s *Session, method string, params any, posted func(jsontext.Value, error)) *call {
	cl := &call{method: method, session: s, posted: posted, done: make(chan struct{})}
	c.start(cl, params)
	return cl
}

// start registers a call and queues its message, or writes it at once for one that is direct.
func (c *Conn) start(cl *call, params any) {
	s, method := cl.session, cl.method
	msg, err := encode(method, params, s.id)
	if err != nil {
		cl.finish(nil, err)
		return
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
		if text := msg.withID(cl.id); cl.direct == nil || !c.tryWrite(text) {
			c.outbox = append(c.outbox, text)
			c.outReady.Signal()
		}
	}
	c.mu.Unlock()
	if err != nil {
		cl.finish(nil, err)
	}
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
	direct  *Direct
	done    chan struct{}
	result  jsontext.Value
	err     error

	position uint64 // of the end among those of the connection
}

func (cl *call) finish(result jsontext.Value, err error) {
	cl.result, cl.err, cl.position = result, err, cl.session.conn.ended.Add(1)
	if cl.posted != nil {
		cl.posted(result, err)
	}
	close(cl.done)
	if cl.direct != nil {
		cl.direct.Ended()
	}
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
