package wire

import (
	"runtime/debug"
	"sync"
	"time"
)

// largeMessage is the size, in bytes, from which messages are so large that their memory is given back to the system soon.
const largeMessage = 4 << 20

// trimDelay is how long after the last large message the memory is given back.
const trimDelay = 300 * time.Millisecond

// Trimmer gives the memory of large messages back to the system, a moment after the last: the runtime alone keeps it for minutes. The
// zero value is ready for use, by any goroutine.
type Trimmer struct {
	mu      sync.Mutex
	timer   *time.Timer // guarded by mu
	stopped bool        // guarded by mu
}

// Note tells it of a message of so many bytes.
func (t *Trimmer) Note(size int) {
	if size < largeMessage {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.stopped:
	case t.timer == nil:
		t.timer = time.AfterFunc(trimDelay, debug.FreeOSMemory)
	default:
		t.timer.Reset(trimDelay)
	}
}

// Stop ends it.
func (t *Trimmer) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	if t.timer != nil {
		t.timer.Stop()
	}
}
