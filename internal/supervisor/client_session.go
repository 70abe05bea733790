package supervisor

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/target"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// ClientSession is a CDP session of a target that belongs to a CDP client outside of usher, such as DevTools. Chromium
// keeps the state of most domains per CDP session, so what the client enables or disables there changes nothing in the
// sessions that the model uses. Neither the model nor the observers get its events. CDP sessions that the client attaches to
// from it (Target.setAutoAttach, Target.attachToTarget) belong to it, too.
type ClientSession struct {
	browser *Browser
	conn    *cdp.Conn // the connection it was created on
	root    string    // the browser's side session, from which it was attached
	id      string
	event   func(cdp.Event)
	left    bool // guarded by clientSessions.mu: Detach was called; Chromium has not ended the session yet
}

// ClientSession attaches to a target for a client. event is called with the events of the session and of those below it,
// in order, on the connection's goroutine; it must not block. It is the last call when the session has ended: the event is
// then Target.detachedFromTarget of the session itself, with an empty session id. Call Detach in any case.
func (b *Browser) ClientSession(ctx context.Context, t model.TargetID, event func(cdp.Event)) (*ClientSession, error) {
	select { // one at a time, as with side sessions, which share the root
	case b.attaching <- struct{}{}:
		defer func() { <-b.attaching }()
	case <-ctx.Done():
		return nil, fmt.Errorf("attach to %s: %w", t, context.Cause(ctx))
	}
	root := b.findSideSession(core.KindBrowserSide, "")
	if root == "" {
		var err error
		if root, err = b.attachSideSession(ctx, "", "Target.attachToBrowserTarget", nil); err != nil {
			return nil, err
		}
	}
	conn := b.Conn()
	id, err := b.attachSideSession(ctx, root, "Target.attachToTarget", core.Params{"targetId": t, "flatten": true})
	if err != nil {
		return nil, err
	}
	s := &ClientSession{browser: b, conn: conn, root: root, id: id, event: event}
	b.clients.add(id, s)
	b.mu.Lock()
	_, alive := b.model.Sessions[id]
	b.mu.Unlock()
	if !alive || b.Conn() != conn { // it ended before it was known whose it is
		b.clients.remove(s)
		s.detach()
		return nil, fmt.Errorf("attach to %s: %w", t, cdp.ErrDetached)
	}
	return s, nil
}

// Session returns the CDP session that a client means by a session id: empty for its own, else one below it; nil for
// those of others.
func (s *ClientSession) Session(id string) *cdp.Session {
	if id == "" {
		return s.conn.Session(s.id)
	}
	if s.browser.clients.owner(id) != s || id == s.id {
		return nil
	}
	return s.conn.Session(id)
}

// Detach ends the session, and with it those below it. There are no more events after it.
func (s *ClientSession) Detach() {
	if s.browser.clients.leave(s) {
		s.detach()
	}
}

func (s *ClientSession) detach() {
	s.conn.Session(s.root).Post(target.CommandDetachFromTarget, core.Params{"sessionId": s.id}, nil)
}

const (
	eventAttached = "Target.attachedToTarget"
	eventDetached = "Target.detachedFromTarget"
)

// clientSessions are the CDP sessions of clients.
type clientSessions struct {
	some atomic.Int32 // how many, so that other events cost nothing

	mu     sync.Mutex
	owners map[string]*ClientSession // guarded by mu: by id
}

func (c *clientSessions) add(id string, s *ClientSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owners == nil {
		c.owners = map[string]*ClientSession{}
	}
	if c.owners[id] == nil {
		c.some.Add(1)
	}
	c.owners[id] = s
}

func (c *clientSessions) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owners[id] != nil {
		delete(c.owners, id)
		c.some.Add(-1)
	}
}

func (c *clientSessions) owner(id string) *ClientSession {
	if c.some.Load() == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.owners[id]
}

// leave marks a session that its client has left. It stays the client's, and is not taken for one of usher's, until Chromium
// has ended it. It reports whether the session was there.
func (c *clientSessions) leave(s *ClientSession) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owners[s.id] != s || s.left {
		return false
	}
	s.left = true
	return true
}

// remove removes a session and those below it. It reports whether the client still had it.
func (c *clientSessions) remove(s *ClientSession) (live bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, owner := range c.owners {
		if owner == s {
			delete(c.owners, id)
			c.some.Add(-1)
		}
	}
	return !s.left
}

func (c *clientSessions) hasLeft(s *ClientSession) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return s.left
}

// end ends all sessions: the connection is lost.
func (c *clientSessions) end() {
	if c.some.Load() == 0 {
		return
	}
	c.mu.Lock()
	ended := map[*ClientSession]bool{}
	for _, s := range c.owners {
		if !s.left {
			ended[s] = true
		}
	}
	c.owners = nil
	c.some.Store(0)
	c.mu.Unlock()
	for s := range ended {
		s.ended()
	}
}

func (s *ClientSession) ended() { s.event(cdp.Event{Method: eventDetached}) }

// deliver passes an event to the client whose it is, and keeps track of the sessions below.
func (c *clientSessions) deliver(ev *cdp.Event) {
	if c.some.Load() == 0 {
		return
	}
	var p struct {
		SessionID string `json:"sessionId"`
	}
	switch ev.Method {
	case eventAttached, eventDetached:
		if jsonv2.Unmarshal(ev.Params, &p) != nil {
			return
		}
	}
	s := c.owner(ev.SessionID)
	if ev.Method == eventDetached {
		if of := c.owner(p.SessionID); of != nil && of.id == p.SessionID {
			if c.remove(of) {
				of.ended()
			}
			return
		}
		c.drop(p.SessionID)
	}
	if s == nil {
		return
	}
	if ev.Method == eventAttached {
		c.add(p.SessionID, s)
	}
	if c.hasLeft(s) {
		return
	}
	out := *ev
	if out.SessionID == s.id {
		out.SessionID = ""
	}
	s.event(out)
}
