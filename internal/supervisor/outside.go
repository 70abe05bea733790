package supervisor

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/target"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/bridge"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Outside is a CDP session of the browser itself that belongs to a client outside of usher, such as Playwright. Chromium keeps the
// state of most domains per session, so client and usher do not disturb each other; it announces targets, frames and script contexts
// to the client anew. Its messages do not pass usher's model: they go to a route ([cdp.Route]).
type Outside struct {
	// Conn is the connection on which the session is. Another one after a lost connection does not have it.
	Conn *cdp.Conn
	// ID is the CDP session.
	ID string

	browser *Browser
	context model.ContextID
	left    sync.Once
}

// Outside attaches to the browser for a client, whose messages go to the route. context is the browser context that the client joins: while
// it is there, the bridge does not take dialogs away from it. Call Detach in any case.
func (b *Browser) Outside(ctx context.Context, c model.ContextID, to cdp.Route) (*Outside, error) {
	select { // one at a time, so that no other caller takes the session for usher's
	case b.attaching <- struct{}{}:
		defer func() { <-b.attaching }()
	case <-ctx.Done():
		return nil, fmt.Errorf("attach to the browser: %w", context.Cause(ctx))
	}
	conn := b.Conn()
	id, err := b.attachSideSession(ctx, "", "Target.attachToBrowserTarget", nil)
	if err != nil {
		return nil, err
	}
	b.outside.add(id)
	if err := conn.AddRoute(id, to); err != nil {
		b.outside.remove(id)
		return nil, err
	}
	b.join(c, 1)
	return &Outside{Conn: conn, ID: id, browser: b, context: c}, nil
}

// Detach ends the session, and with it those that were attached from it.
func (o *Outside) Detach() {
	o.left.Do(o.detach)
}

func (o *Outside) detach() {
	o.browser.join(o.context, -1)
	o.Conn.RemoveRoute(o.ID)
	o.Conn.Browser().Post(target.CommandDetachFromTarget, core.Params{"sessionId": o.ID}, func(jsontext.Value, error) { o.browser.outside.remove(o.ID) })
}

// join counts a client of a browser context in or out.
func (b *Browser) join(c model.ContextID, by int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.joined == nil {
		b.joined = map[model.ContextID]int{}
	}
	n := b.joined[c] + by
	if b.joined[c] = n; n == 0 {
		delete(b.joined, c)
	}
	b.apply(fold.Input{Command: &bridge.Joined{Context: c, Clients: n}})
	b.publish()
}

// idSet is a set of ids for any goroutine.
type idSet struct{ ids sync.Map }

func (s *idSet) add(id string)      { s.ids.Store(id, nil) }
func (s *idSet) remove(id string)   { s.ids.Delete(id) }
func (s *idSet) has(id string) bool { _, ok := s.ids.Load(id); return ok }

// IsOwnPage reports whether a target that the browser has announced is a page of usher's own.
func (b *Browser) IsOwnPage(t model.TargetID, url string) bool {
	return strings.HasPrefix(url, model.OwnPagePrefix) || b.ownPages.has(string(t))
}
