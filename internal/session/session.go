package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/navigate"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/state"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/gate"
	"github.com/usher-browser/usher/internal/session/code"
	"github.com/usher-browser/usher/internal/session/host"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/session/turns"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Session is one named browser session. It may have no browser (yet, or any
// more).
type Session struct {
	key  sessionKey
	name string // of key
	reg  *Registry

	opening chan struct{} // one slot: starting, changing or closing the browser

	gate  gate.Gate     // the action policy
	code  code.Runs     // the script engines of its tabs
	turns *turns.Queues // of commands, at its tabs

	begun atomic.Uint64 // commands, and operations of code

	commands int // guarded by Registry.mu: under way or about to be

	mu             sync.Mutex
	host           *host.Host                          // guarded by mu
	work           *run.BrowserContext                 // guarded by mu
	opened         chan struct{}                       // guarded by mu: closed when the session gets a browser
	detached       chan struct{}                       // guarded by mu: closed when the session leaves its browser; nil while it has none
	launched       map[string]string                   // guarded by mu: launch options as given when the browser started
	applied        options.Live                        // guarded by mu; changed in the opening slot only; kept for the next browser after a crash
	standing       options.Live                        // guarded by mu; changed in the opening slot only: what files and the environment gave
	inForce        *config.Settings                    // guarded by mu: settings whose options applied and standing have; nil if unknown
	outdated       map[model.TargetID]options.Outdated // guarded by mu; changed in the opening slot only: tabs that have not got them yet
	bridgeReported time.Time                           // guarded by mu: the switch to the bridge that was reported
	contained      []string                            // guarded by mu; changed in the opening slot only: the allowed domains, which hold until the session is closed
	bounded        bool                                // guarded by mu: --content-boundaries holds, until the session is closed
	lastURL        string                              // guarded by mu: of the active tab, to reopen after a crash
	startedAt      time.Time                           // guarded by mu
	idle           *time.Timer                         // guarded by mu
	idleRound      uint64                              // guarded by mu: which run of the idle clock counts
	running        int                                 // guarded by mu: commands under way
	idleFor        *time.Duration                      // guarded by mu: the requested idle time, which holds until another is requested
	restore        *state.Restore                      // guarded by mu: the saved state of the session; nil for none
	autosaveAfter  *time.Duration                      // guarded by mu: the requested time until the state is saved, which holds until another is requested
	connected      *config.Settings                    // guarded by mu: of the command connect; nil without it
	autosave       *time.Timer                         // guarded by mu: saves it; nil if no command has ended since
	blank          atomic.Bool                         // it was connected to a browser without tabs; the first command that needs one opens it
}

func newSession(r *Registry, key sessionKey) *Session {
	s := &Session{key: key, name: key.name, reg: r, opening: make(chan struct{}, 1), opened: make(chan struct{})}
	s.turns = turns.New(s.openTabs)
	return s
}

// Name returns the session's name.
func (s *Session) Name() string { return s.name }

// browserContext returns the session's share of a browser, nil if it has none.
func (s *Session) browserContext() (*host.Host, *run.BrowserContext) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host, s.work
}

// openTabs returns the tabs of the session's browser, nil if it has none.
func (s *Session) openTabs() map[model.TargetID]*model.Tab {
	_, work := s.browserContext()
	if work == nil {
		return nil
	}
	return work.Browser.State().Tabs
}

func (s *Session) hasBrowser() bool {
	h, _ := s.browserContext()
	return h != nil
}

func (s *Session) pinned() bool {
	h, _ := s.browserContext()
	return h != nil && !h.Dead() && h.Options.MayBeWatched()
}

