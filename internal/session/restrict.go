package session

import (
	"context"
	"slices"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/gate"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/verb"
)

// What restricts a session (flags with [verb.Flag.Restricts]) holds from the command on that gives it, also if that very
// command is refused and if the session has no browser yet, until the session is closed.

// restricted reports whether something restricts the session. A command may be changing that.
func (s *Session) restricted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isRestricted()
}

// isRestricted is restricted for callers that hold mu.
func (s *Session) isRestricted() bool {
	return len(s.contained) > 0 || s.bounded || s.gate.InForce()
}

// unrestrict ends the restrictions of a session that is closed.
func (s *Session) unrestrict() {
	s.gate.Reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contained, s.bounded = nil, false
	s.stopIdle()
}

// closeEmpty ends a session without a browser, except one whose browser is starting.
func (s *Session) closeEmpty() {
	s.disconnect()
	select {
	case s.opening <- struct{}{}:
		defer s.unlock()
	default:
		return
	}
	if !s.hasBrowser() {
		s.unrestrict()
	}
}

// Standing returns the settings of a command with what its session adds to all results. It creates no session.
func (r *Registry) Standing(set *config.Settings) *config.Settings {
	o := options.SessionOf(set)
	r.mu.Lock()
	s := r.sessions[sessionKey{o.Namespace, o.Name}]
	r.mu.Unlock()
	if s == nil || set.Given(contentBoundaries) {
		return set
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bounded {
		set = set.With(contentBoundaries, "true", "session "+s.name)
	}
	return set
}

const contentBoundaries = "content-boundaries"

// keepBoundaries keeps --content-boundaries for the commands that follow. Under the name agent-browser it is for one
// command, as there.
func (s *Session) keepBoundaries(set *config.Settings) {
	if !set.Given(contentBoundaries) || set.Mode == verb.AgentBrowser {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bounded = set.Bool(contentBoundaries)
}

// restrict makes what the command's settings restrict the session's, and returns the list of allowed domains that holds;
// nil for none. A command that no policy refuses gets warnings in place of errors.
func (s *Session) restrict(ctx context.Context, cmd Command) (d *policy.Domains, warning string, err error) {
	s.begun.Add(1)
	set := cmd.Settings
	s.keepBoundaries(set)
	failed := s.keepDomains(ctx, set)
	warning, err = s.gate.Set(ctx, s.reg.opts.Table, set.Str("action-policy"), set.List("confirm-actions"))
	if err != nil {
		failed = api.Errorf(api.InvalidConfig, "%w", err).WithHint("Correct it; `help policy` lists the categories. Nothing was done.")
	}
	if failed != nil && (!gate.Exempt(cmd.Call) || cmd.Call.Starts()) {
		return nil, "", failed
	}
	if failed != nil {
		warning = api.JoinWarnings(failed.Error(), warning)
	}
	d, err = s.allowed()
	return d, warning, err
}

// restrictedAtStart returns the list of allowed domains for a browser that starts with a command; nil for none. A session
// that was closed since the command began has what the command gave.
func (s *Session) restrictedAtStart(ctx context.Context, cmd Command) (*policy.Domains, error) {
	set := cmd.Settings
	s.keepBoundaries(set)
	if _, err := s.gate.Set(ctx, s.reg.opts.Table, set.Str("action-policy"), set.List("confirm-actions")); err != nil {
		return nil, api.Errorf(api.InvalidConfig, "%w", err)
	}
	d, err := s.allowed()
	if d == nil {
		d = cmd.domains
	}
	return d, err
}

// allowed returns the list of allowed domains that holds; nil for none.
func (s *Session) allowed() (*policy.Domains, error) {
	s.mu.Lock()
	words := s.contained
	s.mu.Unlock()
	if len(words) == 0 {
		return nil, nil //nolint:nilnil // no list
	}
	return policy.ParseDomains(words)
}

// keepDomains makes a list of allowed domains that is given, and is new, that of the session and of its browser. A list of
// files or of the environment is part of every command: it is new when it has changed, as for [options.Live.Merge].
func (s *Session) keepDomains(ctx context.Context, set *config.Settings) error {
	if !set.Given(options.AllowedDomains) || !s.newDomains(set) {
		return nil
	}
	words := set.List(options.AllowedDomains)
	if _, err := policy.ParseDomains(words); err != nil {
		return api.Errorf(api.InvalidArgument, "%s: %w", set.Value(options.AllowedDomains).Where, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, options.DefaultLimit, errStart)
	defer cancel()
	if err := s.lock(ctx); err != nil { // a browser may be starting with another list
		return err
	}
	defer s.unlock()
	if h, work := s.browserContext(); h != nil && !h.Dead() {
		if err := s.target(h, work).Allow(words); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contained = words
	s.inForce = nil
	if s.applied != nil {
		s.applied = s.applied.WithDomains(words)
	}
	if set.From(options.AllowedDomains) != config.Flags {
		s.standing = s.standing.WithDomains(words)
	}
	return nil
}

// newDomains reports whether the list of allowed domains in the settings is to replace that of the session.
func (s *Session) newDomains(set *config.Settings) bool {
	words := set.List(options.AllowedDomains)
	s.mu.Lock()
	defer s.mu.Unlock()
	if set.From(options.AllowedDomains) == config.Flags {
		return len(words) == 0 || !slices.Equal(words, s.contained)
	}
	return len(words) == 0 || !slices.Equal(words, s.standing.List(options.AllowedDomains))
}
