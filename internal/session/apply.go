package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/command/run"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// Options that change while pages are open count as applied when the browser has confirmed them. Commands with such
// options take the opening slot, so that one has finished with all tabs before the next begins. A tab that cannot answer
// (because of a dialog, a busy script, or a lost connection) is marked as outdated: it gets the missing options before
// the next command that can reach it, and no command runs in it before that.

// outdatedTab is a tab that does not have the options in force.
type outdatedTab struct {
	session    string           // the CDP session that they were sent in; a newer one has got all of them in its set-up
	candidates []contextOptions // those it had, and those that were sent without a reply
}

// mayHave reports whether the options are among those that the tab may have.
func (l outdatedTab) mayHave(o contextOptions) bool {
	return slices.ContainsFunc(l.candidates, func(had contextOptions) bool { return maps.Equal(had, o) })
}

// contextChanged reports whether a command has to take the opening slot: it has other options, or there are outdated
// tabs.
func (s *Session) contextChanged(v *verb.Verb, set *config.Settings) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !maps.Equal(s.applied.merge(set, s.standing), s.applied) || !maps.Equal(s.standing.stand(set), s.standing) || s.work != nil && overridesPolicy(set, s.work) || len(s.outdated) > 0 && !v.Is(verb.Control)
}

// errOptions is the cause when options could not be applied in time.
var errOptions = errors.New("the options could not be applied before the deadline")

// applyContext applies changed options to the session's tabs, present and future. The caller holds the opening slot.
// Options that the browser rejects are reverted.
func (s *Session) applyContext(ctx context.Context, v *verb.Verb, set *config.Settings) error {
	limit, given := limitOf(set, v)
	until := time.Now().Add(limit)
	ctx, cancel := context.WithDeadlineCause(ctx, until, errOptions)
	defer cancel()
	if given {
		ctx = guard.WithUnresponsiveTimeout(ctx, guard.UnresponsiveTimeout{Until: until})
	}
	h, work := s.browserContext()
	s.mu.Lock()
	old := s.applied
	now := old.merge(set, s.standing)
	s.mu.Unlock()
	var policy model.Policy // the previous one
	if !maps.Equal(now, old) || overridesPolicy(set, work) {
		var err error
		if policy, err = s.changeOptions(ctx, h, work, old, now, set); err != nil {
			return s.explain(work, err)
		}
	}
	s.mu.Lock()
	s.standing = s.standing.stand(set)
	s.mu.Unlock()
	active, ok := work.Active()
	failed := s.updateTabs(ctx, h, work, now, active)
	for id, err := range failed {
		if h.refused(err, id) {
			return errors.Join(api.Errorf(api.ProtocolError, "apply options: %w", err), s.revertOptions(ctx, h, work, id, old, now, policy))
		}
	}
	err := failed[active]
	if !ok || err == nil || v.Is(verb.Control) || v.Is(verb.WorksOffline) {
		return nil
	}
	if b := h.sup.Blocked(err, active); b != nil && v.Category == verb.CatNavigate && (b.Crash != nil || b.Unresponsive != nil) {
		return nil // it leaves the page; the next command checks that the page got the options
	}
	return s.explain(work, err)
}

func (s *Session) explain(work *run.BrowserContext, err error) error {
	if errors.Is(err, errOptions) || errors.Is(err, errStart) {
		return api.Errorf(api.Timeout, "%w; nothing was done", errOptions).
			WithHint("The next command tries again. `status` shows what blocks the browser.")
	}
	active, _ := work.Active()
	return (&run.Env{BrowserContext: work, Tab: active}).Explain(err, "apply options")
}

// changeOptions sends changed options to the browser, sets them for new tabs, and marks the present tabs as outdated.
// It returns the previous dialog policy.
func (s *Session) changeOptions(ctx context.Context, h *host, work *run.BrowserContext, old, now contextOptions, set *config.Settings) (policy model.Policy, err error) {
	err = h.sup.UpdatePolicy(work.Context, func(p *model.Policy) error {
		policy = *p
		return now.revise(p, old, set)
	})
	if err != nil {
		return policy, err
	}
	if err := now.apply(ctx, s, h, work, old); err != nil {
		// The options that were applied are restored; restoring the failed one fails again.
		_ = old.apply(ctx, s, h, work, now)
		return policy, errors.Join(err, restorePolicy(h, work.Context, policy))
	}
	h.sup.SetInit(work.Context, h.ofPage(now).init())
	s.commit(work, old, now)
	return policy, nil
}

