// Package keep keeps a helper program at hand: started when it is first needed, started
// again when it ends, with longer and longer pauses where that does not help, and ended
// with everything it started. What is spoken with the program is its user's business.
package keep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Conn is a connection to a running helper.
type Conn interface {
	// Done is closed when the helper is of no use any more.
	Done() <-chan struct{}
	// Err says why, once Done is closed.
	Err() error
	// Close ends it and waits until nothing of it is left.
	Close()
}

// The pauses before a helper is started again double from first to longest. One that
// worked for steady begins anew; one that failed tries times in a row is started again
// only when it is needed.
const (
	first   = 250 * time.Millisecond
	longest = time.Minute
	steady  = 30 * time.Second
	tries   = 6
	// bearable is how long somebody who needs it waits for the end of a pause.
	bearable = 5 * time.Second
)

// Keeper keeps one helper. A goroutine, begun when it is first needed, starts the helper
// and waits for its end; Close ends that goroutine and waits for it.
type Keeper[C Conn] struct {
	open    func(context.Context) (C, error)
	changed func()

	mu      sync.Mutex
	running context.CancelFunc // guarded by mu: ends the goroutine; nil before it began
	ended   chan struct{}      // closed when it has
	closed  bool               // guarded by mu
	conn    C                  // guarded by mu: of use while up
	up      bool               // guarded by mu
	failed  int                // guarded by mu: how often it did not start
	problem error              // guarded by mu: why it is not up; nil while it was never tried
	next    time.Time          // guarded by mu: when it is started again
	news    chan struct{}      // guarded by mu: closed and replaced at every change
	needed  chan struct{}      // capacity 1: somebody needs it
}

// New keeps what open starts. open is bound by its context alone. changed is called after
// every change, from the keeper's goroutine.
func New[C Conn](open func(context.Context) (C, error), changed func()) *Keeper[C] {
	return &Keeper[C]{open: open, changed: changed, ended: make(chan struct{}), news: make(chan struct{}), needed: make(chan struct{}, 1)}
}

// ErrClosed is the error after Close.
var ErrClosed = errors.New("usher is ending")

// Start has the helper started, and does not wait.
func (k *Keeper[C]) Start() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || k.running != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	k.running = cancel
	go k.run(ctx)
}

// Use gives the running helper, which is started if need be. The error says what keeps
// it from running, and when the next attempt is made if that is not soon.
func (k *Keeper[C]) Use(ctx context.Context) (C, error) {
	k.Start()
	var none C
	k.mu.Lock()
	failed := k.failed
	for {
		switch {
		case k.closed:
			k.mu.Unlock()
			return none, ErrClosed
		case k.up && !over(k.conn):
			conn := k.conn
			k.mu.Unlock()
			return conn, nil
		case k.problem != nil && (k.failed > failed || time.Until(k.next) > bearable):
			err, wait := k.problem, time.Until(k.next)
			k.mu.Unlock()
			k.need()
			if wait > time.Second {
				err = fmt.Errorf("%w; it restarts in %s", err, wait.Round(time.Second))
			}
			return none, err
		}
		news := k.news
		k.mu.Unlock()
		k.need()
		select {
		case <-news:
		case <-ctx.Done():
			return none, ctx.Err()
		}
		k.mu.Lock()
	}
}

// over says that a connection is of no use any more, which the keeper's goroutine is
// about to learn.
func over(c Conn) bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}

func (k *Keeper[C]) need() {
	select {
	case k.needed <- struct{}{}:
	default:
	}
}

// Up gives the running helper, if it runs.
func (k *Keeper[C]) Up() (conn C, up bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.conn, k.up
}

// Problem says why the helper does not run; nil while it does, and before it was tried.
func (k *Keeper[C]) Problem() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.up {
		return nil
	}
	return k.problem
}

// Close ends the helper and the keeper, and waits.
func (k *Keeper[C]) Close() {
	k.mu.Lock()
	k.closed = true
	running := k.running
	k.tell()
	k.mu.Unlock()
	if running != nil {
		running()
		<-k.ended
	}
}

// tell wakes who waits. k.mu is held.
func (k *Keeper[C]) tell() {
	close(k.news)
	k.news = make(chan struct{})
}

func (k *Keeper[C]) run(ctx context.Context) {
	defer close(k.ended)
	for inARow := 0; ctx.Err() == nil; {
		conn, err := k.open(ctx)
		didNotStart := 1
		if err == nil {
			didNotStart = 0
			began := time.Now()
			k.set(func() { k.conn, k.up, k.problem = conn, true, nil })
			select {
			case <-conn.Done():
				err = conn.Err()
			case <-ctx.Done():
			}
			k.set(func() { k.up = false })
			conn.Close()
			if time.Since(began) > steady {
				inARow = 0
			}
		}
		if ctx.Err() != nil {
			return
		}
		inARow++
		pause := min(first<<min(inARow-1, 20), longest)
		k.set(func() { k.problem, k.failed, k.next = err, k.failed+didNotStart, time.Now().Add(pause) })
		k.wait(ctx, pause, inARow >= tries)
	}
}

// wait lets a pause go by, and where it helped so little before, also waits until
// somebody needs the helper.
func (k *Keeper[C]) wait(ctx context.Context, pause time.Duration, idle bool) {
	if idle {
		select {
		case <-k.needed: // what was needed before is over
		default:
		}
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	if idle {
		select {
		case <-k.needed:
		case <-ctx.Done():
		}
	}
}

func (k *Keeper[C]) set(change func()) {
	k.mu.Lock()
	change()
	k.tell()
	k.mu.Unlock()
	if k.changed != nil {
		k.changed()
	}
}
