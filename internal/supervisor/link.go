package supervisor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// Reconnect says how a lost connection is replaced. The end of a pipe is the end of its browser; a WebSocket may break
// while the browser, which is somebody else's, lives on.
type Reconnect struct {
	// Dial connects to the same browser again; nil means that the end of the connection is the end of the watch. Its
	// error wraps ErrNobody if nothing listens there, ErrOtherBrowser if it is certain that the browser is gone.
	Dial func(context.Context) (wire.Conn, error)
	// Refused is how long ErrNobody may pass by itself, Limit the same of any other failure; 0 for the defaults.
	Refused, Limit time.Duration
	// Alone leaves out the standby connection.
	Alone bool
}

// ErrNobody is wrapped by the error of a dial that was refused: the machine is there and nothing listens at the port.
var ErrNobody = errors.New("nothing listens there")

// How long a browser is looked for. Nothing at a port means that the browser was ended, or that a tunnel is being set up
// again; a silent network may come back when a laptop is opened.
const (
	DefaultRefused = 15 * time.Second
	DefaultLimit   = 5 * time.Minute
)

const (
	firstPause = 500 * time.Millisecond // before the first attempt; doubled after each
	lastPause  = 10 * time.Second
	dialLimit  = 10 * time.Second // of one attempt
	// pingEvery is how often the browser is asked for a word, so that a connection that died without one is noticed. It
	// is given up when a question is not answered until the next is due and nothing else came either.
	pingEvery = 15 * time.Second
	// kickedAfter is how soon after a standby connection the main one ends if the browser serves one client only.
	kickedAfter = 2 * time.Second
)

// keepConnected starts what keeps an attached browser connected.
func (b *Browser) keepConnected() {
	b.links.Add(1)
	go b.contained(b.keepLink)()
	if !b.opts.Reconnect.Alone {
		b.links.Add(1)
		go b.contained(b.keepSpare)()
	}
}

// keepLink replaces the connection whenever it is lost, until the browser is given up or Close is called.
func (b *Browser) keepLink() {
	defer b.links.Done()
	defer close(b.done)
	pause := firstPause
	var outage *model.Outage
	for {
		b.attend(b.Conn())
		s := b.State()
		if s.Closed != nil {
			return
		}
		if s.Outage != outage { // the last connection had come to something
			outage, pause = s.Outage, firstPause
		}
		if err := b.reconnect(outage, &pause); err != nil {
			b.input(fold.Input{Command: &targets.Closed{Cause: err}})
			return
		}
	}
}

// attend returns when a connection has ended.
func (b *Browser) attend(c *cdp.Conn) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	var ping interface{ Done() <-chan struct{} }
	heard := b.heard.Load()
	for {
		select {
		case <-c.Done():
			return
		case <-b.ctx.Done():
			_ = c.Close()
			return
		case <-tick.C:
		}
		if ping != nil {
			select {
			case <-ping.Done():
				ping = nil
			default:
				if heard == b.heard.Load() {
					c.Abort(fmt.Errorf("no message from the browser for %s", pingEvery))
					continue
				}
			}
		}
		heard = b.heard.Load()
		if ping == nil {
			ping = cdp.Start(c.Browser(), browser.GetVersion, protocol.Empty{})
		}
	}
}

