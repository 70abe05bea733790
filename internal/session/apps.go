package session

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/browserhost/app"
)

// apps are the apps that sessions use, and those that were started here and still run.
type apps struct {
	opening chan struct{} // one slot: finding or starting one

	mu      sync.Mutex
	used    map[*Session]*app.App // guarded by mu
	started map[string]*app.App   // guarded by mu, by path
}

func newApps() *apps {
	return &apps{opening: make(chan struct{}, 1), used: map[*Session]*app.App{}, started: map[string]*app.App{}}
}

// open returns the app of `connect --app`, which the session uses from now on. fresh reports whether it was started for this.
func (p *apps) open(ctx context.Context, cmd Command, s *Session) (a *app.App, fresh bool, err error) {
	path := cmd.Call.Str("app")
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmd.Cwd, path)
	}
	path = filepath.Clean(path)
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
		return nil, false, api.Errorf(api.LaunchConflict, "session %s uses %s", s.name, used.Path).WithHint("Run `close` first, or use another --session.")
	}
	if a == nil || a.Ended() {
		if a, err = app.Open(ctx, app.Options{Path: path, Args: cmd.Call.List("app-arg"), Dir: cmd.Cwd, Display: browserhost.Display(cmd.Env)}); err != nil {
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

// leave ends the use of an app by a session, and returns the app.
func (p *apps) leave(s *Session) *app.App {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.used[s]
	delete(p.used, s)
	return a
}

// end ends an app that was started here and that no session uses. Otherwise the text says why it goes on running.
func (p *apps) end(a *app.App) (kept string) {
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

// endAll ends the apps that were started here.
func (p *apps) endAll() {
	p.mu.Lock()
	started := slices.Collect(maps.Values(p.started))
	p.mu.Unlock()
	for _, a := range started {
		_ = p.end(a) // one that a new session uses goes on running
	}
}

// of returns the app that a session uses, or nil.
func (p *apps) of(s *Session) *app.App {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used[s]
}
