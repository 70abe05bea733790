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

// client is the connection of one client. Its Read and Write are the client's: Read returns what the browser sends to it.
type client struct {
	*wire.Queue
	of   *Browser
	out  *supervisor.Outside
	tail []byte // how messages of the client's session end: ,"sessionId":"…"}

	mu        sync.Mutex
	sessions  map[string]session           // guarded by mu: the CDP sessions below the client's own
	targets   map[string]bool              // guarded by mu: ids of the targets that the client has been told of
	hidden    map[string]bool              // guarded by mu: ids of targets that do not exist for it
	kept      map[string]string            // guarded by mu: the targets of its sessions that do not exist for it
	contexts  map[string]bool              // guarded by mu: browser contexts that it made
	expected  map[call]func(wire.Envelope) // guarded by mu: replies to look at before they are passed on
	closed    bool                         // guarded by mu: Close was called
	downloads downloads
	copying   sync.WaitGroup // files of downloads
}

// level is what a CDP session gives access to.
type level int

const (
	ofNothing level = iota // it is not a session of the client
	ofTarget               // a page, or a frame or worker below one
	ofBrowser              // the browser: the client's own session, and what Target.attachToBrowserTarget made
)

// session is a CDP session of the client.
type session struct {
	level  level
	target string // its id
}

// call identifies a command of the client: ids count per session.
type call struct {
	session string
	id      int64
}

