package daemon

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// timer calls fire some time after it was last armed. Unlike time.AfterFunc it
// can be closed so that fire does not run and will not run any more.
type timer struct {
	fire    func()
	running sync.WaitGroup

	mu      sync.Mutex // innermost: nothing else is locked while it is held
	pending *time.Timer
	closed  bool
}

func newTimer(fire func()) *timer { return &timer{fire: fire} }

// arm sets the time again from now; zero or less only disarms.
func (t *timer) arm(after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	if after <= 0 || t.closed {
		return
	}
	var own *time.Timer
	own = time.AfterFunc(after, func() {
		t.mu.Lock()
		due := t.pending == own
		if due {
			t.pending = nil
			t.running.Add(1)
		}
		t.mu.Unlock()
		if due {
			defer t.running.Done()
			t.fire()
		}
	})
	t.pending = own
}

func (t *timer) disarm() { t.arm(0) }

func (t *timer) close() {
	t.mu.Lock()
	t.clear()
	t.closed = true
	t.mu.Unlock()
	t.running.Wait()
}

func (t *timer) clear() {
	if t.pending != nil {
		t.pending.Stop()
		t.pending = nil
	}
}

// pinnedInterval is the interval at which a daemon that may not end checks whether that still holds: a person can close a
// window without any command.
const pinnedInterval = 10 * time.Minute

// armIdle starts the time after which an unused daemon ends.
func (s *server) armIdle() {
	after := s.handler.IdleTimeout()
	if after == 0 {
		after = pinnedInterval
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == 0 && !s.stopping {
		s.idle.arm(after)
	}
}

func (s *server) idleFired() {
	if s.handler.IdleTimeout() == 0 {
		s.armIdle()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == 0 && !s.stopping {
		s.Log.Info("idle; the daemon exits")
		s.stopping = true
		close(s.stop)
	}
}

// memoryTrimmer returns the memory that a large command used to the system. The runtime alone does so over minutes: a
// snapshot of 50,000 buttons would keep hundreds of megabytes in a process that then waits for hours.
type memoryTrimmer struct {
	timer *timer
}

const (
	// minReturned is how much heap, used or reserved, makes a collection worth its few milliseconds.
	minReturned = 24 << 20
	// trimDelay is how long after the last command the collection runs, so
	// that it is not in the way of the next one.
	trimDelay = time.Second
)

func newMemory() *memoryTrimmer {
	return &memoryTrimmer{newTimer(func() {
		// Package runtime/metrics would report the same without stopping goroutines, but costs every client 0.06 ms
		// when the process starts; and at this moment no command runs.
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		if stats.HeapSys-stats.HeapReleased > minReturned {
			debug.FreeOSMemory()
		}
	})}
}

// schedule is called when no command runs any more.
func (m *memoryTrimmer) schedule() { m.timer.arm(trimDelay) }

func (m *memoryTrimmer) close() { m.timer.close() }
