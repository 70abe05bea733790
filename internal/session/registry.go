// Package session manages named browser sessions: their browser, the order of their commands, and their end. Package
// options applies their options, package launch completes those of a browser that is to be launched, package host has
// the browsers, and package sites looks up what their site guard asks.
//
//	Registry --- sessions by name
//	    |            Session --- its run.BrowserContext: context, tabs, refs
//	    |               |
//	    +------- hosts: browsers, each shared by sessions with equal launch options
//
// Commands of one tab run in order of arrival: those that may change the page one at a time, those that only read
// together. Control verbs do not wait.
//
// Goroutines: one per browser, waiting for its end; one per idle timer that fires. Registry.Close waits for all.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/state"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/gate"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session/agenttool"
	"github.com/usher-browser/usher/internal/session/apps"
	"github.com/usher-browser/usher/internal/session/host"
	"github.com/usher-browser/usher/internal/session/mine"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/session/sites"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/verb"
)

// Options of a Registry.
type Options struct {
	// StateDir is the directory of the sessions' files: downloads, screenshots.
	StateDir string
	// RunDir and Version are those of the daemon, for `session info`.
	RunDir, Version string
	// NoDaemon is for a process that runs one command and is no daemon.
	NoDaemon bool
	// Table is the grammar of all commands, for the rows of batch.
	Table *verb.Table
	// Log receives messages; nil discards them.
	Log *slog.Logger
	// Resolve resolves host names for the site guard; nil uses the system.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Registry is the table of a daemon's sessions.
type Registry struct {
	opts       Options
	wg         sync.WaitGroup
	names      sites.Resolver
	blocklists sites.Blocklists
	ports      sites.Endpoints
	held       gate.Pending[held]

	newConnector func(browserhost.Options) browserhost.Connector // of the browsers that start
	apps         *apps.List
	agents       agenttool.Agents
	relay        *mine.Host

	mu       sync.Mutex
	sessions map[sessionKey]*Session  // guarded by mu
	hosts    []*host.Host             // guarded by mu
	starting map[string]chan struct{} // guarded by mu: launches under way, by key
	closed   bool                     // guarded by mu
}

// NewRegistry returns an empty registry.
func NewRegistry(opts Options) *Registry {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	r := &Registry{
		opts: opts, names: sites.Resolver{Ask: opts.Resolve}, sessions: map[sessionKey]*Session{}, starting: map[string]chan struct{}{},
		apps: apps.New(opts.StateDir), relay: mine.New(opts.StateDir, opts.Version),
	}
	r.newConnector = r.connector
	return r
}

// enter returns the session of that name in a namespace, and creates an empty one if there is none. The caller calls
// leave when its command has ended. Until then the registry keeps the session, because the command may be starting its
// browser.
func (r *Registry) enter(namespace, name string) (*Session, error) {
	key := sessionKey{namespace, name}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, api.Errorf(api.DaemonStopping, "the daemon is stopping")
	}
	s := r.sessions[key]
	if s == nil {
		s = newSession(r, key)
		r.sessions[key] = s
	}
	s.commands++
	return s, nil
}

// leave releases a session that enter returned.
func (r *Registry) leave(s *Session) {
	r.mu.Lock()
	s.commands--
	r.mu.Unlock()
	r.forget(s)
}

// sessionKey names a session: names are unique within a namespace.
type sessionKey struct{ namespace, name string }

// String returns the name with its namespace, for lists of all sessions.
func (k sessionKey) String() string {
	if k.namespace == "" {
		return k.name
	}
	return k.namespace + "/" + k.name
}

// Names returns the names of the sessions of a namespace that have a browser, sorted.
func (r *Registry) Names(namespace string) []string {
	names := []string{}
	for _, s := range r.live() {
		if s.key.namespace == namespace {
			names = append(names, s.name)
		}
	}
	slices.Sort(names)
	return names
}

