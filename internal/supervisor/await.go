package supervisor

import (
	"sync"
	"sync/atomic"

	"github.com/usher-browser/usher/internal/cdp"
)

// awaitedEvents are the calls of [Browser.NextEvent] whose event has not come.
type awaitedEvents struct {
	some atomic.Int32 // how many, so that other events cost nothing

	mu   sync.Mutex
	list map[*awaitedEvent]bool // guarded by mu
}

type awaitedEvent struct {
	session, method string
	params          chan []byte
}

// NextEvent returns a channel that receives the parameters of the next event of a method in a CDP session, once; for
// events that answer a command of the caller's and are no part of the model. Call it before the command, and stop when
// done. Nothing comes if the session ends before.
func (b *Browser) NextEvent(session, method string) (params <-chan []byte, stop func()) {
	w := &awaitedEvent{session, method, make(chan []byte, 1)}
	a := &b.awaited
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.list == nil {
		a.list = map[*awaitedEvent]bool{}
	}
	a.list[w] = true
	a.some.Add(1)
	return w.params, func() { a.drop(w) }
}

func (a *awaitedEvents) drop(w *awaitedEvent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.list[w] {
		delete(a.list, w)
		a.some.Add(-1)
	}
}

// deliver passes an event to those that await it.
func (a *awaitedEvents) deliver(ev *cdp.Event) {
	if a.some.Load() == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for w := range a.list {
		if w.session == ev.SessionID && w.method == ev.Method {
			w.params <- ev.Params // it has room: the entry goes with its first event
			delete(a.list, w)
			a.some.Add(-1)
		}
	}
}
