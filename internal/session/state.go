package session

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/state"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/sealed"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/verb"
)

// expire deletes the saved states that the settings declare too old, except the one that the session begins with by
// --state. The warning names them; a failure to delete them does not keep the session from starting.
func expire(ctx context.Context, cmd Command) (warning string) {
	days := cmd.Settings.Int("state-expire-days")
	if days <= 0 {
		return ""
	}
	kept := ""
	if path := options.LaunchOf(cmd.Settings).Stored.State; path != "" {
		kept = state.InitialPath(cmd.StateDir, path, sealed.KeysOf(cmd.Settings.Str("state-encryption"), cmd.Env))
	}
	deleted, err := state.DeleteOld(ctx, cmd.StateDir, days, kept)
	where := cmd.Settings.Value("state-expire-days").Where
	if len(deleted) > 0 {
		warning = fmt.Sprintf("%s: deleted saved states not written for more than %d days: %s", where, days, strings.Join(deleted, ", "))
	}
	if err != nil {
		warning = api.JoinWarnings(warning, where+": old saved states were not deleted: "+api.AsError(err).Sentence())
	}
	return warning
}

// fill gives a new session the saved state that its options name.
func (s *Session) fill(ctx context.Context, cmd Command, work *run.BrowserContext) (*state.Restore, string, error) {
	o := options.LaunchOf(cmd.Settings).Stored
	key, err := o.Key(s.name)
	if err != nil {
		return nil, "", err
	}
	warning := expire(ctx, cmd)
	if warning != "" { // what follows may fail, and the caller then gets the error only
		s.reg.opts.Log.Info("expire saved states", "session", s.name, "result", warning)
	}
	if key == "" && o.State == "" {
		return nil, warning, nil
	}
	keys := sealed.KeysOf(cmd.Settings.Str("state-encryption"), cmd.Env)
	sites := s.sites(ctx, cmd)
	skip := func(string) bool { return false }
	if sites != nil {
		asking := sites.WithoutProbes()
		skip = func(url string) bool { return asking.Loaded(ctx, url) != nil }
	}
	if o.State != "" {
		note, err := state.Initial(ctx, work, cmd.StateDir, o.State, keys, skip, sites != nil)
		if err != nil {
			return nil, "", err
		}
		warning = api.JoinWarnings(warning, note)
	}
	if key == "" {
		return nil, warning, nil
	}
	r := &state.Restore{Dir: cmd.StateDir, Key: key, Name: state.RestoreName(key, s.name), Keys: keys, Policy: cmp.Or(o.Policy, "auto"), Checks: o.Checks}
	return r, api.JoinWarnings(warning, r.Begin(ctx, work, skip)), nil
}

// checkRestored checks the restored state on the first page that a command opened.
func (s *Session) checkRestored(ctx context.Context, env *run.Env, v *verb.Verb) string {
	r := s.restored()
	if r == nil || v.Category != verb.CatNavigate {
		return ""
	}
	ctx, cancel := context.WithTimeoutCause(ctx, options.ActionLimit, run.ErrLimit)
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
