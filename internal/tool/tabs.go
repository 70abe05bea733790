package tool

import (
	"context"
	"maps"
	"sync"
)

// Tabs are the tabs that the code of an agent drives, by the names that it gave them. They can be used by several calls at
// once.
type Tabs struct {
	mu    sync.Mutex
	named map[string]Tab           // guarded by mu
	turns map[string]chan struct{} // guarded by mu, by session: hold a token while a tab is opened or closed there
}

// Tab is a tab with a name.
type Tab struct {
	// Session is the browser session, and Target the tab's target id.
	Session, Target string
	// Kind is the kind of browser: headless, connected or spawned. Browser describes it.
	Kind, Browser string
	URL           string // the last known one
}

// NewTabs returns an empty list.
func NewTabs() *Tabs {
	return &Tabs{named: map[string]Tab{}, turns: map[string]chan struct{}{}}
}

// Turn waits until no other call opens or closes tabs of a session, and keeps the turn until done is called.
func (t *Tabs) Turn(ctx context.Context, session string) (done func(), err error) {
	t.mu.Lock()
	turn := t.turns[session]
	if turn == nil {
		turn = make(chan struct{}, 1)
		t.turns[session] = turn
	}
	t.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Get returns the tab with a name.
func (t *Tabs) Get(name string) (tab Tab, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tab, ok = t.named[name]
	return tab, ok
}

// Set names a tab.
func (t *Tabs) Set(name string, tab Tab) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.named[name] = tab
}

// Delete forgets a name.
func (t *Tabs) Delete(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.named, name)
}

// All returns the names and their tabs.
func (t *Tabs) All() map[string]Tab {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.named)
}
