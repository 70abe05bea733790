package session

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/session/options"
)

// commandStarted records the start of a command.
func (s *Session) commandStarted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
	s.stopIdle()
}

// commandEnded records the end of a command and starts the idle timer.
func (s *Session) commandEnded(set *config.Settings) {
	o := options.SessionOf(set)
	after := o.IdleTimeout
	closing := s.reg.closing() // the registry's lock comes before mu
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case o.IdleTimeoutGiven:
		s.idleFor = &after
	case s.idleFor != nil:
		after = *s.idleFor
	}
	s.running--
	if o.AutosaveGiven {
		s.autosaveAfter = &o.Autosave
	}
	if s.autosaveAfter != nil {
		o.Autosave = *s.autosaveAfter
	}
	s.saveAfter(o.Autosave)
	switch {
	case s.running > 0 || after <= 0:
		return
	case s.host == nil && (closing || !s.isRestricted()): // otherwise it waits for its browser, with what restricts it
		return
	case s.host != nil && s.host.Options.MayBeWatched():
		return
	}
	s.reg.wg.Add(1)
	s.idleRound++
	round := s.idleRound
	s.idle = time.AfterFunc(after, func() {
		defer s.reg.wg.Done()
		defer fault.Recover(s.reg.panicked)
		s.expire(round)
	})
}

// expire closes a session after the idle time. It does nothing if a command has started since: round is then outdated.
func (s *Session) expire(round uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.closeIf(ctx, func() bool { return s.idle != nil && s.idleRound == round && s.running == 0 }); err != nil {
		s.reg.opts.Log.Warn("close an idle session", "session", s.name, "error", err)
	}
}

// stopIdle stops the idle timer. The caller holds mu.
func (s *Session) stopIdle() {
	if s.idle != nil && s.idle.Stop() {
		s.reg.wg.Done()
	}
	s.idle = nil
}
