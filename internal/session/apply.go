package session

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/session/host"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Options that change while pages are open count as applied when the browser has confirmed them. Commands with such
// options take the opening slot, so that one has finished with all tabs before the next begins. A tab that cannot answer
// (because of a dialog, a busy script, or a lost connection) is marked as outdated: it gets the missing options before
// the next command that can reach it, and no command runs in it before that.

// contextChanged reports whether a command has to take the opening slot: it has other options, or there are outdated
// tabs.
func (s *Session) contextChanged(v *verb.Verb, set *config.Settings) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inForce != set { // rows of a batch and calls of code have the settings of the row or call before
		if !maps.Equal(s.applied.Merge(set, s.standing), s.applied) || !maps.Equal(s.standing.Stand(set), s.standing) {
			return true
		}
		s.inForce = set
	}
	return s.work != nil && options.OverridesPolicy(set, s.work) || len(s.outdated) > 0 && !v.Is(verb.Control)
}

// errOptions is the cause when options could not be applied in time.
var errOptions = errors.New("the options could not be applied before the deadline")

// applyContext applies changed options to the session's tabs, present and future. The caller holds the opening slot.
// Options that the browser rejects are reverted.
func (s *Session) applyContext(ctx context.Context, v *verb.Verb, set *config.Settings) error {
	limit, given := options.LimitOf(set, v)
	until := time.Now().Add(limit)
	ctx, cancel := context.WithDeadlineCause(ctx, until, errOptions)
	defer cancel()
	if given {
		ctx = guard.WithUnresponsiveTimeout(ctx, guard.UnresponsiveTimeout{Until: until})
	}
	h, work := s.browserContext()
	s.mu.Lock()
	old := s.applied
	now := old.Merge(set, s.standing)
	s.mu.Unlock()
	var policy model.Policy // the previous one
	if !maps.Equal(now, old) || options.OverridesPolicy(set, work) {
		var err error
		if policy, err = s.changeOptions(ctx, h, work, old, now, set); err != nil {
			return s.explain(work, err)
		}
	}
	s.mu.Lock()
	s.standing, s.inForce = s.standing.Stand(set), nil
	s.mu.Unlock()
	active, ok := work.Active()
	failed := s.updateTabs(ctx, h, work, now, active)
	for id, err := range failed {
		if options.Refused(err, h.Supervisor, id) {
			return errors.Join(api.Errorf(api.ProtocolError, "apply options: %w", err), s.revertOptions(ctx, h, work, id, old, now, policy))
		}
	}
	err := failed[active]
	if !ok || err == nil || v.Is(verb.Control) || v.Is(verb.WorksOffline) {
		return nil
	}
	if b := h.Supervisor.Blocked(err, active); b != nil && v.Category == verb.CatNavigate && (b.Crash != nil || b.Unresponsive != nil) {
		return nil // it leaves the page; the next command checks that the page got the options
	}
	return s.explain(work, err)
}

func (s *Session) explain(work *run.BrowserContext, err error) error {
	active, _ := work.Active()
	env := &run.Env{BrowserContext: work, Tab: active}
	if errors.Is(err, errOptions) || errors.Is(err, errStart) {
		if err := env.Unresponsive("apply options"); err != nil { // on a loaded machine it was not found so before
			return err
		}
		return api.Errorf(api.Timeout, "%w; nothing was done", errOptions).
			WithHint("The next command tries again. `status` shows what blocks the browser.")
	}
	return env.Explain(err, "apply options")
}

