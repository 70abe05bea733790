// Package timers runs functions later and waits for running ones.
package timers

import (
	"sync"
	"time"
)

// Timers are the timers of one owner. Except for Wait, its methods need the owner's lock.
type Timers struct {
	contain func(func()) func()
	running sync.WaitGroup // timers that run or will run
	closed  bool
}

// New returns timers whose functions run inside contain, which recovers panics.
func New(contain func(func()) func()) *Timers { return &Timers{contain: contain} }

// After runs f after d. It returns nil if Close was called before.
func (t *Timers) After(d time.Duration, f func()) *time.Timer {
	if t.closed {
		return nil
	}
	t.running.Add(1)
	return time.AfterFunc(d, t.contain(func() {
		defer t.running.Done()
		f()
	}))
}

// Stop stops a timer that After returned, nil included.
func (t *Timers) Stop(timer *time.Timer) {
	if timer != nil && timer.Stop() {
		t.running.Done()
	}
}

// Close makes After start no more timers.
func (t *Timers) Close() { t.closed = true }

// Wait returns when no function runs and none will. Call Close and Stop before it. The owner's lock must not be held.
func (t *Timers) Wait() { t.running.Wait() }
