package agenttool

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/artifact"
	"github.com/usher-browser/usher/internal/session/agenttool/compact"
	"github.com/usher-browser/usher/internal/session/agenttool/diagnosis"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/snapshot"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// report makes the result of the steps that have run.
func (c *call) report(ctx context.Context) *result.Result {
	d := c.details
	c.agent.mu.Lock()
	told := c.agent.told
	c.agent.mu.Unlock()
	g := &diagnosis.Diagnosis{Host: c.h, Details: d, Next: &c.next, Namespace: c.namespace, Session: c.session, Told: &told}
	c.diag = g
	g.Lines = append(g.Lines, c.notes...)
	c.recoverDownload(ctx, c.steps[0])
	var files []result.Artifact
	for _, s := range c.steps {
		s.Artifacts = artifact.Of(s, c.request.Cwd)
		files = append(files, s.Artifacts...)
		for _, a := range s.Artifacts {
			if a.Status == "missing" {
				s.Fail(result.ArtifactMissing, s.Name()+": the file is not there: "+a.AbsolutePath)
			}
		}
		if s.Status == step.Completed && s.Name() == "snapshot" {
			told.Note(s.Data)
		}
	}
	if !c.batch {
		c.apply(ctx, c.steps[0])
		g.Single(ctx, c.steps[0], c.semantic)
	} else {
		for _, s := range c.steps {
			if s.Status == step.Completed && s.Name() == "get text" {
				g.Visibility(ctx, s)
			}
		}
	}
	g.SettleVisibility()
	c.health(ctx)
	c.reattached(ctx)
	c.refFreshness()
	c.handoff(ctx, &told)
	c.settleSession(ctx)
	d.SessionTabTarget = c.page(ctx)
	c.textScope()
	c.noteTab()
	full := c.data()
	c.verdict()
	c.changes()
	for _, s := range c.steps {
		c.suggest(ctx, s, &s.Next)
	}
	c.collect()
	// Verdict and suggestions are of the whole data.
	for _, s := range c.steps {
		if c.nested && len(s.Data) <= maxScriptData { // no model reads it, and the script may need all of it
			continue
		}
		compact.Shorten(ctx, c.h, s)
		if s.Spilled != "" {
			d.FullOutputPaths = append(d.FullOutputPaths, s.Spilled)
		}
	}
	if len(d.FullOutputPaths) > 0 {
		d.FullOutputPath = d.FullOutputPaths[0]
	}
	if d.TimedOut {
		d.TimeoutPartialProgress = progress(c.steps, d.SessionTabTarget, c.request.Cwd)
		g.Say(progressText(d.TimeoutPartialProgress))
		if r := d.TimeoutPartialProgress.RetryStep; c.blocked {
			// what unblocks the page comes first
		} else if r != nil {
			c.next.Add("retry-timeout-step", "Repeats the step that was running, which only reads or navigates.", r.Args...)
		} else if d.SessionTabTarget != nil {
			c.next.Add("inspect-current-page-after-timeout", "Shows how far the page is.", "snapshot", "-i")
		}
	}
	c.files(files)
	c.tell(&told)
	if d.FailureCategory == "" {
		if err := c.writeOutput(full, c.text()); err != nil {
			e := api.AsError(err)
			d.FailureCategory, d.Error, d.ErrorCode = result.UpstreamError, e.Message, string(e.Code)
			c.diag.Say("error: " + e.Sentence())
		}
	}
	c.mode()
	if c.batch {
		for _, s := range c.steps {
			if s.Status != step.Pending {
				d.BatchSteps = append(d.BatchSteps, s.BatchStep())
			}
		}
		if s := step.First(c.steps); s != nil {
			ok, _, total := tally(c.steps)
			d.BatchFailure = &result.BatchFailure{FailedStep: s.BatchStep(), Succeeded: ok, Total: total}
		}
	}
	d.Data = c.data()
	return c.finish(c.text())
}

// tell sets the refs, if the caller does not have them. The data of snapshots then have no copy of them; those of scripts, and of callers
// that want the text as JSON, are those of the command.
func (c *call) tell(told *snapshot.Told) {
	shot := false
	for _, s := range c.steps {
		if s.Status != step.Completed || s.Name() != "snapshot" {
			continue
		}
		shot = true
		if !c.nested && !c.json {
			s.Data = told.WithoutRefs(s.Data)
		}
	}
	if shot && c.request.Client == "" { // a caller of one call has nothing of the calls before
		told.Forget()
	}
	told.Report(c.details)
	c.agent.mu.Lock()
	c.agent.told = *told
	c.agent.mu.Unlock()
}