// lock takes the opening slot, which is needed to change the session's browser.
func (s *Session) lock(ctx context.Context) error {
	select {
	case s.opening <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Session) unlock() { <-s.opening }

// ensure returns the session's browser context for a verb, starting the browser if the verb does that. It returns an
// error for options that need another browser. The warning, if any, names options that were not applied.
func (s *Session) ensure(ctx context.Context, cmd Command) (got provided, err error) {
	cmd.Settings = s.connection(cmd.Settings)
	v, set := cmd.Call.Verb, cmd.Settings
	if err := s.mayHavePort(cmd); err != nil {
		return got, err
	}
	h, work := s.browserContext()
	locked := h == nil || h.Dead() || s.contextChanged(v, set)
	if locked {
		if err := s.lock(ctx); err != nil {
			return got, err
		}
		defer s.unlock()
		h, work = s.browserContext()
	}
	if h != nil && h.Dead() {
		got.launch.Relaunched = true
		if got.warning, err = s.recover(ctx, cmd, h); err != nil {
			return got, err
		}
		h, work = s.browserContext()
		got.launch.Launched = h != nil
	}
	if h == nil {
		if !cmd.Call.Starts() && !attaches(set) {
			return got, cmp.Or(options.Simulator(set), s.notRunning())
		}
		note, err := s.start(ctx, cmd)
		if err != nil {
			return got, err
		}
		_, got.work = s.browserContext()
		got.launch.Launched = true
		got.warning = api.JoinWarnings(got.warning, note)
		return got, nil
	}
	note, err := s.checkLaunch(set)
	if err != nil {
		return got, err
	}
	if locked {
		if err := s.applyContext(ctx, v, set); err != nil {
			return got, err
		}
	}
	got.work, got.warning = work, api.JoinWarnings(got.warning, note)
	return got, nil
}

// provided is the browser context that a command gets.
type provided struct {
	work    *run.BrowserContext
	launch  run.Launch
	warning string // such as options that were not applied
	waited  bool   // the command began before there was a browser
}

func (s *Session) notRunning() error {
	err := api.Errorf(api.BrowserNotRunning, "session %s has no browser", s.name)
	if names := s.reg.Names(s.key.namespace); len(names) > 0 {
		return err.WithHint("Start one with `open <url>`, or use an open session with --session: %s.", quoted(names))
	}
	return err
}

// recover handles a browser that ended unexpectedly. A verb that starts browsers starts another one, as does any verb
// with --auto-recover; other verbs get an error.
func (s *Session) recover(ctx context.Context, cmd Command, h *host.Host) (warning string, err error) {
	v, set := cmd.Call.Verb, cmd.Settings
	s.mu.Lock()
	last := s.lastURL
	s.mu.Unlock()
	auto := options.SessionOf(set).AutoRecover
	rental := h.Browser.Rental()
	if !v.Is(verb.Starts) && (!auto || rental.Provider != "") {
		err := api.Errorf(api.BrowserCrashed, "the browser of session %s is gone: %s%s", s.name, h.ExitReason(), s.savedHAR(h)).With("lastUrl", last)
		if rental.Provider != "" {
			return "", err.WithHint("`open %s` starts another session at %s, which costs money; --auto-recover does not. `close` ends this one.", cmp.Or(last, "<url>"), rental.Provider)
		}
		if last != "" {
			return "", err.WithHint("Reopen the last page with `open %s`; --auto-recover does so automatically.", last)
		}
		return "", err
	}
	s.detach()
	if v.Is(verb.Starts) {
		return "", nil
	}
	note, err := s.start(ctx, cmd)
	if err != nil {
		return "", err
	}
	warning = api.JoinWarnings("the browser had crashed ("+h.ExitReason()+") and was restarted; the state of the page is lost", note)
	if last != "" {
		_, work := s.browserContext()
		tab, _ := work.Active()
		e := &run.Env{BrowserContext: work, Tab: tab, Limit: options.DefaultLimit}
		if _, err := navigate.Navigate(ctx, e, last); err != nil {
			return "", err
		}
	}
	return warning, nil
}

// savedHAR saves the HAR that was being recorded when the browser ended, and returns where as the end of a sentence.
func (s *Session) savedHAR(h *host.Host) string {
	_, work := s.browserContext()
	if work == nil {
		return ""
	}
	switch path, err := h.SavedHAR(work.Context); {
	case err != nil:
		return fmt.Sprintf("; the HAR could not be saved: %v", err)
	case path != "":
		return "; the HAR up to there is saved as " + path
	}
	return ""
}

// start starts the session's browser and its first tab. The caller holds the opening slot. notice is the warning about a
// debugging port.
func (s *Session) start(ctx context.Context, cmd Command) (notice string, err error) {
	set := cmd.Settings
	o := options.LaunchOf(set)
	if err := portRefused(cmd, &o); err != nil {
		return "", err
	}
	source, err := options.CheckSource(set)
	if err != nil {
		return "", err
	}
	roots, err := run.Roots(set.Str("ca-cert"), set.Value("ca-cert").Where)
	if err != nil {
		return "", err
	}
	o.Browser.Access.Roots = roots
	extra, err := s.caller(cmd).Complete(ctx, &o)
	if err != nil {
		return "", err
	}
	source = api.JoinWarnings(source, extra)
	domains, err := s.restrictedAtStart(ctx, cmd)
	if err != nil {
		return "", err
	}
	if domains != nil {
		if err := o.Contain(set, domains); err != nil {
			return "", err
		}
	}
	h, err := s.reg.acquire(ctx, s, o, options.LaunchKey(set, o.Browser.Display, &o.Mutated), options.SessionOf(set).Share)
	if err != nil {
		return "", errors.Join(err, o.CloseFilter())
	}
	work, id, err := s.newBrowserContext(ctx, h, cmd)
	if err != nil {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), host.CloseGrace)
		defer cancel()
		return "", errors.Join(err, h.Leave(cctx, s, id), s.reg.release(cctx, h))
	}
	restore, warning, err := s.fill(ctx, cmd, work)
	if err != nil {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), host.CloseGrace)
		defer cancel()
		return "", errors.Join(err, h.Leave(cctx, s, id), s.reg.release(cctx, h))
	}
	s.turns.Clear()
	s.mu.Lock()
	s.contained = s.applied.List(options.AllowedDomains)
	s.host, s.work, s.startedAt, s.detached, s.restore = h, work, time.Now(), make(chan struct{}), restore
	s.launched = options.LaunchWords(set)
	close(s.opened)
	s.mu.Unlock()
	return api.JoinWarnings(source, api.JoinWarnings(h.PortNotice(), warning)), nil
}

