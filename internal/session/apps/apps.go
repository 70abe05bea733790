// Package apps has the apps that sessions use as their browsers (connect --app): it finds or starts them, and ends those that it
// started.
package apps

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost/app"
)

// List has the apps that sessions use, and those that were started here and still run.
type List struct {
	opening  chan struct{} // one slot: finding or starting one
	launches *app.Launches // those with profiles of their own

	mu      sync.Mutex
	used    map[Session]*app.App // guarded by mu
	started map[string]*app.App  // guarded by mu, by path
}

// Session is a session that uses an app; two are the same if they are equal.
type Session interface {
	Name() string
	// Close ends the session; the app goes on running.
	Close(ctx context.Context) error
}

// New returns an empty list. The records and profiles of launched apps are below a directory.
func New(dir string) *List {
	return &List{launches: app.NewLaunches(filepath.Join(dir, "apps")), opening: make(chan struct{}, 1), used: map[Session]*app.App{}, started: map[string]*app.App{}}
}

// Open returns the app of `connect --app`, which the session uses from now on. fresh reports whether it was started for this.
func (p *List) Open(ctx context.Context, s Session, o app.Options) (a *app.App, fresh bool, err error) {
	path := o.Path
	select {
	case p.opening <- struct{}{}:
		defer func() { <-p.opening }()
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	}
	p.mu.Lock()
	a = p.started[path]
	used := p.used[s]
	p.mu.Unlock()
	if used != nil && used.Path != path {
		return nil, false, api.Errorf(api.LaunchConflict, "session %s uses %s", s.Name(), used.Path).WithHint("Run `close` first, or use another --session.")
	}
	if a == nil || a.Ended() {
		if a, err = app.Open(ctx, o); err != nil {
			return nil, false, err
		}
		fresh = a.Started
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used[s] = a; a.Started {
		p.started[path] = a
	}
	return a, fresh, nil
}

// use notes that a session uses an app that was launched for it.
func (p *List) use(s Session, a *app.App) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used[s] = a
}

// Leave ends the use of an app by a session, and returns the app.
func (p *List) Leave(s Session) *app.App {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.used[s]
	delete(p.used, s)
	return a
}

// End ends an app that was started here and that no session uses. Otherwise the text says why it goes on running.
func (p *List) End(a *app.App) (kept string) {
	switch {
	case a == nil:
		return "there is no app to end: only one that connect --app started is"
	case !a.Started:
		return a.Path + " was not started by usher, and goes on running"
	}
	p.mu.Lock()
	for _, used := range p.used {
		if used == a {
			p.mu.Unlock()
			return a.Path + " goes on running: another session uses it"
		}
	}
	delete(p.started, a.Path)
	p.mu.Unlock()
	a.Kill()
	return ""
}

// EndAll ends the apps that were started here.
func (p *List) EndAll() {
	p.mu.Lock()
	started := slices.Collect(maps.Values(p.started))
	p.mu.Unlock()
	for _, a := range started {
		_ = p.End(a) // one that a new session uses goes on running
	}
}

// Of returns the app that a session uses, or nil.
func (p *List) Of(s Session) *app.App {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used[s]
}
