package session

import (
	"cmp"
	"context"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/state"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/sealed"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/verb"
)

// fill gives a new session the saved state that its options name.
func (s *Session) fill(ctx context.Context, cmd Command, work *run.BrowserContext) (*state.Restore, string, error) {
	o := options.LaunchOf(cmd.Settings).Stored
	name, err := o.Key(s.name)
	if err != nil || name == "" && o.State == "" {
		return nil, "", err
	}
	keys := sealed.KeysOf(cmd.Settings.Str("state-encryption"), cmd.Env)
	sites := s.sites(ctx, cmd)
	skip := func(string) bool { return false }
	if sites != nil {
		asking := sites.WithoutProbes()
		skip = func(url string) bool { return asking.Loaded(ctx, url) != nil }
	}
	var warning string
	if o.State != "" {
		if warning, err = state.Initial(ctx, work, cmd.StateDir, o.State, keys, skip, sites != nil); err != nil {
			return nil, "", err
		}
	}
	if name == "" {
		return nil, warning, nil
	}
	r := &state.Restore{Dir: cmd.StateDir, Name: name, Keys: keys, Policy: cmp.Or(o.Policy, "auto"), Checks: o.Checks}
	return r, api.JoinWarnings(warning, r.Begin(ctx, work, skip)), nil
}

// checkRestored checks the restored state on the first page that a command opened.
func (s *Session) checkRestored(ctx context.Context, env *run.Env, v *verb.Verb) string {
	r := s.restored()
	if r == nil || v.Category != verb.CatNavigate {
		return ""
	}
	ctx, cancel := context.WithTimeoutCause(ctx, ActionLimit, run.ErrLimit)
	defer cancel()
	return r.Check(ctx, env)
}

func (s *Session) restored() *state.Restore {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.restore
}

// saveLimit is how long saving the state may take when the session ends, and at intervals.
const saveLimit = 10 * time.Second

// saveState saves the state of the session to where it came from, and returns whether that worked. A failure is logged, and
// in the result of `close`.
func (s *Session) saveState(ctx context.Context, r *state.Restore, work *run.BrowserContext) bool {
	if r == nil {
		return true
	}
	ctx, cancel := context.WithTimeoutCause(ctx, saveLimit, run.ErrLimit)
	defer cancel()
	err := r.Save(ctx, work, func(string) bool { return false })
	if err != nil {
		s.reg.opts.Log.Warn("save the state of a session", "session", s.name, "error", err)
	}
	return err == nil
}

// saveAgain is how long after a failure the state is saved again, at least.
const saveAgain = 5 * time.Second

// saveAfter starts the timer after which the state is saved. If saving fails it is started again: there may be no later
// command. The caller holds mu.
func (s *Session) saveAfter(after time.Duration) {
	if s.restore == nil || s.autosave != nil || after <= 0 {
		return
	}
	r, work := s.restore, s.work
	s.reg.wg.Add(1)
	s.autosave = time.AfterFunc(after, func() {
		defer s.reg.wg.Done()
		defer fault.Recover(s.reg.panicked)
		s.mu.Lock()
		s.autosave = nil
		s.mu.Unlock()
		if s.saveState(context.Background(), r, work) {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.restore == r && s.work == work {
			s.saveAfter(max(after, saveAgain))
		}
	})
}

// stopSaving stops that timer. The caller holds mu.
func (s *Session) stopSaving() {
	if s.autosave != nil && s.autosave.Stop() {
		s.reg.wg.Done()
	}
	s.autosave = nil
}

// stateOf returns the status of the saved state of a session.
func (r *Registry) stateOf(namespace, name string) state.Status {
	r.mu.Lock()
	s := r.sessions[sessionKey{namespace, name}]
	r.mu.Unlock()
	if s == nil {
		return state.Status{Restored: state.NotConfigured, Saved: state.NotConfigured}
	}
	return s.restored().Status()
}