// newBrowserContext creates the session's browser context. If it fails after creating the context, it returns both.
func (s *Session) newBrowserContext(ctx context.Context, h *host.Host, cmd Command) (*run.BrowserContext, model.ContextID, error) {
	set := cmd.Settings
	id, err := h.BrowserContext(ctx)
	if err != nil {
		return nil, "", err
	}
	live := h.Options.Mutated.Live(s.optionsAtStart(set).Contained(h.Options.Filter))
	downloads, err := s.downloadDir(live["download-path"])
	if err != nil {
		return nil, id, err
	}
	work := run.NewBrowserContext(h.Supervisor, h.Worlds, h.Camera, h.Video, h.Journal, id, downloads)
	if !h.Options.Attached() || h.Options.Browser.Mine || h.Options.Browser.Try {
		work.DebugURL = h.Browser.Address()
	}
	work.Files = h.Browser.Files()
	work.Logins = !h.Options.Attached()
	work.Headed = !h.Options.Attached() && h.Options.Traits().Headed
	dialogs, err := options.NewPolicy(set)
	if err != nil {
		return nil, id, err
	}
	if err := h.AskVersion(ctx); err != nil {
		return nil, id, err
	}
	earlier := h.Supervisor.SetInit(id, h.Pages(live).Init())
	for _, t := range earlier.ContextTabs(id) { // those of a browser that ran already
		if t.Session != "" {
			h.Pages(live).Post(h.Supervisor, t)
		}
	}
	h.Supervisor.SetPolicy(id, dialogs)
	// A person who works in the browser uses their own file choosers and login windows.
	h.Supervisor.InterceptChoosersOf(id, !h.Options.Attached())
	h.Supervisor.SetFetching(supervisor.Fetching{Context: id, Logins: work.Logins})
	if err := h.Options.Mutated.AddScripts(ctx, s.target(h, work)); err != nil {
		return nil, id, err
	}
	if err := live.Apply(ctx, s.target(h, work), nil); err != nil {
		return nil, id, err
	}
	s.mu.Lock()
	s.applied, s.standing, s.inForce = live, s.standing.Stand(set), nil
	s.mu.Unlock()
	if err := work.Start(ctx); err != nil {
		return nil, id, api.Errorf(api.LaunchFailed, "%w", err)
	}
	if h.DefaultContext() && len(h.Extensions) == 0 { // a page that an extension opened is not the session's first tab
		if _, ok := work.Active(); ok {
			return work, id, nil
		}
		if joins(cmd.Call.Verb) {
			s.blank.Store(true)
			return work, id, nil
		}
	}
	if _, err := work.NewTab(ctx, false); err != nil {
		return nil, id, api.Errorf(api.LaunchFailed, "%w", err)
	}
	return work, id, options.CheckScripts(ctx, s.target(h, work))
}

