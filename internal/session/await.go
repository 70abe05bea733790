package session

import (
	"context"
	"errors"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/network"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/verb"
)

// follows reports whether a command prints events until it is ended; such a command can begin before there is a browser.
func follows(cmd Command) bool {
	return cmd.Call.Verb.Is(verb.Background) && cmd.Call.Bool("follow") && cmd.Emit != nil
}

// hasNoBrowser reports whether an error means that the session has no browser yet, or no longer has one.
func hasNoBrowser(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Code == api.BrowserNotRunning
}

// awaitBrowser waits until the session has a browser, and reports to the caller that it waits. It returns an error at the
// caller's limit.
func (s *Session) awaitBrowser(ctx context.Context, cmd Command) error {
	s.mu.Lock()
	begun := s.opened
	s.mu.Unlock()
	if err := network.PrintWaiting(cmd.Emit, s.name, cmd.Settings.Bool("json")); err != nil {
		return err
	}
	var limit <-chan time.Time
	d, given := options.LimitOf(cmd.Settings, cmd.Call.Verb)
	if given {
		limit = time.After(d)
	}
	select {
	case <-begun:
		return nil
	case <-limit:
		return api.Errorf(api.Timeout, "%s: session %s got no browser within %s", cmd.Call.Verb.Name, s.name, d)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// whileOpen returns a context that ends when ctx ends or the session is closed.
func (s *Session) whileOpen(ctx context.Context) (context.Context, func()) {
	s.mu.Lock()
	over := s.detached
	s.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	if over == nil { // closed meanwhile
		cancel(network.ErrSessionClosed)
		return ctx, func() {}
	}
	done := make(chan struct{})
	fault.Go(ctx, func() {
		defer close(done)
		select {
		case <-over:
			cancel(network.ErrSessionClosed)
		case <-ctx.Done():
		}
	})
	return ctx, func() { cancel(nil); <-done }
}
