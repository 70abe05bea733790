package cdp

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/usher-browser/usher/internal/wire"
)

// Route takes the messages of CDP sessions that belong to another client, such as Playwright: they are passed on as they are, and
// neither handler nor calls of the connection see them.
//
// Commands get ids of the connection on their way to the browser, and replies those of the client again. For Chromium answers a command
// in a session that has just ended without the session's id (measured on Chromium 156): a client's id there could be that of a call of ours.
type Route interface {
	// Message gets an event or a reply of one of the route's sessions, on the goroutine of the reader: it must not block. It may keep
	// msg, in which env points. A reply has the id of the command that was given to [Conn.Forward].
	Message(msg []byte, env wire.Envelope)
	// Ended is called when the connection has ended, or a session of the route that was attached from a session of the connection.
	// It may be called more than once, and must not block.
	Ended(error)
}

// routes are the sessions of a connection that have a route.
type routes struct {
	some atomic.Int32 // how many, so that other messages cost nothing

	mu    sync.Mutex
	by    map[string]Route    // guarded by mu: by session
	sent  map[int64]forwarded // guarded by mu: commands without a reply, by the id that the browser knows
	last  int64               // guarded by mu: the id of the last of them
	ended error               // guarded by mu: of the connection
}

// forwarded is a command of a route that was sent.
type forwarded struct {
	to      Route
	session string
	id      int64 // the client's
}

// Ids of forwarded commands have ten digits, so that the client's, which has no more, can be written in their place. Chromium's are 32-bit integers.
const (
	firstForwarded = 1_000_000_000
	lastForwarded  = 1<<31 - 2
	// unansweredID is the id of commands whose reply nobody waits for.
	unansweredID = 1<<31 - 1
)

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
	r.by, r.sent, r.ended = nil, nil, err
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

// RemoveRoute ends the route of a session. Replies to its commands that come later are dropped.
func (c *Conn) RemoveRoute(session string) {
	r := &c.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by[session] != nil {
		delete(r.by, session)
		r.some.Add(-1)
		maps.DeleteFunc(r.sent, func(_ int64, f forwarded) bool { return f.session == session })
	}
}

// Forward sends a command of a session with a route, in order with others of its goroutine. It blocks while the browser does not
// read. The command must come from [wire.ParseCommand], or be as sound. The error is that of a connection that has ended.
func (c *Conn) Forward(to Route, cmd wire.Command) error {
	if err := c.Err(); err != nil {
		return err
	}
	id, err := c.routes.sending(forwarded{to, cmd.SessionID, cmd.ID})
	if err != nil {
		return err
	}
	cmd.ID = id
	if err := c.wire.Write(cmd.Append(make([]byte, 0, len(cmd.Params)+len(cmd.Method)+100))); err != nil {
		return fmt.Errorf("write to the browser: %w", err)
	}
	return nil
}

// sending registers a command that is about to be sent, and returns its id.
func (r *routes) sending(f forwarded) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended != nil {
		return 0, r.ended
	}
	if r.sent == nil {
		r.sent, r.last = map[int64]forwarded{}, firstForwarded-1
	}
	for {
		if r.last++; r.last > lastForwarded {
			r.last = firstForwarded
		}
		if _, taken := r.sent[r.last]; !taken {
			r.sent[r.last] = f
			return r.last, nil
		}
	}
}

// take delivers a message that belongs to a route, and reports whether it did.
func (r *routes) take(msg []byte, env wire.Envelope) bool {
	if env.Method == "" && env.ID >= firstForwarded {
		r.mu.Lock()
		f, ok := r.sent[env.ID]
		delete(r.sent, env.ID)
		r.mu.Unlock()
		if ok {
			msg = renumber(msg, env, f.id)
			env.ID = f.id
			if env.SessionID == "" && f.session != "" {
				env.SessionID = f.session // of a session that has ended meanwhile
				msg = env.Append(nil)
			}
			f.to.Message(msg, env)
		}
		return true
	}
	to := r.of(env.SessionID)
	if to == nil {
		return false
	}
	if env.Method != "" {
		to.Message(msg, env)
	}
	return true
}

// idMember begins a message of Chromium that is a reply.
const idMember = `{"id":`

// renumber returns a reply with another id, which has no more digits. It changes msg in place: 20 MB take 2 ms to copy.
func renumber(msg []byte, env wire.Envelope, id int64) []byte {
	was, now := strconv.FormatInt(env.ID, 10), strconv.FormatInt(id, 10)
	if !bytes.HasPrefix(msg, []byte(idMember+was)) || len(now) > len(was) {
		env.ID = id
		return env.Append(nil)
	}
	msg = msg[len(was)-len(now):]
	copy(msg, idMember+now)
	return msg
}

// Post queues a command of a session with a route, behind what the connection itself is about to send. It does not block, and nobody
// gets the reply.
func (c *Conn) Post(cmd wire.Command) {
	cmd.ID = unansweredID
	msg := cmd.Append(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.outbox = append(c.outbox, msg)
		c.outReady.Signal()
	}
}
