package join

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// queueLimit is the largest size, in bytes, of what waits for a client; one that reads more slowly is disconnected. A single message
// may be larger.
const queueLimit = 128 << 20

// client is the connection of one client. Its Read and Write are the client's: Read returns what the browser sends to it.
type client struct {
	of   *Browser
	out  *supervisor.Outside
	tail []byte // how messages of the client's session end: ,"sessionId":"…"}

	mu        sync.Mutex
	queue     [][]byte // guarded by mu
	size      int      // guarded by mu: bytes in the queue
	ended     error    // guarded by mu: why nothing more comes
	more      chan struct{}
	lost      chan struct{}                // closed when messages were dropped
	sessions  map[string]bool              // guarded by mu: the CDP sessions below the client's own
	targets   map[string]bool              // guarded by mu: ids of the targets that the client has been told of
	hidden    map[string]bool              // guarded by mu: ids of targets that do not exist for it
	contexts  map[string]bool              // guarded by mu: browser contexts that it made
	expected  map[call]func(wire.Envelope) // guarded by mu: replies to look at before they are passed on
	closed    bool                         // guarded by mu: Close was called
	downloads downloads
	copying   sync.WaitGroup // files of downloads
}

// call identifies a command of the client: ids count per session.
type call struct {
	session string
	id      int64
}

func newClient(b *Browser) *client {
	return &client{
		of: b, more: make(chan struct{}, 1), lost: make(chan struct{}), sessions: map[string]bool{}, targets: map[string]bool{}, hidden: map[string]bool{}, contexts: map[string]bool{},
		expected: map[call]func(wire.Envelope){},
	}
}

// begin sets the client's session. No message of it comes before the first command.
func (c *client) begin(out *supervisor.Outside) {
	c.out, c.tail = out, []byte(`,"sessionId":"`+out.ID+`"}`)
}

// Capabilities are those of Chromium's own debugging port.
func (c *client) Capabilities() wire.Capabilities {
	return wire.Capabilities{Contexts: true, Downloads: true, BrowserOutlives: true}
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

// Ended is called when the client's session or the connection to the browser has ended.
func (c *client) Ended(err error) {
	if errors.Is(err, cdp.ErrDetached) {
		err = io.EOF
	}
	c.end(err)
}

// Close ends the client's session; Chromium ends those below it, and the browser contexts that it made.
func (c *client) Close() error {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	made := c.contexts
	sessions := c.sessions
	c.contexts, c.sessions = nil, map[string]bool{}
	c.mu.Unlock()
	if again {
		return nil
	}
	for id := range sessions {
		c.out.Conn.RemoveRoute(id)
	}
	for id := range made {
		c.out.Conn.Browser().Post("Target.disposeBrowserContext", map[string]string{"browserContextId": id}, nil)
	}
	c.out.Detach()
	c.end(wire.ErrClosed)
	c.copying.Wait()
	return nil
}

// Message passes an event or a reply of the browser on. It is called on the goroutine of the connection's reader.
func (c *client) Message(msg []byte, env wire.Envelope) {
	switch {
	case env.Method == "":
		if !c.replied(env) {
			return
		}
	case strings.HasPrefix(env.Method, "Target."):
		if !c.targetEvent(env) {
			return
		}
	}
	if env.Method == "Browser.downloadWillBegin" || env.Method == "Browser.downloadProgress" {
		c.download(msg, env)
		return
	}
	c.pass(msg, env)
}

// pass queues a message of the browser for the client.
func (c *client) pass(msg []byte, env wire.Envelope) {
	if env.SessionID == c.out.ID {
		if cut, ok := bytes.CutSuffix(msg, c.tail); ok {
			msg = append(cut, '}') // in place: cut is a part of msg
		} else {
			env.SessionID = ""
			msg = env.Append(nil)
		}
	}
	c.put(msg)
}

// letGoID is the id of the commands with which usher lets go of a target in a session of the client. Clients cannot use it.
const letGoID = 1<<31 - 1

// replied looks at a reply, and reports whether it is the client's.
func (c *client) replied(env wire.Envelope) bool {
	if env.ID == letGoID {
		return false
	}
	c.mu.Lock()
	var look func(wire.Envelope)
	if len(c.expected) > 0 {
		at := call{env.SessionID, env.ID}
		look = c.expected[at]
		delete(c.expected, at)
	}
	c.mu.Unlock()
	if look != nil {
		look(env)
	}
	return true
}

// expect has look called with the reply to a command.
func (c *client) expect(session string, id int64, look func(wire.Envelope)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expected[call{session, id}] = look
}

// info is the part of a TargetInfo that says whose a target is.
type info struct {
	TargetID string `json:"targetId"`
	Type     string `json:"type"`
	URL      string `json:"url"`
	Context  string `json:"browserContextId"`
}

// owns reports whether a target belongs to the client's part of the browser.
func (c *client) owns(t info) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ownsLocked(t)
}