// settleSession reports what became of the managed session.
func (c *call) settleSession(ctx context.Context) {
	closed := false
	for _, s := range c.steps {
		if s.Status == step.Completed && s.Name() == "close" {
			closed = true
		} else if s.Status == step.Completed && step.NeedsSession(s.Row.Call.Verb) {
			closed = false
		}
	}
	if closed && c.closeAll {
		c.closeOthers(ctx)
		c.details.CloseAllApplied = true
	}
	if c.managed == nil {
		return
	}
	ok := step.First(c.steps) == nil
	o := c.managed.settle(ctx, c.h, c.details.SessionMode, ok, closed)
	c.details.ManagedSessionOutcome = o
	if c.managed.fresh && !ok {
		c.diag.Say("Managed session outcome: " + o.Summary)
		switch o.Status {
		case "preserved":
			c.next.Prefix = []string{"--session", o.CurrentSessionName}
			c.next.Add("verify-current-managed-session", "Shows what the session that goes on is at.", "get", "url")
			c.next.Add("snapshot-current-managed-session", "Shows its page.", "snapshot", "-i")
		case "abandoned":
			c.next.Fresh("retry-fresh-managed-session", "Starts a browser without a page.", "open", "about:blank")
		}
	}
	s := step.First(c.steps)
	if s != nil && s.Err != nil && s.Err.Code == api.LaunchConflict {
		args := step.RedactArgs(s.Words)
		c.details.SessionRecoveryHint = &result.SessionRecoveryHint{Reason: s.Err.Message, RecommendedSessionMode: "fresh", ExampleArgs: args, ExampleParams: result.ActionParams{Args: args, SessionMode: "fresh"}}
		c.details.ValidationError = s.Err.Message
		c.diag.Say("Recovery: the same args with sessionMode fresh.")
	}
}

// verdict sets the categories.
func (c *call) verdict() {
	d := c.details
	if c.qa != nil {
		held := c.held()
		if d.QAPreset = verdictOf(c.qa, c.steps, held); held != nil && step.First(c.steps) == nil {
			suggestBlocked(held, &c.next)
		}
	}
	s := step.First(c.steps)
	switch {
	case s != nil:
		d.FailureCategory, d.Error = s.FailureCategory(), s.Message()
		if s.Err != nil && s.Category == "" {
			d.ErrorCode = string(s.Err.Code)
		}
		if s.Err != nil && (s.Err.Code == api.UnknownRef || s.Err.Code == api.StaleRef || s.Err.Code == api.ElementDetached) {
			d.RefIDs = snapshot.RefsOf(s.Row.Call)
		}
		if s.Name() == "snapshot" && s.Err != nil && (s.Err.Code == api.TabGone || s.Err.Code == api.BrowserNotRunning) {
			d.RefSnapshotInvalidation = &result.RefSnapshotInvalidation{Reason: "no-active-page", Summary: "The session has no page; refs of earlier snapshots are of none that is open."}
		}
	}
	if d.TimedOut && (s == nil || s.Status == step.Running && !c.blocked) {
		d.FailureCategory, d.Error = result.Timeout, fmt.Sprintf("the call was not done within %d ms", d.TimeoutMs)
	}
	if d.QAPreset != nil && !d.QAPreset.Passed && d.FailureCategory != result.ArtifactMissing {
		d.FailureCategory, d.Error = result.QaFailure, d.QAPreset.Summary
	}
}

// data returns the data of the whole call.
func (c *call) data() jsontext.Value {
	if !c.batch {
		return c.steps[0].Data
	}
	type row struct {
		Success bool           `json:"success"`
		Command []string       `json:"command"`
		Result  jsontext.Value `json:"result,omitempty"`
		Error   string         `json:"error,omitzero"`
	}
	rows := []row{}
	for _, s := range c.steps {
		if s.Status == step.Pending {
			continue
		}
		one := row{Success: s.Status == step.Completed, Command: step.RedactArgs(s.Words)}
		if one.Success {
			one.Result = s.Data
		} else {
			one.Error = s.Message()
		}
		rows = append(rows, one)
	}
	return result.Encode(rows)
}