// changeOptions sends changed options to the browser, sets them for new tabs, and marks the present tabs as outdated.
// It returns the previous dialog policy.
func (s *Session) changeOptions(ctx context.Context, h *host.Host, work *run.BrowserContext, old, now options.Live, set *config.Settings) (policy model.Policy, err error) {
	err = h.Supervisor.UpdatePolicy(work.Context, func(p *model.Policy) error {
		policy = *p
		return now.Revise(p, old, set)
	})
	if err != nil {
		return policy, err
	}
	to := s.target(h, work)
	if err := now.Apply(ctx, to, old); err != nil {
		// The options that were applied are restored; restoring the failed one fails again.
		_ = old.Apply(ctx, to, now)
		return policy, errors.Join(err, restorePolicy(h, work.Context, policy))
	}
	h.Supervisor.SetInit(work.Context, h.Pages(now).Init())
	s.commit(work, old, now)
	return policy, nil
}

// target returns what options are applied to.
func (s *Session) target(h *host.Host, work *run.BrowserContext) options.Target {
	return options.Target{BrowserContext: work, Filter: h.Options.Filter, DownloadDir: s.downloadDir}
}

// restorePolicy restores a dialog policy, except the rules that were added by command.
func restorePolicy(h *host.Host, c model.ContextID, old model.Policy) error {
	return h.Supervisor.UpdatePolicy(c, func(p *model.Policy) error {
		old.Rules = p.Rules
		*p = old
		return nil
	})
}

// commit makes now the options in force, and marks every tab that has others as outdated.
func (s *Session) commit(work *run.BrowserContext, old, now options.Live) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.applied, s.inForce = now, nil
	s.contained = now.List(options.AllowedDomains)
	if !now.PagesDiffer(old) {
		return
	}
	for _, t := range work.Tabs() {
		if t.Session == "" {
			continue // its set-up sends them
		}
		l := s.outdated[t.ID]
		if l.Session != t.Session {
			l = options.Outdated{Session: t.Session}
		}
		if s.outdated == nil {
			s.outdated = map[model.TargetID]options.Outdated{}
		}
		s.outdated[t.ID] = l.With(old)
	}
}

// updateTabs sends the outdated tabs their missing options, concurrently, and returns the errors of those that fail. It
// waits for the active tab up to the caller's limit, and skips tabs that are known not to answer.
func (s *Session) updateTabs(ctx context.Context, h *host.Host, work *run.BrowserContext, now options.Live, active model.TargetID) map[model.TargetID]error {
	tabs := h.Supervisor.State().Tabs
	s.mu.Lock()
	todo := map[model.TargetID]options.Outdated{}
	for id, l := range s.outdated {
		if t := tabs[id]; t == nil || t.Session != l.Session || t.Context != work.Context {
			delete(s.outdated, id) // closed, or set up again with all options
			continue
		} else if id != active && (t.Unresponsive != nil || t.Crash != nil) {
			continue
		}
		todo[id] = l
	}
	s.mu.Unlock()
	var all sync.WaitGroup
	var mu sync.Mutex
	failed := map[model.TargetID]error{} // guarded by mu
	for id, l := range todo {
		all.Go(func() {
			ctx := ctx
			if id != active {
				ctx = guard.WithUnresponsiveTimeout(ctx, guard.UnresponsiveTimeout{})
			}
			if err := l.Send(ctx, h.Supervisor, id, h.Pages(now)); err != nil {
				mu.Lock()
				failed[id] = err
				mu.Unlock()
			}
		})
	}
	all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, l := range todo {
		switch {
		case failed[id] == nil:
			delete(s.outdated, id)
		case s.outdated != nil: // it may have received some of them, or receive them later
			s.outdated[id] = l.With(now)
		}
	}
	return failed
}

// revertOptions restores the previous options after a tab rejected a change. Tabs that have the change are marked as
// outdated. A tab in which nothing was changed keeps its options.
func (s *Session) revertOptions(ctx context.Context, h *host.Host, work *run.BrowserContext, tab model.TargetID, old, now options.Live, policy model.Policy) error {
	if maps.Equal(now, old) {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.outdated, tab)
		return nil
	}
	h.Supervisor.SetInit(work.Context, h.Pages(old).Init())
	s.commit(work, now, old)
	return errors.Join(old.Apply(ctx, s.target(h, work), now), restorePolicy(h, work.Context, policy))
}
