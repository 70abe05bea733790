// Package sequence keeps the operations of a run in the order in which the code asked for them, also where it does not await one before
// it asks for the next: the commands of Playwright and Puppeteer reach the browser in that order.
package sequence

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// How long an operation waits for the one before it, once that has begun. There are two of which the first needs the second: a key
// that leaves a page, whose request waits for a handler that evaluates in the page; an element that a click waits for, and that only
// the next click brings.
const (
	Patience = time.Second
	Brief    = 100 * time.Millisecond // for an action, which may wait for its element
)

// Kind tells how an operation stands in line.
type Kind int

// The kinds of operations.
const (
	// Free operations do not stand in line: what others may be waiting for, and what waits for an event.
	Free Kind = iota
	// Waiting operations come after those that were asked for before, and hold up none: they may wait long for an element or a page.
	Waiting
	// Acting operations hold up those after them for a short time: actions on an element, which are done soon if it is there.
	Acting
	// Sending operations hold up those after them until their command was sent to the browser.
	Sending
	// Whole operations hold up those after them until they have ended: input, and settings of the page or the session.
	Whole
)

var kinds = map[string]Kind{
	"page.subscribe": Free, "page.state": Free, "page.dispose": Free, "page.request": Free, "page.idle": Free, "page.answerRequest": Free,
	"page.answerCall": Free, "page.fetchRequest": Free, "page.listenToLog": Free, "page.listenToSockets": Free, "tab close": Free, "interrupt answer": Free, "wait": Free,

	"page.evaluate": Sending, "page.cdpSend": Sending,

	"page.pauseRequests": Whole, "page.expose": Whole, "page.touch": Whole, "page.clock": Whole, "page.cdp": Whole, "page.cdpListen": Whole, "page.cdpClose": Whole,
	"click": Acting, "tap": Acting, "hover": Acting, "focus": Acting, "fill": Acting, "type": Acting, "check": Acting, "uncheck": Acting,
	"select": Acting, "upload": Acting, "drag": Acting, "scrollintoview": Acting,

	"press": Whole, "keydown": Whole, "keyup": Whole, "addinitscript": Whole, "removeinitscript": Whole, "clipboard write": Whole,
}

// families are the commands of which all members are of one kind.
var families = map[string]Kind{"dialog": Free, "mouse": Whole, "keyboard": Whole, "set": Whole, "cookies": Whole, "storage": Whole, "network": Whole}

// KindOf returns the kind of an operation or a command.
func KindOf(method string) Kind {
	if k, ok := kinds[method]; ok {
		return k
	}
	family, _, _ := strings.Cut(method, " ")
	if k, ok := families[family]; ok {
		return k
	}
	return Waiting
}

// Line has the operations of each tab. The zero value has none.
type Line struct {
	mu   sync.Mutex
	last map[model.TargetID]*Turn // guarded by mu: the last in each line
}

// Turn is the place of an operation in a line. That of a free one is nil.
type Turn struct {
	kind   Kind
	before *Turn         // nil if nobody is
	begun  chan struct{} // closed when it is its turn
	passed chan struct{} // closed when it holds up nobody any more
	once   sync.Once     // closes passed
}

// Take puts an operation at the end of a tab's line. In no line, nil, it is free.
func (l *Line) Take(tab model.TargetID, method string) *Turn {
	kind := KindOf(method)
	if l == nil || kind == Free {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &Turn{kind: kind, before: l.last[tab], begun: make(chan struct{}), passed: make(chan struct{})}
	if l.last == nil {
		l.last = map[model.TargetID]*Turn{}
	}
	l.last[tab] = t
	return t
}

// Wait waits until it is an operation's turn, and lets those after it pass if it holds up none. It is called once.
func (t *Turn) Wait(ctx context.Context) {
	if t == nil {
		return
	}
	if t.before != nil {
		t.before.await(ctx)
		t.before = nil // those before it are not kept
	}
	close(t.begun)
	if t.kind == Waiting {
		t.pass()
	}
}

func (t *Turn) await(ctx context.Context) {
	select {
	case <-t.passed:
		return
	case <-t.begun:
	case <-ctx.Done():
		return
	}
	limit := Patience
	if t.kind == Acting {
		limit = Brief
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-t.passed:
	case <-late.C:
	case <-ctx.Done():
	}
}

// Sent says that the command of an operation was sent.
func (t *Turn) Sent() {
	if t != nil && t.kind == Sending {
		t.pass()
	}
}

// End says that an operation has ended.
func (t *Turn) End() {
	if t != nil {
		t.pass()
	}
}

func (t *Turn) pass() { t.once.Do(func() { close(t.passed) }) }
