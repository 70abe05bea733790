package gate

import (
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"
)

// Pending keeps the commands that wait for a confirmation. The zero value is empty. It is safe for concurrent use.
type Pending[T any] struct {
	mu    sync.Mutex
	items map[string]waiting[T] // guarded by mu, by id
}

type waiting[T any] struct {
	item  T
	until time.Time
}

// Limits of pending commands.
const (
	// Lifetime is how long a command can be confirmed.
	Lifetime = time.Minute
	// mostPending is how many commands are kept; the oldest is dropped for another.
	mostPending = 100
)

// Add keeps a command and returns its id, which has 130 random bits.
func (p *Pending[T]) Add(item T) (id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prune()
	if len(p.items) >= mostPending {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(p.items)), func(a, b string) int { return p.items[a].until.Compare(p.items[b].until) })
		delete(p.items, oldest)
	}
	if p.items == nil {
		p.items = map[string]waiting[T]{}
	}
	id = "r" + rand.Text()
	p.items[id] = waiting[T]{item, time.Now().Add(Lifetime)}
	return id
}

// Take returns the command of an id and removes it, if it is one that accept is true for. ok is false for an id that is
// unknown, was taken, or has expired.
func (p *Pending[T]) Take(id string, accept func(T) bool) (item T, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prune()
	w, ok := p.items[id]
	if !ok || !accept(w.item) {
		return item, false
	}
	delete(p.items, id)
	return w.item, true
}

// prune removes expired commands. The caller holds mu.
func (p *Pending[T]) prune() {
	now := time.Now()
	maps.DeleteFunc(p.items, func(_ string, w waiting[T]) bool { return now.After(w.until) })
}
