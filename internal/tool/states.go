package tool

import (
	"maps"
	"slices"
	"sync"
)

// States are the agents of a server whose code has state in the daemon, by [Host.Reader]. A nil list keeps nothing.
type States struct {
	mu    sync.Mutex
	names map[string]bool // guarded by mu
}

// Use notes that an agent's code has state.
func (s *States) Use(reader string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[reader] = true
}

// Forget notes that it has none any more.
func (s *States) Forget(reader string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, reader)
}

// All returns the agents.
func (s *States) All() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.names))
}