// AllNames returns the names of the sessions of every namespace that have a browser, sorted.
func (r *Registry) AllNames() []string {
	names := []string{}
	for _, s := range r.live() {
		names = append(names, s.key.String())
	}
	slices.Sort(names)
	return names
}

// closing reports whether Close has been called.
func (r *Registry) closing() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// rentals returns the sessions of a namespace with a rented browser, and where it is.
func (r *Registry) rentals(namespace string) map[string]browserhost.Rental {
	found := map[string]browserhost.Rental{}
	for _, s := range r.live() {
		if h, _ := s.browserContext(); h != nil && s.key.namespace == namespace && h.Browser.Rental().Provider != "" {
			found[s.name] = h.Browser.Rental()
		}
	}
	return found
}

// Browsers returns the supervisors of all browsers in use, for checks that compare their models with the browsers.
func (r *Registry) Browsers() []*supervisor.Browser {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]*supervisor.Browser, 0, len(r.hosts))
	for _, h := range r.hosts {
		all = append(all, h.Supervisor)
	}
	return all
}

// Count returns the number of sessions that have a browser.
func (r *Registry) Count() int { return len(r.live()) }

// Pinned reports whether some session must not end because the daemon is idle: it is headed, or attached to a running
// browser. The relay pins the daemon, too: the extension waits for it.
func (r *Registry) Pinned() bool {
	return r.relay.Running() || slices.ContainsFunc(r.live(), (*Session).pinned)
}

func (r *Registry) live() []*Session {
	return slices.DeleteFunc(r.all(), func(s *Session) bool { return !s.hasBrowser() })
}

func (r *Registry) all() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.sessions))
}

// forget removes an empty session that no command uses.
func (r *Registry) forget(s *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sessions[s.key] == s && s.commands == 0 && !s.hasBrowser() && !s.isConnected() && !s.restricted() {
		delete(r.sessions, s.key)
	}
}

// CloseAll ends every session of a namespace and returns their names.
func (r *Registry) CloseAll(ctx context.Context, namespace string) ([]string, error) {
	return r.closeWhere(ctx, func(s *Session) bool { return s.key.namespace == namespace })
}

func (r *Registry) closeWhere(ctx context.Context, which func(*Session) bool) ([]string, error) {
	names := []string{}
	var errs []error
	for _, s := range r.all() {
		if !which(s) {
			continue
		}
		if !s.hasBrowser() {
			s.closeEmpty()
			r.forget(s)
			continue
		}
		names = append(names, s.name)
		errs = append(errs, s.Close(ctx))
	}
	slices.Sort(names)
	return names, errors.Join(errs...)
}

// Close ends all sessions and browsers and waits for them.
func (r *Registry) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	_, err := r.closeWhere(ctx, func(*Session) bool { return true })
	r.mu.Lock()
	hosts := slices.Clone(r.hosts)
	r.mu.Unlock()
	for _, h := range hosts {
		err = errors.Join(err, h.Close(ctx))
	}
	r.wg.Wait()
	r.relay.Close()
	return err
}

// acquire returns a browser that the session may share, or starts one.
func (r *Registry) acquire(ctx context.Context, s *Session, o options.Launch, key string, share int) (*host.Host, error) {
	for {
		r.mu.Lock()
		if r.closed {
			r.mu.Unlock()
			return nil, api.Errorf(api.DaemonStopping, "the daemon is stopping")
		}
		if !o.Isolate {
			if h := r.shareable(key, s, share); h != nil {
				r.mu.Unlock()
				return h, nil
			}
			if other := r.starting[key]; other != nil {
				r.mu.Unlock()
				select {
				case <-other:
					continue
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				}
			}
			r.starting[key] = make(chan struct{})
		}
		r.mu.Unlock()
		return r.launch(ctx, s, o, key)
	}
}

// shareable returns a host that the session may share, and adds the session to it. The caller holds mu.
func (r *Registry) shareable(key string, s *Session, share int) *host.Host {
	for _, h := range r.hosts {
		if h.Key != key || h.Options.Isolate || h.Dead() {
			continue
		}
		if h.TryJoin(s, share) {
			return h
		}
	}
	return nil
}

