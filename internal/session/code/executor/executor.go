// Package executor keeps what code has between its calls: a realm of the script engine with `state`, and the objects of pages that
// it holds. Each client that runs code has an executor of its own.
package executor

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/code/handle"
	"github.com/usher-browser/usher/internal/session/code/known"
)

// Set are the executors of a session, by name. The zero value is ready.
type Set struct {
	mu   sync.Mutex
	list map[string]*Executor // guarded by mu
}

// Executor is what one client's code has between its calls. Its fields are for the holder of the turn.
type Executor struct {
	*script.Engine
	Handles handle.List
	Known   known.State
	// Tabs are those that the client knew of after its last call.
	Tabs Tabs

	turn chan struct{} // holds a token while code runs
	used time.Time     // guarded by Set.mu: when it got the turn last
	stop context.CancelCauseFunc
	done context.Context // ends with a reset
}

// The bounds of a session: processes that wait for code, each of about 20 MB, and executors, each with at most 4 MB of saved state.
const (
	maxProcesses = 8
	maxExecutors = 64
)

// errReset is why code ends when its state is reset.
var errReset = api.Errorf(api.Cancelled, "the code was ended: its state was reset")

// Acquire returns the executor with a name, when its turn has come: code of one client runs one at a time. The context ends with a
// reset, too. start makes the engine of a new executor.
func (s *Set) Acquire(ctx context.Context, name string, start func() (*script.Engine, error)) (e *Executor, inner context.Context, release func(), err error) {
	if e, err = s.get(name, start); err != nil {
		return nil, nil, nil, err
	}
	select {
	case e.turn <- struct{}{}:
	case <-e.done.Done():
		return nil, nil, nil, errReset
	case <-ctx.Done():
		return nil, nil, nil, context.Cause(ctx)
	}
	if e.done.Err() != nil { // a reset came first
		<-e.turn
		return nil, nil, nil, errReset
	}
	s.mu.Lock()
	e.used = time.Now()
	s.mu.Unlock()
	inner, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(e.done, func() { cancel(errReset) })
	return e, inner, func() {
		unlink()
		cancel(nil)
		<-e.turn
	}, nil
}

// get returns the executor with a name, or makes it. To make room, processes that have waited longest are ended; their executors keep
// what was saved of their state.
func (s *Set) get(name string, start func() (*script.Engine, error)) (*Executor, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.list[name]; e != nil {
		s.rest(e)
		return e, nil
	}
	engine, err := start()
	if err != nil {
		return nil, err
	}
	e := &Executor{Engine: engine, turn: make(chan struct{}, 1), used: time.Now()}
	e.done, e.stop = context.WithCancelCause(context.Background()) //nolint:gosec // end calls stop
	s.rest(e)
	if s.list == nil {
		s.list = map[string]*Executor{}
	}
	if len(s.list) >= maxExecutors {
		if oldest, idle := s.oldest(func(*Executor) bool { return true }); idle != nil {
			idle.end()
			delete(s.list, oldest)
		}
	}
	s.list[name] = e
	return e, nil
}

// rest ends processes that wait for code, until there is room for that of e. The caller holds mu.
func (s *Set) rest(e *Executor) {
	alive := 0
	for _, other := range s.list {
		if other != e && other.Alive() {
			alive++
		}
	}
	for ; alive >= maxProcesses; alive-- {
		_, idle := s.oldest(func(other *Executor) bool { return other != e && other.Alive() })
		if idle == nil {
			return
		}
		idle.Rest()
		<-idle.turn
	}
}

// oldest returns the executor that has not been used for the longest time, of those that match and run no code, with its turn. The
// caller holds mu.
func (s *Set) oldest(matches func(*Executor) bool) (name string, e *Executor) {
	for n, one := range s.list {
		if matches(one) && len(one.turn) == 0 && (e == nil || one.used.Before(e.used)) {
			name, e = n, one
		}
	}
	if e == nil {
		return "", nil
	}
	select {
	case e.turn <- struct{}{}:
		return name, e
	default: // it was taken just now
		return "", nil
	}
}

// Reset ends an executor with everything that its code keeps, and code that runs. It reports whether there was one.
func (s *Set) Reset(name string) bool {
	s.mu.Lock()
	e := s.list[name]
	delete(s.list, name)
	s.mu.Unlock()
	if e == nil {
		return false
	}
	e.end()
	return true
}

// Close ends all executors.
func (s *Set) Close() {
	s.mu.Lock()
	list := s.list
	s.list = nil
	s.mu.Unlock()
	for _, e := range list {
		e.end()
	}
}

func (e *Executor) end() {
	e.stop(errReset)
	_ = e.Close() // it ends a process, whose exit status says nothing
	e.Handles.Release()
}

// Ended returns why code ended if that was no doing of its own: its executor was reset.
func Ended(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errReset) {
		return errReset
	}
	return err
}
