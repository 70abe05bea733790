package failure

import (
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Blocked returns the error for what keeps a tab from answering.
func Blocked(s *model.State, what string, blocked *model.BlockedError) error {
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
		for _, g := range s.Gone {
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
