// Package keep keeps a helper program running. It starts the program when it is first needed, restarts it after its end
// with increasing pauses, and ends it with all its child processes. The protocol of the program is the caller's
// concern.
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

// The pauses before restarts double from minPause to maxPause. They begin anew after a helper ran for stableTime. After
// maxAttempts failures in a row it is restarted only when it is needed.
const (
	minPause    = 250 * time.Millisecond
	maxPause    = time.Minute
	stableTime  = 30 * time.Second
	maxAttempts = 6
	// maxWait is the longest pause that [Keeper.Use] waits for.
	maxWait = 5 * time.Second
)

// Keeper keeps one helper running. A goroutine, begun at first use, starts the helper and waits for its end; Close ends
// that goroutine and waits for it. A Keeper is safe for concurrent use.
type Keeper[C Conn] struct {
	open    func(context.Context) (C, error)
	changed func()

	mu        sync.Mutex
	cancel    context.CancelFunc // guarded by mu: ends the goroutine; nil before it began
	stopped   chan struct{}      // closed when the goroutine has ended
	closed    bool               // guarded by mu
	conn      C                  // guarded by mu: valid while up
	running   bool               // guarded by mu
	failures  int                // guarded by mu: failed starts in a row
	problem   error              // guarded by mu: why it is not up; nil before the first start
	nextStart time.Time          // guarded by mu: the time of the next start
	updated   chan struct{}      // guarded by mu: closed and replaced at each change
	requested chan struct{}      // capacity 1: a caller needs the helper
}

// New returns a keeper of the helper that open starts. open is limited by its context only. changed is called after
// each change, in the keeper's goroutine.
func New[C Conn](open func(context.Context) (C, error), changed func()) *Keeper[C] {
	return &Keeper[C]{open: open, changed: changed, stopped: make(chan struct{}), updated: make(chan struct{}), requested: make(chan struct{}, 1)}
}

// ErrClosed is the error of calls after Close.
var ErrClosed = errors.New("usher is ending")

// Start starts the helper in the background.
func (k *Keeper[C]) Start() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || k.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	go k.run(ctx)
}

// Use returns the running helper, and starts it if it does not run. The error says why it does not run and, if the next
// attempt is later than maxWait, when that is made.
func (k *Keeper[C]) Use(ctx context.Context) (C, error) {
	k.Start()
	var none C
	k.mu.Lock()
	failed := k.failures
	for {
		switch {
		case k.closed:
			k.mu.Unlock()
			return none, ErrClosed
		case k.running && !isDone(k.conn):
			conn := k.conn
			k.mu.Unlock()
			return conn, nil
		case k.problem != nil && (k.failures > failed || time.Until(k.nextStart) > maxWait):
			err, wait := k.problem, time.Until(k.nextStart)
			k.mu.Unlock()
			k.request()
			if wait > time.Second {
				err = fmt.Errorf("%w; it restarts in %s", err, wait.Round(time.Second))
			}
			return none, err
		}
		news := k.updated
		k.mu.Unlock()
		k.request()
		select {
		case <-news:
		case <-ctx.Done():
			return none, ctx.Err()
		}
		k.mu.Lock()
	}
}

// isDone reports whether a connection has ended. The keeper's goroutine may not have noticed yet.
func isDone(c Conn) bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}

func (k *Keeper[C]) request() {
	select {
	case k.requested <- struct{}{}:
	default:
	}
}

// Up returns the helper if it runs. It does not start it.
func (k *Keeper[C]) Up() (conn C, up bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.conn, k.running
}

// Problem returns why the helper does not run; nil while it runs, and before the first start.
func (k *Keeper[C]) Problem() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running {
		return nil
	}
	return k.problem
}

// Close ends the helper and the keeper, and waits.
func (k *Keeper[C]) Close() {
	k.mu.Lock()
	k.closed = true
	running := k.cancel
	k.notify()
	k.mu.Unlock()
	if running != nil {
		running()
		<-k.stopped
	}
}

// notify wakes the waiting callers. The caller holds k.mu.
func (k *Keeper[C]) notify() {
	close(k.updated)
	k.updated = make(chan struct{})
}

func (k *Keeper[C]) run(ctx context.Context) {
	defer close(k.stopped)
	for attempts := 0; ctx.Err() == nil; {
		conn, err := k.open(ctx)
		failed := 1
		if err == nil {
			failed = 0
			began := time.Now()
			k.set(func() { k.conn, k.running, k.problem = conn, true, nil })
			select {
			case <-conn.Done():
				err = conn.Err()
			case <-ctx.Done():
			}
			k.set(func() { k.running = false })
			conn.Close()
			if time.Since(began) > stableTime {
				attempts = 0
			}
		}
		if ctx.Err() != nil {
			return
		}
		attempts++
		pause := min(minPause<<min(attempts-1, 20), maxPause)
		k.set(func() { k.problem, k.failures, k.nextStart = err, k.failures+failed, time.Now().Add(pause) })
		k.wait(ctx, pause, attempts >= maxAttempts)
	}
}

// wait waits for the end of a pause and, if idle, until a caller needs the helper.
func (k *Keeper[C]) wait(ctx context.Context, pause time.Duration, idle bool) {
	if idle {
		select {
		case <-k.requested: // drop requests from before the pause
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
		case <-k.requested:
		case <-ctx.Done():
		}
	}
}

func (k *Keeper[C]) set(change func()) {
	k.mu.Lock()
	change()
	k.notify()
	k.mu.Unlock()
	if k.changed != nil {
		k.changed()
	}
}
