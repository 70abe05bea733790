// Package traces remembers which recording of trace events is under way in a session.
package traces

import (
	"sync"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Recording is a recording of the browser's trace events that is under way.
type Recording struct {
	Kind string // the command that started it: "trace" or "profiler"
	Tab  model.TargetID
	// Session is the CDP session it was started on, which has to end it.
	Session string
}

// Session is the recording of a session; there is at most one.
type Session struct {
	mu  sync.Mutex
	now *Recording // guarded by mu
}

// Begin records that a recording starts. It returns the one that is under way instead, if there is one.
func (t *Session) Begin(n Recording) (other *Recording) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now != nil {
		return t.now
	}
	t.now = &n
	return nil
}

// Now returns the recording under way, nil for none.
func (t *Session) Now() *Recording {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// End records that there is none any more.
func (t *Session) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = nil
}
