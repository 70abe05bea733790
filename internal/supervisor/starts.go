package supervisor

import (
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// startLimit bounds how long a new target waits for all its debuggers: one that attached with waitForDebuggerOnStart and never sends
// Runtime.runIfWaitingForDebugger must not stop it for the others.
const startLimit = 5 * time.Second

// starts lets new targets run when all who attached to them with waitForDebuggerOnStart are ready: usher and the CDP clients that have
// joined. For Chromium lets a popup or a worker run with the first Runtime.runIfWaitingForDebugger, whoever sends it: the others would miss
// what happens first, and the scripts they add would come too late (measured on Chromium 156: a dialog that a popup opens at
// once is told to nobody who has not sent Page.enable before). It attaches one after the other to a frame in another process, each when the one
// before has let it run: for frames nobody is waited for.
type starts struct {
	mu       sync.Mutex
	by       map[model.TargetID]*start // guarded by mu
	sessions map[string]model.TargetID // guarded by mu: the clients' sessions that are not ready
	tabs     map[string]bool           // guarded by mu: those of the type "tab", below which a page will be attached
}

// start is a target that waits.
type start struct {
	waiting map[string]bool // sessions that are not ready; usher's is ""
	ready   []func()        // what they send, in the order of their getting ready
	limit   *time.Timer
}

// await counts in a client's session that was attached to a target that waits. withUsher says that usher attaches to it, too, and is not ready.
func (s *starts) await(t model.TargetID, kind, session string, withUsher bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions == nil {
		s.by, s.sessions, s.tabs = map[model.TargetID]*start{}, map[string]model.TargetID{}, map[string]bool{}
	}
	s.sessions[session] = t
	if kind == "tab" {
		s.tabs[session] = true
		return
	}
	at := s.begin(t)
	at.waiting[session] = true
	if withUsher {
		at.waiting[""] = true
	}
}

// begin returns the start of a target. The caller holds mu.
func (s *starts) begin(t model.TargetID) *start {
	at := s.by[t]
	if at == nil {
		at = &start{waiting: map[string]bool{}}
		at.limit = time.AfterFunc(startLimit, func() { s.end(t, at) })
		s.by[t] = at
	}
	return at
}

// usher has send called when a target may run as far as the clients are concerned.
func (s *starts) usher(t model.TargetID, send func()) {
	s.mu.Lock()
	at := s.by[t]
	if at == nil && len(s.tabs) > 0 {
		at = s.begin(t)
	}
	if at == nil {
		s.mu.Unlock()
		send()
		return
	}
	for session := range s.tabs {
		at.waiting[session] = true
	}
	delete(at.waiting, "")
	at.ready = append(at.ready, send)
	s.finish(t, at)
}

// client has send called when all others who wait are ready, too. It returns false if nobody needs to be waited for: then the caller sends.
func (s *starts) client(session string, send func()) bool {
	s.mu.Lock()
	t, waits := s.sessions[session]
	at := s.by[t]
	if !waits || at == nil || !at.waiting[session] || s.tabs[session] {
		s.mu.Unlock()
		s.leave(session)
		return false
	}
	delete(s.sessions, session)
	delete(at.waiting, session)
	at.ready = append(at.ready, send)
	s.finish(t, at)
	return true
}

// leave counts out a client's session, ready or not.
func (s *starts) leave(session string) {
	s.mu.Lock()
	if _, waits := s.sessions[session]; !waits {
		s.mu.Unlock()
		return
	}
	delete(s.sessions, session)
	delete(s.tabs, session)
	var run []func()
	for t, at := range s.by {
		if at.waiting[session] {
			delete(at.waiting, session)
			run = append(run, s.finished(t, at)...)
		}
	}
	s.mu.Unlock()
	for _, send := range run {
		send()
	}
}

// close stops the timers; the connection has ended.
func (s *starts) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for t, at := range s.by {
		at.limit.Stop()
		delete(s.by, t)
	}
}

// finish lets a target run if nobody is waited for. The caller holds mu, which it unlocks.
func (s *starts) finish(t model.TargetID, at *start) {
	run := s.finished(t, at)
	s.mu.Unlock()
	for _, send := range run {
		send()
	}
}

// finished returns what to send if nobody is waited for. The caller holds mu.
func (s *starts) finished(t model.TargetID, at *start) []func() {
	if len(at.waiting) > 0 || s.by[t] != at {
		return nil
	}
	at.limit.Stop()
	delete(s.by, t)
	return at.ready
}

// end lets a target run, whoever is waited for.
func (s *starts) end(t model.TargetID, at *start) {
	s.mu.Lock()
	for session := range at.waiting { // a session of a tab is not waited for again
		delete(s.sessions, session)
		delete(s.tabs, session)
	}
	clear(at.waiting)
	for session, target := range s.sessions {
		if target == t {
			delete(s.sessions, session)
		}
	}
	s.finish(t, at)
}

// Await is called on the goroutine of the connection's reader when Chromium has attached a session of a client to a target that waits for its
// debuggers. kind is the type of the target.
func (b *Browser) Await(t model.TargetID, kind, session string) {
	if kind == frameKind {
		return
	}
	tab := b.State().Tabs[t]
	b.starts.await(t, kind, session, (kind == "page" || core.IsWorker(kind)) && (tab == nil || !tab.Ready))
}

// frameKind is the type of a frame in another process.
const frameKind = "iframe"

// Start is called when a client lets a target run (Runtime.runIfWaitingForDebugger). It has send called when usher and the other clients
// do, too, on any goroutine: send must not block. If it returns false the caller sends.
func (b *Browser) Start(session string, send func()) bool { return b.starts.client(session, send) }

// Leave is called when a client's session has ended.
func (b *Browser) Leave(session string) { b.starts.leave(session) }

// start has the last command of usher's set-up of a target sent when the clients that have joined are ready. Those are known
// when the browser has answered another command: it tells everybody of a target at once. The caller holds mu.
func (b *Browser) start(session string, send func()) {
	target := b.model.Sessions[session]
	if target.Kind == frameKind {
		send()
		return
	}
	t := target.Target
	b.Conn().Browser().Post("Browser.getVersion", nil, func(jsontext.Value, error) { b.starts.usher(t, send) })
}
