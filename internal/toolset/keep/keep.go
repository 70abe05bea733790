// Package keep keeps a helper program running. It starts the program when it is first needed, restarts it after its end
// with increasing pauses, and ends it with all its child processes. The protocol of the program is the caller's concern.
package keep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Conn is a connection to a running helper program.
type Conn interface {
	// Done is closed when the connection has ended.
	Done() <-chan struct{}
	// Err returns why it ended, after Done is closed.
	Err() error
	// Close ends the program and waits until all of it has ended.
	Close()
}

// The pauses before restarts double from first to longest. They begin anew after a helper ran for steady. After tries
// failures in a row it is restarted only when it is needed.
const (
	first   = 250 * time.Millisecond
	longest = time.Minute
	steady  = 30 * time.Second
	tries   = 6
	// bearable is the longest pause that [Keeper.Use] waits for.
	bearable = 5 * time.Second
)

// Keeper keeps one helper running. A goroutine, begun at first use, starts the helper and waits for its end; Close ends
// that goroutine and waits for it. A Keeper is safe for concurrent use.
type Keeper[C Conn] struct {
	open    func(context.Context) (C, error)
	changed func()

	mu      sync.Mutex
	running context.CancelFunc // guarded by mu: ends the goroutine; nil before it began
	ended   chan struct{}      // closed when the goroutine has ended
	closed  bool               // guarded by mu
	conn    C                  // guarded by mu: valid while up
	up      bool               // guarded by mu
	failed  int                // guarded by mu: failed starts in a row
	problem error              // guarded by mu: why it is not up; nil before the first start
	next    time.Time          // guarded by mu: the time of the next start
	news    chan struct{}      // guarded by mu: closed and replaced at each change
	needed  chan struct{}      // capacity 1: a caller needs the helper
}

// New returns a keeper of the helper that open starts. open is limited by its context only. changed is called after each
// change, in the keeper's goroutine.
func New[C Conn](open func(context.Context) (C, error), changed func()) *Keeper[C] {
	return &Keeper[C]{open: open, changed: changed, ended: make(chan struct{}), news: make(chan struct{}), needed: make(chan struct{}, 1)}
}

// ErrClosed is the error of calls after Close.
var ErrClosed = errors.New("usher is ending")

// Start starts the helper in the background.
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

// Use returns the running helper, and starts it if it does not run. The error says why it does not run and, if the next
// attempt is later than bearable, when that is made.
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

// over reports whether a connection has ended. The keeper's goroutine may not have noticed yet.
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

// Up returns the helper if it runs. It does not start it.
func (k *Keeper[C]) Up() (conn C, up bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.conn, k.up
}

// Problem returns why the helper does not run; nil while it runs, and before the first start.
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

// tell wakes the waiting callers. The caller holds k.mu.
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

// wait waits for the end of a pause and, if idle, until a caller needs the helper.
func (k *Keeper[C]) wait(ctx context.Context, pause time.Duration, idle bool) {
	if idle {
		select {
		case <-k.needed: // drop requests from before the pause
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
