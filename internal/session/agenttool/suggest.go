package agenttool

import (
	"context"
	"slices"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/artifact"
	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/verb"
)

// suggest adds what can follow a step.
func (c *call) suggest(ctx context.Context, s *step.Step, to *result.Actions) {
	to.Prefix = c.next.Prefix
	call := s.Row.Call
	if call == nil || s.Status == step.Pending {
		return
	}
	if s.Status == step.Completed {
		c.suggestAfter(ctx, s, to)
		return
	}
	v := call.Verb
	switch s.FailureCategory() {
	case result.StaleRef, result.SelectorNotFound, result.SelectorUnsupported:
		to.Add("refresh-interactive-refs", "Takes new refs of the present page.", "snapshot", "-i")
		if c.semantic != nil && c.semantic.Locator != "" && s.FailureCategory() == result.StaleRef {
			to.Add("retry-semantic-action-after-stale-ref", "Finds the element anew.", c.semantic.Unnamed()...)
		}
	case result.ArtifactMissing:
		for _, a := range s.Artifacts {
			if a.Kind == "download" {
				to.Add("wait-for-download", "Waits for the download that the page starts.", "wait", "--download", a.AbsolutePath)
			} else {
				to.File("verify-artifact-path", "The file is not there.", a.AbsolutePath)
			}
		}
	case result.DownloadNotVerified:
		if c.suggestShown(s, to) {
			return
		}
		if path := artifact.Destinations(s, c.request.Cwd); len(path) > 0 {
			to.Add("wait-for-download", "Waits for the download that the page starts.", "wait", "--download", path[0])
		} else {
			to.Add("wait-for-download", "Waits for the download that the page starts.", "wait", "--download")
		}
	case result.ConfirmationRequired:
		var held struct {
			ID string `json:"confirmationId"`
		}
		result.Read(s.Data, &held)
		if !c.h.Guarded() { // an agent must not confirm its own commands
			to.Add("approve-confirmation", "Runs the command, if the person allows it.", "confirm", held.ID).Safety = "Only after the person has agreed."
		}
		to.Add("deny-confirmation", "Drops the command.", "deny", held.ID)
	case result.TabGone:
		switch {
		case s.Err == nil:
		case s.Err.Code == api.BrowserCrashed:
			c.suggestOpen(to)
			return
		case s.Err.Code == api.RendererCrashed:
			to.Add("reload-crashed-page", "Loads the page again.", "reload")
		}
		to.Add("list-tabs-after-tab-gone", "Shows which tabs are open.", "tab", "list")
		to.Add("open-tab-after-tab-gone", "Opens another tab.", "tab", "new")
		if v.Name == "snapshot" {
			to.Add("list-tabs-after-no-active-page", "Shows which tabs are open.", "tab", "list")
		}
	case result.TabDrift:
		to.Add("list-tabs-for-recovery", "Shows which tabs are open.", "tab", "list")
	case result.Timeout:
		c.suggestTimeout(s, to)
	case result.UpstreamError:
		if v.Category == verb.CatNavigate {
			to.Add("inspect-page-after-navigation-error", "Shows where the tab is.", "get", "url")
		}
		if s.Err != nil && s.Err.Code == api.BrowserNotRunning {
			c.suggestOpen(to)
		}
	}
}

// suggestTimeout adds what can follow a step that took too long.
func (c *call) suggestTimeout(s *step.Step, to *result.Actions) {
	call := s.Row.Call
	if suggestBlocked(s.Err, to) {
		return
	}
	if s.Status == step.Running && !repeatable(call) {
		return // where the page is, is suggested for the whole call
	}
	if call.Verb.Name == "wait" && call.Has("text") || s.From == input.FromText {
		to.Add("inspect-after-text-assertion-failure", "Shows what the page says instead.", "snapshot", "-i")
	} else {
		to.Add("inspect-after-timeout", "Shows how far the page is.", "snapshot", "-i")
	}
	if call.Verb.Name == "wait" && call.Has("url") {
		to.Fresh("fresh-session-after-url-wait-timeout", "Starts again with a browser of its own.", "open", "about:blank")
	}
}

// suggestAfter adds what can follow a step that succeeded.
func (c *call) suggestAfter(ctx context.Context, s *step.Step, to *result.Actions) {
	call := s.Row.Call
	v := call.Verb
	for _, a := range s.Artifacts {
		switch a.Status {
		case "saved":
			to.File("use-saved-artifact", "The file exists.", a.AbsolutePath)
		case "pending":
			to.Add("stop-pending-recording", "Completes the file.", "record", "stop")
		}
	}
	if i := s.Outcome.Interruption; i != nil && i.ClosedAt == 0 {
		suggestAnswers(i, to)
	}
	if step.Acts(call) && suggestBlocked(c.held(), to) { // by what the step itself has opened
		return
	}
	switch {
	case v.Name == "open" && s.Change() != nil:
		to.Add("inspect-opened-page", "Takes refs of the page.", "snapshot", "-i")
	case v.Name == "connect":
		to.Add("verify-connected-session-url", "Shows what the browser shows.", "get", "url")
		to.Add("list-connected-session-tabs", "Lists its tabs.", "tab", "list")
	case v.Name == "network requests" && !call.Bool("clear") && !c.batch:
		c.diag.Network(ctx, s)
	case step.Acts(call), v.Name != "open" && s.Change() != nil && s.Change().ChangeType == "navigation":
		to.Add("inspect-after-mutation", "Shows the page after the action.", "snapshot", "-i")
	}
}

// collect makes one list of the actions of the steps: all of a single command; of a batch those of the first failure, else those about
// files and about the last step.
func (c *call) collect() {
	add := func(list []result.NextAction) {
		for _, n := range list {
			c.next.Put(n)
		}
	}
	diagnosed := c.next.List
	c.next.List = nil
	failed := step.First(c.steps)
	switch {
	case failed != nil && failed.FailureCategory() == result.StaleRef:
		add(failed.Next.List)
		return // what was collected before is of no use
	case failed != nil:
		add(failed.Next.List)
	case !c.batch:
		add(c.steps[0].Next.List)
	default:
		for _, s := range c.steps {
			for _, n := range s.Next.List {
				if n.ArtifactPath != "" || s == c.steps[len(c.steps)-1] {
					add([]result.NextAction{n})
				}
			}
		}
	}
	add(diagnosed)
	if p := c.details.PageChangeSummary; p != nil {
		ids := c.next.IDs()
		p.NextActionIDs = slices.Compact(slices.Clone(ids))
	}
}