func (c *client) ownsLocked(t info) bool {
	if t.Type == "browser" || t.Type == "" {
		return true
	}
	if c.hidden[t.TargetID] {
		return false
	}
	if !c.inside(t.Context) || c.of.browser.IsOwnPage(model.TargetID(t.TargetID), t.URL) {
		c.hidden[t.TargetID] = true
		return false
	}
	return true
}

// inside reports whether a browser context is the session's, or one that the client made. The caller holds mu.
func (c *client) inside(context string) bool {
	return context == string(c.of.context) || c.of.context == "" || c.contexts[context]
}

// targetEvent looks at an event of the domain Target, and reports whether it is for the client.
func (c *client) targetEvent(env wire.Envelope) bool {
	var p struct {
		SessionID string `json:"sessionId"`
		TargetID  string `json:"targetId"`
		Info      info   `json:"targetInfo"`
		Waiting   bool   `json:"waitingForDebugger"`
	}
	if json.Unmarshal(env.Payload, &p) != nil {
		return false
	}
	switch env.Method {
	case "Target.attachedToTarget":
		if env.SessionID == c.out.ID && !c.owns(p.Info) { // what is attached below a session of the client's is the client's
			c.letGo(env.SessionID, p.SessionID, p.Waiting)
			return false
		}
		c.mu.Lock()
		closed := c.closed
		if !closed {
			c.sessions[p.SessionID] = true
		}
		c.mu.Unlock()
		return !closed && c.out.Conn.AddRoute(p.SessionID, c) == nil
	case "Target.detachedFromTarget":
		c.mu.Lock()
		known := c.sessions[p.SessionID]
		delete(c.sessions, p.SessionID)
		c.mu.Unlock()
		c.out.Conn.RemoveRoute(p.SessionID)
		return known
	case "Target.targetCreated", "Target.targetInfoChanged":
		own := c.owns(p.Info)
		c.mu.Lock()
		defer c.mu.Unlock()
		if own {
			c.targets[p.Info.TargetID] = true
		}
		return own
	case "Target.targetDestroyed", "Target.targetCrashed":
		c.mu.Lock()
		defer c.mu.Unlock()
		own := c.targets[p.TargetID]
		if env.Method == "Target.targetDestroyed" {
			delete(c.targets, p.TargetID)
			delete(c.hidden, p.TargetID)
		}
		return own
	}
	return true
}

// letGo ends the client's session of a target that does not exist for it. A target that waits for its debuggers continues.
func (c *client) letGo(parent, session string, waiting bool) {
	if c.out.Conn.AddRoute(session, dropped{}) != nil {
		return
	}
	if waiting {
		run := wire.Command{ID: letGoID, Method: "Runtime.runIfWaitingForDebugger", SessionID: session}
		c.out.Conn.Post(run.Append(nil))
	}
	detach := wire.Command{ID: letGoID, Method: "Target.detachFromTarget", Params: []byte(`{"sessionId":"` + session + `"}`), SessionID: parent}
	c.out.Conn.Post(detach.Append(nil))
}

// dropped is the route of sessions that are being let go.
type dropped struct{}

func (dropped) Message([]byte, wire.Envelope) {}
func (dropped) Ended(error)                   {}