// apply changes the options of a browser context from old to o, except those that are sent to each page.
func (o contextOptions) apply(ctx context.Context, s *Session, h *host, work *run.BrowserContext, old contextOptions) error {
	var errs []error
	for _, row := range options() {
		was, now := old.effective(row.name), o.effective(row.name)
		switch {
		case was == now:
		case row.context != nil:
			errs = append(errs, row.context(ctx, h, work.Context, was, now))
		case row.browserContext != nil:
			errs = append(errs, row.browserContext(ctx, s, work, now))
		}
	}
	return errors.Join(errs...)
}

// restorePolicy restores a dialog policy, except the rules that were added by command.
func restorePolicy(h *host, c model.ContextID, old model.Policy) error {
	return h.sup.UpdatePolicy(c, func(p *model.Policy) error {
		old.Rules = p.Rules
		*p = old
		return nil
	})
}

// commit makes now the options in force, and marks every tab that has others as outdated.
func (s *Session) commit(work *run.BrowserContext, old, now contextOptions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.applied = now
	s.contained = now[allowedDomains]
	if !now.pagesDiffer(old) {
		return
	}
	for _, t := range work.Tabs() {
		if t.Session == "" {
			continue // its set-up sends them
		}
		l := s.outdated[t.ID]
		if l.session != t.Session {
			l = outdatedTab{session: t.Session}
		}
		if !l.mayHave(old) {
			l.candidates = append(slices.Clone(l.candidates), old)
		}
		if s.outdated == nil {
			s.outdated = map[model.TargetID]outdatedTab{}
		}
		s.outdated[t.ID] = l
	}
}

// updateTabs sends the outdated tabs their missing options, concurrently, and returns the errors of those that fail. It
// waits for the active tab up to the caller's limit, and skips tabs that are known not to answer.
func (s *Session) updateTabs(ctx context.Context, h *host, work *run.BrowserContext, now contextOptions, active model.TargetID) map[model.TargetID]error {
	tabs := h.sup.State().Tabs
	s.mu.Lock()
	todo := map[model.TargetID]outdatedTab{}
	for id, l := range s.outdated {
		if t := tabs[id]; t == nil || t.Session != l.session || t.Context != work.Context {
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
			if err := h.sendOptions(ctx, id, l, now); err != nil {
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
		case s.outdated != nil && !l.mayHave(now): // it may have received some of them, or receive them later
			l.candidates = append(slices.Clone(l.candidates), now)
			s.outdated[id] = l
		}
	}
	return failed
}

// sendOptions sends a tab the commands that turn every option it may have into the ones in force. It ends when the tab
// cannot answer.
func (h *host) sendOptions(ctx context.Context, tab model.TargetID, l outdatedTab, now contextOptions) error {
	ctx, stop := h.sup.Guard(ctx, tab)
	defer stop()
	sent := map[string]bool{}
	for _, had := range l.candidates {
		for _, cmd := range h.ofPage(now).change(had) {
			if sent[cmd.Method] {
				continue
			}
			sent[cmd.Method] = true
			if cmd.Frames {
				h.post(tab, cmd)
			}
			if err := h.sup.Session(l.session).Call(ctx, cmd.Method, cmd.Params, nil); err != nil && (!cmd.Process || !inEffect(err)) {
				if b := h.sup.Blocked(err, tab); b != nil && b.Gone {
					return nil
				}
				return err
			}
		}
	}
	return nil
}

// post sends a command to the out-of-process frames of a tab without waiting for replies: their set-up is like the
// page's.
func (h *host) post(tab model.TargetID, cmd model.InitCommand) {
	t := h.sup.State().Tabs[tab]
	if t == nil {
		return
	}
	for _, f := range t.Frames {
		if f.OOPIF && f.ID != t.Main && f.Session != "" {
			h.sup.Session(f.Session).Post(cmd.Method, cmd.Params, nil)
		}
	}
}

// refused reports whether the browser rejects an option, as opposed to a tab that could not receive it. A page that
// crashes, or closes, during the call answers with an error, too.
func (h *host) refused(err error, tab model.TargetID) bool {
	var no *cdp.Error
	if !errors.As(err, &no) || no.Code == -32001 || no.Code == -32603 || world.DocumentGone(err) || h.sup.Blocked(err, tab) != nil {
		return false
	}
	for _, word := range []string{"crashed", "closed", "detached", "Not attached"} {
		if strings.Contains(no.Message, word) {
			return false
		}
	}
	return true
}

// revertOptions restores the previous options after a tab rejected a change. Tabs that have the change are marked as
// outdated. A tab in which nothing was changed keeps its options.
func (s *Session) revertOptions(ctx context.Context, h *host, work *run.BrowserContext, tab model.TargetID, old, now contextOptions, policy model.Policy) error {
	if maps.Equal(now, old) {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.outdated, tab)
		return nil
	}
	h.sup.SetInit(work.Context, h.ofPage(old).init())
	s.commit(work, now, old)
	return errors.Join(old.apply(ctx, s, h, work, now), restorePolicy(h, work.Context, policy))
}
