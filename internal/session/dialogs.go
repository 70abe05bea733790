package session

import (
	"fmt"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
)

// onDialog sets the rule of --on-dialog for one command.
func onDialog(set *config.Settings, env *run.Env) (end func()) {
	if !set.Given("on-dialog") || env.Tab == "" {
		return func() {}
	}
	r, err := policy.ParseDialogAnswer(set.Str("on-dialog"))
	if err != nil { // checked when the command was parsed
		panic("session: --on-dialog was not checked: " + err.Error())
	}
	r.Name = "--on-dialog"
	return env.Browser.OverrideDialogRule(env.Tab, r)
}

// bridgeNotice reports once that another program answers the session's dialogs, and how usher reacted.
func (s *Session) bridgeNotice(work *run.BrowserContext) string {
	b, on := work.Browser.State().Bridges[work.Context]
	s.mu.Lock()
	defer s.mu.Unlock()
	if !on || b.AnsweredElsewhere == nil || s.bridgeReported.Equal(b.Since) {
		return ""
	}
	s.bridgeReported = b.Since
	return fmt.Sprintf("another program answered dialog %s (%s %q) first; the dialog bridge now intercepts dialogs of this session (--dialog-bridge off disables it)",
		b.AnsweredElsewhere.ID, b.AnsweredElsewhere.Type, b.AnsweredElsewhere.Message)
}
