package relay

import (
	"errors"
	"io"
	"maps"
	"strconv"

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
	*wire.Queue
	of       *Relay
	root     *session            // guarded by Relay.mu, as all that a session has
	sessions map[string]*session // guarded by Relay.mu: by id; the root has none
	files    downloads           // guarded by Relay.mu
	own      bool                // guarded by Relay.mu: it is usher itself
	usher    bool                // guarded by Relay.mu: it has made the world of usher's own script
}

func newClient(r *Relay) *client {
	c := &client{Queue: wire.NewQueue(queueLimit), of: r, sessions: map[string]*session{}}
	c.root = &session{client: c, kind: ofBrowser}
	c.sessions[""] = c.root
	return c
}

// Capabilities of a browser behind an extension: the user's profile is the only browser context.
func (c *client) Capabilities() wire.Capabilities {
	return wire.Capabilities{Downloads: true, BrowserOutlives: true, Shared: true, Untrusted: true}
}

// Close ends the connection and undoes what the client's sessions set in the tabs.
func (c *client) Close() error {
	r := c.of
	r.mu.Lock()
	if r.clients[c] {
		delete(r.clients, c)
		maps.DeleteFunc(r.owners, func(_ string, owner *client) bool { return owner == c })
		for _, s := range c.sessions {
			if s != c.root {
				r.drop(s)
			}
		}
	}
	r.unlock()
	c.End(wire.ErrClosed)
	return nil
}

// Write takes a command of the client. What is wrong with it is answered, and no error.
func (c *client) Write(msg []byte) error { return c.write(msg, (*Relay).unlock) }

// WriteMore is Write of a command that another one follows at once: the extension gets them together.
func (c *client) WriteMore(msg []byte) error {
	return c.write(msg, func(r *Relay) { r.mu.Unlock() })
}

func (c *client) write(msg []byte, unlock func(*Relay)) error {
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
	unlock(r)
	if ended := c.Err(); ended != nil && !errors.Is(ended, io.EOF) {
		return ended
	}
	return nil
}

// fail answers a command with an error.
func (c *client) fail(cmd wire.Command, code int64, message string) {
	text := encode(&cdp.Error{Code: code, Message: message})
	if cmd.ID == 0 && cmd.Method == "" { // the message could not be read: nobody knows its id
		c.Put(append(append([]byte(`{"error":`), text...), '}'))
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
	c.Put(env.Append(make([]byte, 0, len(payload)+len(cmd.SessionID)+60)))
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
	c.Put(append(msg, '}'))
}

// passInPlace is the size, in bytes, from which a copy of a payload costs more than looking for room.
const passInPlace = 64 << 10

// event sends an event in a session.
func (c *client) event(session, method string, params []byte) {
	env := wire.Envelope{Method: method, SessionID: session, Payload: params}
	c.Put(env.Append(make([]byte, 0, len(params)+len(method)+len(session)+60)))
}
