package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// selectTab selects the tab that a verb acts on.
func (s *Session) selectTab(ctx context.Context, env *run.Env, cmd Command) error {
	v := cmd.Call.Verb
	id, ok := env.Active()
	if cmd.Tab != "" {
		t, err := env.FindTab(cmd.Tab)
		if err != nil {
			return err
		}
		id, ok = t.ID, true
	}
	if ok {
		s.blank.Store(false)
		env.Tab = id
		if v.Is(verb.Control) {
			return nil
		}
		env.Show(id)
		return s.ready(ctx, env)
	}
	if !v.Is(verb.NeedsTab) && !cmd.Call.Starts() || joins(v) {
		return nil
	}
	// The person, or a page, closed the last tab of an attached or headed browser; or the session was connected to one without tabs.
	if cmd.Call.Starts() || s.blank.Swap(false) {
		ctx, cancel := context.WithTimeout(ctx, options.DefaultLimit)
		defer cancel()
		t, err := env.NewTab(ctx, false)
		if err != nil {
			return api.Errorf(api.LaunchFailed, "%w", err)
		}
		env.Tab = t.ID
		return nil
	}
	if id, pinned := env.Pinned(); pinned && id != "" {
		return api.AsError(env.BlockedError(&model.BlockedError{Tab: id, Gone: true}, "")).
			WithHint("The session is pinned to that tab: choose another with `tab <id>`, open one with `tab new` or `open <url>`, or use --no-pin-tab.")
	}
	return api.Errorf(api.TabGone, "session %s has no open tab", s.name).WithHint("Open one with `open <url>` or `tab new`.")
}

// joins reports whether a verb only connects the session to a browser.
func joins(v *verb.Verb) bool {
	return v.Category == verb.CatSession && v.Is(verb.Starts) && !v.Is(verb.ChangesPage)
}

// ready waits until the tab is set up: a tab that a page has just opened is listed before it answers.
func (s *Session) ready(ctx context.Context, env *run.Env) error {
	if t := env.Browser.State().Tabs[env.Tab]; t == nil || t.Ready {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, env.Limit, fmt.Errorf("it did not answer within %s", env.Limit))
	defer cancel()
	err := env.Browser.Wait(ctx, func(st *model.State) (bool, error) {
		t := st.Tabs[env.Tab]
		return t == nil || t.Ready || t.Crash != nil || st.Dialog(env.Tab) != nil, st.Unreachable()
	})
	if blocked := env.Browser.Blocked(err, env.Tab); blocked != nil && blocked.Outage != nil {
		return api.Errorf(api.ConnectionLost, "the connection to the browser broke before the command began: %w", blocked.Outage.Cause).
			WithHint("usher reconnects automatically: repeat the command.")
	}
	if err != nil {
		unanswered := api.Errorf(api.RendererUnresponsive, "the tab is unresponsive: %w", err)
		if h, _ := s.browserContext(); h != nil && h.Supervisor.Capabilities().BrowserOutlives {
			unanswered.WithHint("A script blocks it, or a dialog that opened before usher was connected: `dialog dismiss` closes that and keeps the page. If its renderer crashed before, use `tab close` or another tab.")
		}
		return unanswered
	}
	return nil
}

// saveLastURL stores the URL to reopen after a crash.
func (s *Session) saveLastURL(work *run.BrowserContext) {
	id, ok := work.Active()
	if !ok {
		return
	}
	if t := work.Browser.State().Tabs[id]; t != nil && t.URL != "about:blank" && !strings.HasPrefix(t.URL, "chrome-error:") {
		s.mu.Lock()
		s.lastURL = t.URL
		s.mu.Unlock()
	}
}
