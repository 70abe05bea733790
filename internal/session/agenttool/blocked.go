package agenttool

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// held returns the error of what blocks the session's page until it is answered; nil for nothing.
func (c *call) held() *api.Error {
	env := c.activeTab()
	if env == nil {
		return nil
	}
	state := env.Browser.State()
	b := &model.BlockedError{Tab: env.Tab, Dialog: state.Dialog(env.Tab)}
	for _, i := range state.Interrupts {
		if b.Dialog == nil && i.Tab == env.Tab && i.Blocks && !i.Notice {
			b.Interruption = i
		}
	}
	if b.Dialog == nil && b.Interruption == nil {
		return nil
	}
	return api.AsError(env.BlockedError(b, ""))
}

// busyLimit is how long a page is asked whether it answers when the time of a call is over.
const busyLimit = 500 * time.Millisecond

// blocker returns the error of what keeps the page from answering: what has to be answered first, or a script; nil for nothing. doing is
// what was tried.
func (c *call) blocker(ctx context.Context, doing string) *api.Error {
	if held := c.held(); held != nil {
		held.Message = doing + ": " + held.Message
		return held
	}
	env := c.activeTab()
	if env == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, busyLimit)
	defer cancel()
	return api.AsError(env.UnresponsiveNow(ctx, doing))
}

// activeTab returns the active tab of the session; nil if it has no open tab.
func (c *call) activeTab() *run.Env {
	work := c.h.Work(c.namespace, c.session)
	if work == nil {
		return nil
	}
	id, ok := work.Active()
	if !ok || work.Browser.State().Tabs[id] == nil {
		return nil
	}
	return &run.Env{BrowserContext: work, Tab: id}
}

// suggestBlocked adds what can follow when something blocks the page, and reports whether the error is of that.
func suggestBlocked(err *api.Error, to *result.Actions) bool {
	if err == nil {
		return false
	}
	switch err.Code {
	case api.DialogOpen:
		to.Add("inspect-dialog-after-timeout", "Shows the dialog that blocks the page.", "dialog", "status")
		to.Add("dismiss-dialog-after-timeout", "Dismisses it.", "dialog", "dismiss").Safety = "Only if cancelling is what the user wants."
		to.Fresh("recover-fresh-session-after-dialog-timeout", "Goes on in another browser, without the dialog.", "open", "about:blank")
	case api.InterruptionOpen:
		suggestInterruption(err, to)
	case api.RendererUnresponsive:
		suggestBusy(err.Data["reason"] == string(model.ReasonScript), to)
	default:
		return false
	}
	return true
}

// suggestInterruption adds the answers to what the browser waits for: those that need no more words are calls.
func suggestInterruption(err *api.Error, to *result.Actions) {
	var data struct {
		Interruption api.Interruption `json:"interruption"`
	}
	result.Read(result.Encode(err.Data), &data)
	if data.Interruption.Kind == string(model.KindUnresponsive) {
		suggestBusy(true, to)
		return
	}
	reason := "Shows what blocks the page, and how to answer it."
	if i := &data.Interruption; slices.ContainsFunc(i.Answers, func(a string) bool { return strings.Contains(a, "--password-stdin") }) {
		reason = "Shows the login that blocks the page. To log in, give args interrupt answer " + i.ID + " --username <name> --password-stdin, and the password in the field stdin."
	}
	to.Add("inspect-interruption-after-timeout", reason, "interrupt", "list")
	suggestAnswers(&data.Interruption, to)
	to.Fresh("recover-fresh-session-after-interruption-timeout", "Goes on in another browser, without it.", "open", "about:blank")
}

// suggestAnswers adds the answers to an interruption that need no more words.
func suggestAnswers(i *api.Interruption, to *result.Actions) {
	for _, answer := range i.Answers {
		words := strings.Fields(answer)
		if strings.Contains(answer, "<") || len(words) == 0 {
			continue
		}
		last := words[len(words)-1]
		to.Add("answer-interruption-"+last, "Answers "+i.ID+" with "+last+".", words...).Safety = "Only if that is what the user wants."
	}
}

// suggestBusy adds what can follow when a script, or a synchronous request, keeps the page busy. Only a script can be ended.
func suggestBusy(script bool, to *result.Actions) {
	if script {
		to.Add("interrupt-blocking-script", "Ends the script that blocks the page.", "tab", "interrupt")
	} else {
		to.Add("open-tab-beside-blocked-page", "Opens another tab: what blocks this one cannot be interrupted.", "tab", "new")
	}
	to.Fresh("recover-fresh-session-after-blocked-page", "Goes on in another browser.", "open", "about:blank")
}

// unopened reports whether the session has no page that a command could work on.
func (c *call) unopened() bool { return c.activeTab() == nil }

// suggestOpen adds how to get a page again.
func (c *call) suggestOpen(to *result.Actions) {
	c.agent.mu.Lock()
	last := c.agent.tab.page.URL
	c.agent.mu.Unlock()
	if c.managed == nil || last == "" || last == "about:blank" || strings.HasPrefix(last, "chrome-error:") {
		to.Add("open-page", "Starts with a blank page. Better give the address that you need.", "open", "about:blank")
		return
	}
	to.Add("open-last-page", "Opens the page that was last open, anew.", "open", last)
}

// explainLate says of the step that was running when the time was over what kept the page from answering.
func (c *call) explainLate(ctx context.Context, late *api.Error) {
	i := slices.IndexFunc(c.steps, func(s *step.Step) bool { return s.Status == step.Running })
	if i < 0 {
		return
	}
	s := c.steps[i]
	if s.Err != nil && s.Err.Code != api.Timeout {
		c.blocked = s.Err.Code == api.RendererUnresponsive || s.Err.Code == api.DialogOpen || s.Err.Code == api.InterruptionOpen
		return // it says what
	}
	if why := c.blocker(ctx, late.Message); why != nil {
		s.Err, c.blocked = why, true
	}
}
