// Package link restores the connection to a browser that outlives it, and holds a second connection on standby.
package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// Reconnect is how a lost connection is replaced. The end of a pipe is the end of its browser; a WebSocket may break
// while the browser, which another program started, lives on.
type Reconnect struct {
	// Dial connects to the same browser again; if it is nil, the end of the connection is final. Its error wraps
	// ErrRefused if nothing listens there, ErrOtherBrowser if it is certain that the browser is gone.
	Dial func(context.Context) (wire.Conn, error)
	// RefusedLimit is for how long ErrRefused is retried, Limit the same for other failures; 0 for the defaults.
	RefusedLimit, Limit time.Duration
	// NoStandby leaves out the standby connection.
	NoStandby bool
}

// ErrRefused is wrapped by the error of a dial that was refused: the machine answers and nothing listens at the port.
var ErrRefused = errors.New("nothing listens there")

// Default limits of the retries. Without a listener at the port, the browser was ended, or a tunnel is being set up
// again; a silent network may return when a laptop is opened.
const (
	DefaultRefusedLimit = 15 * time.Second
	DefaultLimit        = 5 * time.Minute
)

const (
	firstPause = 500 * time.Millisecond // before the first attempt; doubled after each
	lastPause  = 10 * time.Second
	dialLimit  = 10 * time.Second // of one attempt
	// probeEvery is the interval of Browser.getVersion calls, so that a connection that broke without a close message
	// is noticed. The connection counts as broken when a call is not answered until the next is due and no other
	// message has arrived.
	probeEvery = 15 * time.Second
	// displacedAfter is how soon after a standby connection the main one ends if the browser serves one client only.
	displacedAfter = 2 * time.Second
)

// Host is the owner of the connection.
type Host interface {
	State() *model.State
	Wait(ctx context.Context, cond func(*model.State) (bool, error)) error
	Now() time.Time
	// Conn returns the present connection, or the last one while there is none.
	Conn() *cdp.Conn
	// Received counts the events of all connections so far.
	Received() uint64
	// Use replaces the browser's connection.
	Use(w wire.Conn)
	// UseStandby sets the standby connection, nil for none.
	UseStandby(c *cdp.Conn)
	// Fold applies a command to the model.
	Fold(c core.Command)
}

// Keeper restores the connection to a browser.
type Keeper struct {
	host    Host
	opts    Reconnect
	ctx     context.Context // ends with the watch
	done    chan struct{}   // closed when the browser is given up
	running sync.WaitGroup
}

// Keep starts a Keeper, which runs until the retries are exhausted or ctx ends. contain recovers panics of a function.
func Keep(ctx context.Context, host Host, opts Reconnect, contain func(func()) func()) *Keeper {
	k := &Keeper{host: host, opts: opts, ctx: ctx, done: make(chan struct{})}
	k.running.Add(1)
	go contain(k.keepMain)()
	if !opts.NoStandby {
		k.running.Add(1)
		go contain(k.keepStandby)()
	}
	return k
}

// Done is closed when the retries are exhausted.
func (k *Keeper) Done() <-chan struct{} { return k.done }

// Wait returns when no goroutine of the Keeper runs any more.
func (k *Keeper) Wait() { k.running.Wait() }

// keepMain replaces the connection whenever it is lost, until the retries are exhausted or ctx ends.
func (k *Keeper) keepMain() {
	defer k.running.Done()
	defer close(k.done)
	pause := firstPause
	var outage *model.Outage
	for {
		k.awaitEnd(k.host.Conn())
		s := k.host.State()
		if s.Closed != nil {
			return
		}
		if s.Outage != outage { // the last connection was usable
			outage, pause = s.Outage, firstPause
		}
		if err := k.reconnect(outage, &pause); err != nil {
			k.host.Fold(&targets.Closed{Cause: err})
			return
		}
	}
}

// awaitEnd returns when a connection has ended.
func (k *Keeper) awaitEnd(c *cdp.Conn) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	var probe interface{ Done() <-chan struct{} }
	received := k.host.Received()
	for {
		select {
		case <-c.Done():
			return
		case <-k.ctx.Done():
			_ = c.Close()
			return
		case <-tick.C:
		}
		if probe != nil {
			select {
			case <-probe.Done():
				probe = nil
			default:
				if received == k.host.Received() {
					c.Abort(fmt.Errorf("no message from the browser for %s", probeEvery))
					continue
				}
			}
		}
		received = k.host.Received()
		if probe == nil {
			probe = cdp.Start(c.Browser(), browser.GetVersion, protocol.Empty{})
		}
	}
}

// reconnect tries until there is a connection. The error is why it stopped.
func (k *Keeper) reconnect(outage *model.Outage, pause *time.Duration) error {
	refused, limit := cmp.Or(k.opts.RefusedLimit, DefaultRefusedLimit), cmp.Or(k.opts.Limit, DefaultLimit)
	for {
		if !k.backOff(*pause) {
			return cdp.ErrClosed
		}
		*pause = min(2**pause, lastPause)
		w, err := k.dial()
		since := k.host.Now().Sub(outage.Since)
		switch {
		case k.ctx.Err() != nil:
			if err == nil {
				_ = w.Close()
			}
			return cdp.ErrClosed
		case err == nil:
			k.host.Use(w)
			return nil
		case errors.Is(err, model.ErrOtherBrowser):
			return fmt.Errorf("%w; its connection was lost before: %w", err, outage.Cause)
		case errors.Is(err, ErrRefused) && since >= refused, since >= limit:
			return fmt.Errorf("not reconnected within %s: %w", since.Round(time.Second), err)
		}
	}
}

func (k *Keeper) dial() (wire.Conn, error) {
	ctx, cancel := context.WithTimeout(k.ctx, dialLimit)
	defer cancel()
	return k.opts.Dial(ctx)
}

// backOff sleeps between half of d and all of it, so that many clients of the same browser do not reconnect at once. It
// returns false when ctx ends meanwhile.
func (k *Keeper) backOff(d time.Duration) bool { return k.sleep(d/2 + rand.N(d/2)) }

// sleep reports false when the watch ends meanwhile.
func (k *Keeper) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-k.ctx.Done():
		return false
	}
}