// optionsAtStart returns the options of a new browser context: after a crash those that the session had.
func (s *Session) optionsAtStart(set *config.Settings) options.Live {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.applied == nil {
		return options.LiveOf(set)
	}
	return s.applied.Merge(set, s.standing)
}

// downloadDir creates the directory of --download-path, or the session's own if that is empty.
func (s *Session) downloadDir(dir string) (string, error) {
	if dir == "" {
		dir = s.ownDownloads()
		for _, own := range []string{filepath.Join(s.reg.opts.StateDir, "downloads"), dir} { // the outer one closes all below it
			if err := dirs.MakePrivate(own); err != nil {
				return "", fmt.Errorf("make the download directory: %w", err)
			}
		}
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", api.Errorf(api.FileWriteFailed, "make the download directory: %w", err)
	}
	return dir, nil
}

// ownDownloads returns the download directory if there is no --download-path.
func (s *Session) ownDownloads() string {
	return filepath.Join(s.reg.opts.StateDir, "downloads", dirs.FileName(s.key.namespace), dirs.FileName(s.name))
}

// detach forgets the browser.
func (s *Session) detach() (*host.Host, *run.BrowserContext) {
	h, w, _ := s.detachIf(func() bool { return true })
	return h, w
}

// detachIf is detach if holds returns true, which is called with mu held. did is what it returned.
func (s *Session) detachIf(holds func() bool) (h *host.Host, w *run.BrowserContext, did bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !holds() {
		return nil, nil, false
	}
	h, w = s.host, s.work
	if s.detached != nil {
		close(s.detached)
		s.opened = make(chan struct{})
	}
	s.host, s.work, s.launched, s.idleFor, s.autosaveAfter, s.detached, s.outdated, s.restore = nil, nil, nil, nil, nil, nil, nil, nil
	s.stopIdle()
	s.stopSaving()
	return h, w, true
}

// Close ends the session: its tabs and context, and its browser if no other session uses it. An attached browser keeps
// running. Closing a session without a browser is not an error.
func (s *Session) Close(ctx context.Context) error {
	return s.closeIf(ctx, func() bool { return true })
}

// closeIf is Close if holds returns true, which is called with mu held.
func (s *Session) closeIf(ctx context.Context, holds func() bool) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	restore := s.restored()
	h, w, did := s.detachIf(holds)
	if !did {
		return nil
	}
	s.code.Close()
	s.unrestrict()
	s.disconnect()
	if h == nil {
		s.reg.forget(s)
		return nil
	}
	s.saveState(ctx, restore, w)
	err := errors.Join(w.Finish(ctx), h.Leave(ctx, s, w.Context), s.reg.release(ctx, h))
	_ = os.Remove(s.ownDownloads()) // it fails while there are downloads in it, and they are to stay
	s.reg.forget(s)
	return s.closeError(err)
}

// closeError returns the error of a session that ended with an error.
func (s *Session) closeError(err error) error {
	switch {
	case err == nil:
		return nil
	case api.CodeOf(err) == api.ProviderFailed, api.CodeOf(err) == api.BrowserUnresponsive: // with what to do about it
		return fmt.Errorf("close session %s: %w", s.name, err)
	}
	return api.Errorf(api.ProtocolError, "close session %s: %w", s.name, err)
}