// reconnect tries until a connection is there. The error says why the browser is given up.
func (b *Browser) reconnect(outage *model.Outage, pause *time.Duration) error {
	refused, limit := b.opts.Reconnect.Refused, b.opts.Reconnect.Limit
	if refused == 0 {
		refused = DefaultRefused
	}
	if limit == 0 {
		limit = DefaultLimit
	}
	for {
		// Between half of it and all, so that many who lost the same browser do not come back at once.
		if !b.sleep(*pause/2 + rand.N(*pause/2)) {
			return cdp.ErrClosed
		}
		*pause = min(2**pause, lastPause)
		w, err := b.dial()
		since := b.opts.Now().Sub(outage.Since)
		switch {
		case b.ctx.Err() != nil:
			if err == nil {
				_ = w.Close()
			}
			return cdp.ErrClosed
		case err == nil:
			if b.opts.Recorder != nil {
				w = b.opts.Recorder.Wrap(w)
			}
			b.mu.Lock()
			b.conn.Store(cdp.New(w, (*handler)(b)))
			b.apply(fold.Input{Command: &targets.Connected{}})
			b.publish()
			b.mu.Unlock()
			return nil
		case errors.Is(err, model.ErrOtherBrowser):
			return fmt.Errorf("%w; its connection was lost before: %w", err, outage.Cause)
		case errors.Is(err, ErrNobody) && since >= refused, since >= limit:
			return fmt.Errorf("not reconnected within %s: %w", since.Round(time.Second), err)
		}
	}
}

func (b *Browser) dial() (wire.Conn, error) {
	ctx, cancel := context.WithTimeout(b.ctx, dialLimit)
	defer cancel()
	return b.opts.Reconnect.Dial(ctx)
}

// sleep reports false when the watch ends meanwhile.
func (b *Browser) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-b.ctx.Done():
		return false
	}
}

// keepSpare holds a second connection that hears of dialogs and of nothing else that matters, and can answer them when
// the first is lost. A browser that throws its first client out for a second one is left alone after two such times.
func (b *Browser) keepSpare() {
	defer b.links.Done()
	pause := firstPause
	for kicked := 0; kicked < 2; {
		connected := func(s *model.State) (bool, error) { return s.Outage == nil, s.Closed }
		if b.Wait(b.ctx, connected) != nil {
			return
		}
		w, err := b.dial()
		if b.ctx.Err() != nil {
			if err == nil {
				_ = w.Close()
			}
			return
		}
		if err == nil {
			pause = firstPause
			if b.holdSpare(w) {
				kicked++
			} else {
				kicked = 0
			}
		}
		if !b.sleep(pause/2 + rand.N(pause/2)) {
			return
		}
		pause = min(2*pause, lastPause)
	}
}

// holdSpare uses a standby connection until its end, and reports whether it cost the main one its life.
func (b *Browser) holdSpare(w wire.Conn) (kicked bool) {
	c := cdp.New(w, (*spareHandler)(b))
	b.mu.Lock()
	b.spare = c
	b.mu.Unlock()
	defer func() {
		_ = c.Close()
		b.mu.Lock()
		b.spare = nil
		b.mu.Unlock()
		b.input(fold.Input{Command: &dialogs.StandbyLost{}})
	}()
	// Only pages are asked for, and they are not made to wait: what a page opens in its first moment, the main connection,
	// which makes it wait, hears.
	c.Browser().Post("Target.setAutoAttach", core.Params{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true,
		"filter": []core.Params{{"type": "page"}}}, nil)
	ctx, cancel := context.WithTimeout(b.ctx, kickedAfter)
	defer cancel()
	if b.Wait(ctx, func(s *model.State) (bool, error) { return s.Outage != nil, s.Closed }) == nil {
		// A network that broke takes both.
		b.sleep(kickedAfter / 10)
		kicked = c.Err() == nil
	}
	select {
	case <-c.Done():
	case <-b.ctx.Done():
	}
	return kicked
}

// spareHandler hears what the standby connection says.
type spareHandler Browser

func (h *spareHandler) Event(ev cdp.Event) {
	switch ev.Method {
	case "Target.attachedToTarget", "Target.detachedFromTarget", "Page.javascriptDialogOpening", "Page.javascriptDialogClosed":
		(*Browser)(h).input(fold.Input{Command: &dialogs.StandbyEvent{Event: ev}})
	}
}

func (h *spareHandler) Flush() {}

func (h *spareHandler) Overflow(string) {}

func (h *spareHandler) Closed(error) {} // holdSpare says so