func (r *Registry) launch(ctx context.Context, s *Session, o options.Launch, key string) (*host.Host, error) {
	began := time.Now()
	h, err := host.Start(ctx, o, key, r.newConnector(o.Browser))
	r.mu.Lock()
	if !o.Isolate {
		close(r.starting[key])
		delete(r.starting, key)
	}
	late := err == nil && r.closed // Close has not seen this browser
	if err == nil && !late {
		h.Join(s)
		r.hosts = append(r.hosts, h)
		r.wg.Add(1)
		go r.awaitBrowserEnd(h)
	}
	r.mu.Unlock()
	if late {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*host.CloseGrace)
		defer cancel()
		return nil, errors.Join(api.Errorf(api.DaemonStopping, "the daemon is stopping"), h.Close(cctx))
	}
	if err != nil {
		return nil, err
	}
	r.opts.Log.Info("browser started", "session", s.name, "took", time.Since(began), "attached", o.Attached())
	return h, nil
}

// panicked logs a panic with its stack, which no result contains.
func (r *Registry) panicked(e *fault.Error) {
	r.opts.Log.Error("a panic", "in", "a browser's goroutine", "panic", policy.Text(fmt.Sprint(e.Value)), "stack", string(e.Stack))
}

// awaitBrowserEnd waits for a browser's end and cleans up.
func (r *Registry) awaitBrowserEnd(h *host.Host) {
	defer r.wg.Done()
	defer fault.Recover(r.panicked)
	h.Wait()
	var broken *fault.Error
	if errors.As(h.Supervisor.State().Closed, &broken) {
		r.panicked(broken)
	}
	r.mu.Lock()
	r.hosts = slices.DeleteFunc(r.hosts, func(o *host.Host) bool { return o == h })
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := h.Close(ctx); err != nil {
		r.opts.Log.Warn("clean up after a browser", "error", err)
	}
	r.opts.Log.Info("browser ended", h.ExitAttrs()...)
}

// release is called when a session has left a browser. It closes the browser after the last one.
func (r *Registry) release(ctx context.Context, h *host.Host) error {
	r.mu.Lock()
	empty := h.Sessions() == 0
	if empty { // no new session joins from now on
		r.hosts = slices.DeleteFunc(r.hosts, func(o *host.Host) bool { return o == h })
	}
	r.mu.Unlock()
	if !empty {
		return nil
	}
	return h.Close(ctx)
}

// quoted joins names for a message.
func quoted(names []string) string { return strings.Join(names, ", ") }

// Lifecycle returns agent-browser's report, with every result, about the browser of the session and its saved state.
func (r *Registry) Lifecycle(set *config.Settings, l run.Launch) *api.Lifecycle {
	o := options.SessionOf(set)
	return lifecycle(l, r.stateOf(o.Namespace, o.Name), r.engineOf(o.Namespace, o.Name))
}

func lifecycle(l run.Launch, saved state.Status, engine string) *api.Lifecycle {
	return &api.Lifecycle{
		EffectiveLaunch: api.EffectiveLaunch{BrowserLaunched: l.Running, Engine: engine},
		Launched:        l.Launched, RelaunchedBrowser: l.Launched && l.Relaunched, Reused: l.Running && !l.Launched,
		RestoreStatus: saved.Restored, SaveStatus: saved.Saved,
	}
}

// engineOf returns agent-browser's name of the engine of a session's browser.
func (r *Registry) engineOf(namespace, name string) string {
	r.mu.Lock()
	s := r.sessions[sessionKey{namespace, name}]
	r.mu.Unlock()
	if s != nil {
		return s.engine()
	}
	return chromeEngine
}

func (s *Session) engine() string {
	if h, _ := s.browserContext(); h != nil {
		return cmp.Or(h.Options.Browser.Engine, chromeEngine)
	}
	return chromeEngine
}

const chromeEngine = "chrome"
