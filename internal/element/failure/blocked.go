package failure

import (
	"fmt"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// Browser is what errors depend on besides the state of a tab.
type Browser interface {
	State() *model.State
	Capabilities() wire.Capabilities
}

// Blocked returns the error for what keeps a tab from answering.
func Blocked(b Browser, what string, blocked *model.BlockedError) error {
	s := b.State()
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
		return Unresponsive(b, what, blocked)
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
func Unresponsive(b Browser, what string, blocked *model.BlockedError) *api.Error {
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
	switch {
	case u.Reason == model.ReasonScript && b.Capabilities().Untrusted:
		err.WithHint("%s", Unstoppable(b.State().Tabs[blocked.Tab]))
	case u.Reason == model.ReasonWaiting:
		// Measured on Chromium 156: terminateExecution does not reach it, no navigation
		// ends it, and closing the tab does.
		err.WithHint("It cannot be interrupted: try again later, or with a longer --timeout, or `tab close` after `tab new`.")
	}
	return err
}

// Unstoppable returns the hint for a tab that a script blocks, in a browser that lets the client end no script.
func Unstoppable(t *model.Tab) string {
	named := "tab close"
	if t != nil {
		named += fmt.Sprintf(" t%d", t.Number)
	}
	return "Chrome lets no extension end a script: close the tab with `" + named + "`, after `tab new` if it is the last one, or wait for it with a longer --timeout."
}
