package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/session/host"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// reachable waits, within the command's deadline, for a lost connection to be restored. A verb that reads only the model
// or the journal runs without the connection, with a notice.
func (s *Session) reachable(ctx context.Context, env *run.Env, v *verb.Verb) (notice string, err error) {
	b := env.Browser
	down := b.State().Outage
	if down == nil {
		return "", nil
	}
	if v.Is(verb.WorksOffline) && v.Is(verb.ChangesPage) {
		return "", nil // Browser.Answer handles a lost connection
	}
	if v.Is(verb.WorksOffline) {
		return fmt.Sprintf("the connection to the browser was lost at %s; usher is reconnecting; this is the last known state",
			down.Since.UTC().Format("15:04:05")), nil
	}
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, env.Limit, errOutage)
	defer cancel()
	err = b.Wait(ctx, func(st *model.State) (bool, error) { return st.Outage == nil, st.Closed })
	env.Limit = max(0, env.Limit-time.Since(began).Truncate(time.Millisecond))
	switch {
	case err == nil:
		return "", nil
	case b.State().Closed != nil:
		return "", s.browserEnded()
	case errors.Is(err, errOutage):
		return "", api.Errorf(api.ConnectionLost, "%s: the connection to the browser was not restored in time; nothing was done: %w", v.Name, down.Cause).
			WithHint("usher keeps reconnecting. Repeat the command, with a longer --timeout if needed; `session info` shows the state.")
	}
	return "", api.Errorf(api.Cancelled, "%s: cancelled while the connection to the browser is lost", v.Name)
}

// errOutage is the cause when the connection is not restored in time.
var errOutage = errors.New("the connection was not restored")

// closed reports whether the browser has ended. The error of a call may show that a moment before the supervisor's state
// does.
func closed(b *supervisor.Browser, err error) bool {
	if errors.Is(err, cdp.ErrClosed) {
		ctx, cancel := context.WithTimeout(context.Background(), host.CloseGrace)
		defer cancel()
		// The State read below is the outcome.
		_ = b.Wait(ctx, func(s *model.State) (bool, error) { return s.Outage != nil, s.Closed })
	}
	return b.State().Closed != nil
}

// browserEnded returns the error of a command that failed because the browser ended during it.
func (s *Session) browserEnded() error {
	h, _ := s.browserContext()
	if h == nil {
		return api.Errorf(api.SessionClosed, "session %s was closed while the command ran", s.name)
	}
	s.mu.Lock()
	last := s.lastURL
	s.mu.Unlock()
	var broken *fault.Error
	if errors.As(h.Supervisor.State().Closed, &broken) {
		return api.Errorf(api.Internal, "the browser of session %s was closed after an internal error: %w", s.name, broken).With("lastUrl", last).
			WithHint("Other sessions are not affected. Reopen the page with `open %s`.", cmp.Or(last, "<url>"))
	}
	out := api.Errorf(api.BrowserCrashed, "the browser of session %s ended during the command: %s%s", s.name, h.ExitReason(), s.savedHAR(h)).With("lastUrl", last)
	if at := h.Browser.Rental().Provider; at != "" {
		out.WithHint("`open %s` starts another session at %s, which costs money.", cmp.Or(last, "<url>"), at)
	} else if last != "" {
		out.WithHint("Reopen the last page with `open %s`.", last)
	}
	return out
}