func newClient(b *Browser) *client {
	return &client{
		Queue: wire.NewQueue(b.options.QueueLimit), of: b, sessions: map[string]session{}, targets: map[string]bool{}, hidden: map[string]bool{}, kept: map[string]string{}, contexts: map[string]bool{},
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

// Ended is called when the client's session or the connection to the browser has ended.
func (c *client) Ended(err error) {
	if errors.Is(err, cdp.ErrDetached) {
		err = io.EOF
	}
	c.End(err)
}

// Close ends the client's session; Chromium ends those below it, and the browser contexts that it made.
func (c *client) Close() error {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	made := c.contexts
	sessions, kept := c.sessions, c.kept
	c.contexts, c.sessions, c.kept = nil, map[string]session{}, nil
	c.mu.Unlock()
	if again {
		return nil
	}
	for id, s := range sessions {
		c.of.attached.add(s.target, -1)
		c.out.Conn.RemoveRoute(id)
		c.of.browser.Leave(id)
	}
	for id := range made {
		c.out.Conn.Browser().Post("Target.disposeBrowserContext", map[string]string{"browserContextId": id}, nil)
	}
	c.out.Detach()
	for id, target := range kept {
		c.out.Conn.RemoveRoute(id)
		c.of.browser.Leave(id)
		c.of.browser.Reinit(model.TargetID(target)) // it is another session's of usher, or has nothing to be sent
	}
	if c.of.clients.Add(-1) == 0 { // others keep what they emulate
		for _, t := range c.of.browser.State().ContextTabs(c.of.context) {
			c.of.browser.Reinit(t.ID)
		}
	}
	c.End(wire.ErrClosed)
	c.copying.Wait()
	return nil
}

// Message passes an event or a reply of the browser on. It is called on the goroutine of the connection's reader.
func (c *client) Message(msg []byte, env wire.Envelope) {
	switch {
	case env.Method == "":
		c.replied(env)
	case env.Method == "Target.detachedFromTarget":
		c.detached(msg, env)
		return
	case strings.HasPrefix(env.Method, "Target."):
		id, own := c.targetEvent(env)
		if !own {
			return
		}
		if env.Method == targetCreated || env.Method == targetInfoChanged {
			msg, env.Payload = c.of.attached.show(id, msg), c.of.attached.show(id, env.Payload)
		}
	case env.Method == "Runtime.executionContextCreated" && bytes.Contains(env.Payload, ownWorld):
		if ofOwnWorld(env.Payload) {
			return
		}
	}
	if env.Method == "Browser.downloadWillBegin" || env.Method == "Browser.downloadProgress" {
		c.download(msg, env)
		return
	}
	c.pass(msg, env)
}

// ownWorld is a part of each announcement of usher's own script context in a frame.
var ownWorld = []byte(`"name":"` + model.WorldName + `"`)

// ofOwnWorld reports whether a script context is usher's own. It does not exist for clients, to which Chromium announces the isolated worlds of
// all debuggers.
func ofOwnWorld(payload []byte) bool {
	var p struct {
		Context struct {
			Name string `json:"name"`
			Aux  struct {
				Type string `json:"type"`
			} `json:"auxData"`
		} `json:"context"`
	}
	return json.Unmarshal(payload, &p) == nil && p.Context.Name == model.WorldName && p.Context.Aux.Type == "isolated"
}

// pass queues a message of the browser for the client.
func (c *client) pass(msg []byte, env wire.Envelope) { c.Put(c.readdress(msg, env)) }

// readdress returns a message of the browser as the client knows its sessions: its own has no name.
func (c *client) readdress(msg []byte, env wire.Envelope) []byte {
	if env.SessionID == c.out.ID {
		if cut, ok := bytes.CutSuffix(msg, c.tail); ok {
			msg = append(cut, '}') // in place: cut is a part of msg
		} else {
			env.SessionID = ""
			msg = env.Append(nil)
		}
	}
	return msg
}

// replied looks at a reply before the client gets it.
func (c *client) replied(env wire.Envelope) {
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

// maxHidden bounds the ids of hidden targets that are kept: a client that does not discover targets is not told of their end.
const maxHidden = 1000

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
		if len(c.hidden) >= maxHidden {
			clear(c.hidden) // they are found to be hidden again
		}
		c.hidden[t.TargetID] = true
		return false
	}
	return true
}

// inside reports whether a browser context is the session's, or one that the client made. The caller holds mu.
func (c *client) inside(context string) bool {
	return context == string(c.of.context) || c.of.context == "" || c.contexts[context]
}

const (
	targetCreated     = "Target.targetCreated"
	targetInfoChanged = "Target.targetInfoChanged"
)

// targetEvent looks at an event of the domain Target, and reports whether it is for the client. target is the target of one with a TargetInfo.
func (c *client) targetEvent(env wire.Envelope) (target string, own bool) {
	var p struct {
		SessionID string `json:"sessionId"`
		TargetID  string `json:"targetId"`
		Info      info   `json:"targetInfo"`
		Waiting   bool   `json:"waitingForDebugger"`
	}
	if json.Unmarshal(env.Payload, &p) != nil {
		return "", false
	}
	switch env.Method {
	case "Target.attachedToTarget":
		if c.level(env.SessionID) == ofBrowser && !c.owns(p.Info) { // what is attached below a page of the client's is the client's
			c.keepHidden(p.SessionID, p.Info, p.Waiting)
			return "", false
		}
		c.mu.Lock()
		closed := c.closed
		if !closed {
			made := session{ofTarget, p.Info.TargetID}
			if p.Info.Type == "browser" {
				made.level = ofBrowser
			}
			c.sessions[p.SessionID] = made
			c.of.attached.add(made.target, 1)
		}
		c.mu.Unlock()
		if closed || c.out.Conn.AddRoute(p.SessionID, c) != nil {
			return "", false
		}
		if p.Waiting {
			c.of.browser.Await(model.TargetID(p.Info.TargetID), p.Info.Type, p.SessionID)
		}
		return p.Info.TargetID, true
	case targetCreated, targetInfoChanged:
		own := c.owns(p.Info)
		c.mu.Lock()
		defer c.mu.Unlock()
		if own {
			c.targets[p.Info.TargetID] = true
		}
		return p.Info.TargetID, own
	case "Target.targetDestroyed", "Target.targetCrashed":
		c.mu.Lock()
		defer c.mu.Unlock()
		own := c.targets[p.TargetID]
		if env.Method == "Target.targetDestroyed" {
			delete(c.targets, p.TargetID)
			delete(c.hidden, p.TargetID)
		}
		return p.Info.TargetID, own
	}
	return p.Info.TargetID, true
}

// detached takes the end of a session of the client. Its commands are refused from then on, and no sooner than the client is told.
func (c *client) detached(msg []byte, env wire.Envelope) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(env.Payload, &p) != nil {
		return
	}
	c.mu.Lock()
	s, known := c.sessions[p.SessionID]
	delete(c.sessions, p.SessionID)
	delete(c.kept, p.SessionID)
	if known {
		c.Put(c.readdress(msg, env))
	}
	c.mu.Unlock()
	if known {
		c.of.attached.add(s.target, -1)
	}
	c.out.Conn.RemoveRoute(p.SessionID)
	c.of.browser.Leave(p.SessionID)
}

// keepHidden keeps the client's session of a target that does not exist for it, without a word: when a session of a page ends, Chromium takes
// back what others emulate there (see [supervisor.Browser.Reinit]). It ends with the client. The session of a target that waits for its debuggers
// lets it run with the others.
func (c *client) keepHidden(session string, t info, waiting bool) {
	if c.out.Conn.AddRoute(session, dropped{}) != nil {
		return
	}
	c.mu.Lock()
	closed := c.closed
	if !closed {
		c.kept[session] = t.TargetID
	}
	c.mu.Unlock()
	if closed {
		c.out.Conn.RemoveRoute(session)
	} else if waiting {
		run := func() { c.out.Conn.Post(wire.Command{Method: "Runtime.runIfWaitingForDebugger", SessionID: session}) }
		c.of.browser.Await(model.TargetID(t.TargetID), t.Type, session)
		if !c.of.browser.Start(session, run) {
			run()
		}
	}
}

// dropped is the route of sessions of hidden targets.
type dropped struct{}

func (dropped) Message([]byte, wire.Envelope) {}
func (dropped) Ended(error)                   {}
