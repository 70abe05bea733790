package relay

import (
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/wire"
)

// queueLimit is the largest size, in bytes, of what waits for a client; one that reads more slowly is disconnected. A single message
// may be larger.
const queueLimit = 128 << 20

// Codes of errors that a client is told, of JSON-RPC 2.0 and Chromium's protocol.
const (
	codeParse     = -32700
	codeInvalid   = -32600
	codeNotFound  = -32601
	codeParams    = -32602
	codeServer    = -32000
	codeNoSession = -32001
)

// client is the connection of one client. Its Read and Write are the client's: Read returns what the browser sends to it.
type client struct {
	of       *Relay
	root     *session            // guarded by Relay.mu, as all that a session has
	sessions map[string]*session // guarded by Relay.mu: by id; the root has none
	files    downloads           // guarded by Relay.mu
	usher    bool                // guarded by Relay.mu: it has made the world of usher's own script

	mu    sync.Mutex
	queue [][]byte // guarded by mu
	size  int      // guarded by mu: bytes in the queue
	ended error    // guarded by mu: why nothing more comes
	more  chan struct{}
	lost  chan struct{} // closed when messages were dropped
}

func newClient(r *Relay) *client {
	c := &client{of: r, more: make(chan struct{}, 1), lost: make(chan struct{}), sessions: map[string]*session{}}
	c.root = &session{client: c, kind: ofBrowser}
	c.sessions[""] = c.root
	return c
}

// Capabilities of a browser behind an extension: the user's profile is the only browser context.
func (c *client) Capabilities() wire.Capabilities {
	return wire.Capabilities{Downloads: true, BrowserOutlives: true, Shared: true}
}

// Read returns the next message to the client.
func (c *client) Read() ([]byte, error) {
	for {
		c.mu.Lock()
		if len(c.queue) > 0 {
			msg := c.queue[0]
			c.queue[0] = nil
			if c.queue = c.queue[1:]; len(c.queue) == 0 {
				c.queue = nil
			}
			c.size -= len(msg)
			c.mu.Unlock()
			return msg, nil
		}
		err := c.ended
		c.mu.Unlock()
		if err != nil {
			return nil, err
		}
		<-c.more
	}
}

// put queues a message for the client.
func (c *client) put(msg []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return
	}
	if len(c.queue) > 0 && c.size+len(msg) > queueLimit {
		c.queue, c.size, c.ended = nil, 0, errors.New("the client reads too slowly")
		close(c.lost)
	} else {
		c.queue, c.size = append(c.queue, msg), c.size+len(msg)
	}
	c.wake()
}

// Lost is closed when messages for the client were dropped, because it does not read.
func (c *client) Lost() <-chan struct{} { return c.lost }

// wake wakes the reader. The caller holds mu.
func (c *client) wake() {
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// end ends the connection behind what is queued.
func (c *client) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		c.ended = err
	}
	c.wake()
}

// Close ends the connection and undoes what the client's sessions set in the tabs.
func (c *client) Close() error {
	r := c.of
	r.mu.Lock()
	if r.clients[c] {
		delete(r.clients, c)
		for _, s := range c.sessions {
			if s != c.root {
				r.drop(s)
			}
		}
	}
	r.unlock()
	c.end(wire.ErrClosed)
	return nil
}

// Write takes a command of the client. What is wrong with it is answered, and no error.
func (c *client) Write(msg []byte) error {
	cmd, err := wire.ParseCommand(msg)
	switch {
	case errors.Is(err, wire.ErrNotJSON):
		c.fail(cmd, codeParse, err.Error())
		return nil
	case err != nil:
		c.fail(cmd, codeInvalid, err.Error())
		return nil
	}
	r := c.of
	r.mu.Lock()
	if s := c.sessions[cmd.SessionID]; s != nil {
		r.command(s, cmd)
	} else {
		c.fail(cmd, codeNoSession, "Session with given id not found.")
	}
	r.unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil && !errors.Is(c.ended, io.EOF) {
		return c.ended
	}
	return nil
}

// fail answers a command with an error.
func (c *client) fail(cmd wire.Command, code int64, message string) {
	text := encode(&cdp.Error{Code: code, Message: message})
	if cmd.ID == 0 && cmd.Method == "" { // the message could not be read: nobody knows its id
		c.put(append(append([]byte(`{"error":`), text...), '}'))
		return
	}
	c.reply(cmd, text, true)
}

// answer answers a command with a result.
func (c *client) answer(cmd wire.Command, result any) { c.reply(cmd, encode(result), false) }

// empty is the result of most commands.
type empty struct{}

// reply answers a command with the text of a result or an error.
func (c *client) reply(cmd wire.Command, payload []byte, failed bool) {
	env := wire.Envelope{ID: cmd.ID, SessionID: cmd.SessionID, Payload: payload, IsError: failed}
	c.put(env.Append(make([]byte, 0, len(payload)+len(cmd.SessionID)+60)))
}

// pass answers a command with a reply of the extension, in the place of its message if there is room.
func (c *client) pass(cmd wire.Command, msg, payload []byte, failed bool) {
	at := len(msg) - len(payload) - 1 // the payload is the last member
	var head [40]byte
	start := append(strconv.AppendInt(append(head[:0], `{"id":`...), cmd.ID, 10), `,"result":`...)
	if failed {
		start = append(start[:len(start)-len(`,"result":`)], `,"error":`...)
	}
	end := len(cmd.SessionID) + 20
	if len(payload) < passInPlace || at < len(start) || cap(msg)-len(msg) < end || &msg[at] != &payload[0] {
		c.reply(cmd, payload, failed)
		return
	}
	msg = msg[at-len(start) : len(msg)-1]
	copy(msg, start)
	if cmd.SessionID != "" {
		msg = append(append(append(msg, `,"sessionId":"`...), cmd.SessionID...), '"')
	}
	c.put(append(msg, '}'))
}

// passInPlace is the size, in bytes, from which a copy of a payload costs more than looking for room.
const passInPlace = 64 << 10

// event sends an event in a session.
func (c *client) event(session, method string, params []byte) {
	env := wire.Envelope{Method: method, SessionID: session, Payload: params}
	c.put(env.Append(make([]byte, 0, len(params)+len(method)+len(session)+60)))
}
