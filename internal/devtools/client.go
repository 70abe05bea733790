package devtools

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// client is a WebSocket client. What it is to be sent waits in a queue, because events come on the goroutine of the
// browser's connection, which must not block.
type client struct {
	mu     sync.Mutex
	queue  [][]byte // guarded by mu
	size   int      // guarded by mu: bytes in the queue
	reason string   // guarded by mu: why the client is to be disconnected; empty while it is not
	paused bool     // guarded by mu: its debugger has paused the page
	target model.TargetID
	more   chan struct{} // one slot: the queue grew, or reason was set
}

// queueLimit is the largest size, in bytes, of what waits for a client; one that reads more slowly is disconnected.
const queueLimit = 64 << 20

func newClient(t model.TargetID) *client { return &client{target: t, more: make(chan struct{}, 1)} }

// serve connects the client with its target until one of them ends, or ctx.
func (c *client) serve(ctx context.Context, w http.ResponseWriter, r *http.Request, b *supervisor.Browser) {
	session, err := b.ClientSession(ctx, c.target, c.event)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer session.Detach()
	conn, err := wire.Accept(w, r)
	if err != nil {
		return // the client was told, or has gone
	}
	var writer sync.WaitGroup
	writer.Go(func() { c.write(conn) })
	for {
		msg, err := conn.Read()
		if err != nil {
			break
		}
		c.call(session, msg)
	}
	session.Detach()
	c.end("the client left")
	writer.Wait()
}

// write sends what is queued until the client is disconnected.
func (c *client) write(conn *wire.Client) {
	for range c.more {
		c.mu.Lock()
		batch, reason := c.queue, c.reason
		c.queue, c.size = nil, 0
		c.mu.Unlock()
		for _, msg := range batch {
			if conn.Write(msg) != nil {
				_ = conn.Close() // the reader ends with it
				return
			}
		}
		if reason != "" {
			conn.End(reason)
			return
		}
	}
}

// send queues a message for the client.
func (c *client) send(msg []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason != "" {
		return
	}
	if c.size += len(msg); c.size > queueLimit {
		c.queue, c.reason = nil, "the client reads too slowly"
	} else {
		c.queue = append(c.queue, msg)
	}
	c.wake()
}

// end disconnects the client after what is queued. DevTools shows the reason.
func (c *client) end(reason string) {
	quoted, err := jsonv2.Marshal(reason)
	if err == nil {
		c.send([]byte(`{"method":"Inspector.detached","params":{"reason":` + string(quoted) + `}}`))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason == "" {
		c.reason = reason
	}
	c.wake()
}

func (c *client) isPaused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paused
}

// wake wakes the writer. The caller holds mu.
func (c *client) wake() {
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// event passes an event of the client's sessions on. The last one says that the session has ended.
func (c *client) event(ev cdp.Event) {
	if ev.Method == "Target.detachedFromTarget" && ev.Params == nil {
		c.end("target_closed") // as Chromium says it
		return
	}
	if ev.Method == "Debugger.paused" || ev.Method == "Debugger.resumed" {
		c.mu.Lock()
		c.paused = ev.Method == "Debugger.paused"
		c.mu.Unlock()
	}
	msg := make([]byte, 0, len(ev.Params)+len(ev.Method)+80)
	msg = append(append(append(msg, `{"method":"`...), ev.Method...), `","params":`...)
	if len(ev.Params) == 0 {
		msg = append(msg, "{}"...)
	}
	c.send(withSession(append(msg, ev.Params...), ev.SessionID))
}

// withSession completes a message with the session id, if there is one.
func withSession(msg []byte, id string) []byte {
	if id != "" {
		msg = append(append(append(msg, `,"sessionId":"`...), id...), '"')
	}
	return append(msg, '}')
}

// Codes of errors that a client is told, of JSON-RPC 2.0 and Chromium's protocol.
const (
	codeParse     = -32700
	codeInvalid   = -32600
	codeServer    = -32000
	codeNoSession = -32001
)

// call sends a command of the client to the browser. The message is parsed completely, and only its parts are passed on, so
// that it cannot name another session than the client's.
func (c *client) call(of *supervisor.ClientSession, msg []byte) {
	var p struct {
		ID        *int64         `json:"id"`
		Method    string         `json:"method"`
		Params    jsontext.Value `json:"params"`
		SessionID string         `json:"sessionId"`
	}
	// JavaScript strings may contain unpaired surrogates.
	if err := jsonv2.Unmarshal(msg, &p, jsontext.AllowInvalidUTF8(true)); err != nil {
		c.fail(nil, "", codeParse, "Message must be a valid JSON")
		return
	}
	if p.ID == nil || !isMethod(p.Method) || p.Params != nil && p.Params.Kind() != '{' {
		c.fail(p.ID, "", codeInvalid, "Message must have an integer 'id', a 'method' and, if any, an object 'params'")
		return
	}
	session := of.Session(p.SessionID)
	if session == nil {
		c.fail(p.ID, "", codeNoSession, "Session with given id not found.")
		return
	}
	var params any
	if p.Params != nil {
		params = p.Params
	}
	session.Post(p.Method, params, func(result jsontext.Value, err error) {
		var refused *cdp.Error
		switch {
		case err == nil:
			out := make([]byte, 0, len(result)+100)
			out = append(strconv.AppendInt(append(out, `{"id":`...), *p.ID, 10), `,"result":`...)
			c.send(withSession(append(out, result...), p.SessionID))
		case errors.As(err, &refused):
			c.failed(p.ID, p.SessionID, refused)
		default:
			c.fail(p.ID, p.SessionID, codeNoSession, err.Error())
		}
	})
}

func (c *client) fail(id *int64, session string, code int64, message string) {
	c.failed(id, session, &cdp.Error{Code: code, Message: message})
}

func (c *client) failed(id *int64, session string, e *cdp.Error) {
	reason, err := jsonv2.Marshal(e)
	if err != nil {
		reason = []byte(`{"code":` + strconv.Itoa(codeServer) + `,"message":"the error has no JSON"}`)
	}
	out := []byte(`{`)
	if id != nil {
		out = append(strconv.AppendInt(append(out, `"id":`...), *id, 10), ',')
	}
	c.send(withSession(append(append(out, `"error":`...), reason...), session))
}

// isMethod reports whether a text has the form Domain.method, of letters and digits.
func isMethod(s string) bool {
	domain, name, found := strings.Cut(s, ".")
	word := func(s string) bool {
		return s != "" && strings.IndexFunc(s, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
		}) < 0
	}
	return found && word(domain) && word(name)
}
