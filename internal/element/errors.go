package element

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// apiError returns an error of the layers below as an *api.Error.
func (e *action) apiError(err error) error {
	var known *api.Error
	if errors.As(err, &known) {
		return err
	}
	what := e.what()
	b := e.actor.browser
	if blocked := b.Blocked(err, e.actor.tab); blocked != nil && blocked.Unresponsive == nil {
		return blockedError(b, what, blocked)
	} else if blocked != nil {
		return e.unresponsive(what, blocked)
	}
	switch {
	case errors.Is(err, errSlow):
		if u := b.Probe(context.Background(), e.actor.tab, slice); u != nil {
			return e.unresponsive(what, &model.BlockedError{Tab: e.actor.tab, Unresponsive: u, For: time.Since(u.Since)})
		}
		return api.Errorf(api.Timeout, "%s: %w", what, err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", what, err)
	case world.DocumentGone(err):
		return api.Errorf(api.FrameDetached, "%s: the page or frame was replaced during the call: %w", what, err)
	case errors.Is(err, geometry.ErrNoBox):
		return api.Errorf(api.ElementNotVisible, "%s: its frame is not visible: %w", what, err).
			WithHint("Make the frame visible first, for example by opening the menu or section that contains it.")
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Whether input was sent to a page that does not answer: the page handles it when it runs again.
const (
	nothingSent = "nothing was sent to it"
	inputSent   = "the input was sent, and may take effect later"
)

// unresponsive returns the error for a page that does not answer, with what is known of the input.
func (e *action) unresponsive(what string, blocked *model.BlockedError) error {
	err := Unresponsive(what, blocked)
	if e.input != "" {
		err.Message += "; " + e.input
		err = err.With("input_sent", e.input == inputSent)
	}
	return err
}

// what returns the action as text: "click #buy".
func (e *action) what() string {
	if e.target.By == "" {
		return e.verb
	}
	return e.verb + " " + e.target.String()
}

// blockedError returns the error for what keeps a tab from answering.
func blockedError(b *supervisor.Browser, what string, blocked *model.BlockedError) error {
	switch {
	case blocked.Interruption != nil:
		return blocked // the caller adds how to answer it
	case blocked.Dialog != nil:
		d := blocked.Dialog
		return api.Errorf(api.DialogOpen, "%s: %w", what, blocked).
			With("dialog", d.ID).With("type", d.Type).With("message", d.Message)
	case blocked.Crash != nil:
		return api.Errorf(api.RendererCrashed, "%s: %w", what, blocked)
	case blocked.Unresponsive != nil:
		return Unresponsive(what, blocked)
	case blocked.Gone:
		err := api.Errorf(api.TabGone, "%s: %w", what, blocked).With("targetId", string(blocked.Tab))
		for _, g := range b.State().Gone {
			if g.ID == blocked.Tab {
				err = err.With("lastUrl", g.URL)
			}
		}
		return err
	}
	return api.Errorf(api.ConnectionLost, "%s: %w", what, blocked)
}

// Unresponsive returns the [api.RendererUnresponsive] error for a renderer, or browser, that does not answer. what is
// the failed operation and may be empty.
func Unresponsive(what string, blocked *model.BlockedError) *api.Error {
	u := blocked.Unresponsive
	code := api.RendererUnresponsive
	if u.Reason == model.ReasonBrowser {
		code = api.BrowserUnresponsive
	}
	if what != "" {
		what += ": "
	}
	err := api.Errorf(code, "%s%w", what, blocked).With("reason", string(u.Reason)).
		With("frame", string(u.Frame)).With("since", u.Since.UTC().Format(time.RFC3339Nano))
	if u.Reason == model.ReasonWaiting {
		// Measured on Chromium 156: terminateExecution does not reach it, no navigation
		// ends it, and closing the tab does.
		err.WithHint("It cannot be interrupted: try again later, or with a longer --timeout, or `tab close` after `tab new`.")
	}
	return err
}

// apiErrorOrNil is apiError, and nil for no error.
func (e *action) apiErrorOrNil(err error) error {
	if err == nil {
		return nil
	}
	return e.apiError(err)
}
