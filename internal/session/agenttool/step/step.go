// Package step runs the commands of a call of the tool agent_browser and keeps its journal: which commands have run, what they returned,
// which one was interrupted, and which never started.
package step

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/verb"
)

// The states of a step. A step that was interrupted by the call's deadline is running: it may have had effects.
const (
	Completed = "completed"
	Failed    = "failed"
	Running   = "running"
	Pending   = "pending"
)

// Step is a command of a call, and what came of it: the journal of the call.
type Step struct {
	Index int // from 1
	Words []string
	From  string // what it was generated from
	Place int    // the step of the job that it is a part of, from 1; 0 if it is a step itself
	Empty bool   // it succeeds in a session without a browser: there is nothing that it could clear or list
	Row   Row

	Status  string
	Result  run.Result
	Data    jsontext.Value
	Outcome api.Outcome
	Err     *api.Error
	Took    time.Duration

	Artifacts []result.Artifact
	Category  string // of a failure that is no error of the command
	Reason    string // of that
	Spilled   string // the file with all of the data
	Next      result.Actions
}

// Name returns the command's name; the first word if it could not be parsed.
func (s *Step) Name() string {
	if s.Row.Call != nil {
		return s.Row.Call.Verb.Name
	}
	if len(s.Words) > 0 {
		return s.Words[0]
	}
	return ""
}

// Number returns the step's number for the caller: that of its job, else its own.
func (s *Step) Number() int {
	if s.Place > 0 {
		return s.Place
	}
	return s.Index
}

// Failed reports whether the step did not do what it should.
func (s *Step) Failed() bool { return s.Status == Failed || s.Status == Running }

// Message returns why the step failed.
func (s *Step) Message() string {
	switch {
	case s.Reason != "":
		return s.Reason
	case s.Err != nil:
		return s.Err.Message
	case s.Status == Running:
		return "it was running when the time was over"
	}
	return "it did not run"
}

// FailureCategory returns the category of a failed step.
func (s *Step) FailureCategory() string {
	switch {
	case s.Category != "":
		return s.Category
	case s.Status == Running:
		return CategoryOf(api.Timeout, s.Row.Call)
	case s.Err != nil:
		return CategoryOf(s.Err.Code, s.Row.Call)
	}
	return result.UpstreamError
}

// Fail marks a step that ran as failed.
func (s *Step) Fail(category, reason string) {
	s.Status, s.Category, s.Reason = Failed, category, reason
}

// RunAll runs the steps in order, until one fails if bail is set, or the time is over. A step for which before returns an error is not run, and
// none after it.
func RunAll(ctx context.Context, h Host, steps []*Step, bail bool, before func(context.Context, *Step) error) {
	for _, s := range steps {
		s.Status = Pending
	}
	for _, s := range steps {
		if ctx.Err() != nil {
			return
		}
		s.Status = Running
		began := time.Now()
		if err := before(ctx, s); err != nil {
			s.Finish(ctx, h, run.Result{}, err)
			return
		}
		res, err := h.Run(ctx, s.Row)
		s.Took = time.Since(began)
		if code := api.CodeOf(err); s.Empty && (code == api.BrowserNotRunning || code == api.BrowserCrashed) {
			res, err = run.Result{}, nil
		}
		s.Finish(ctx, h, res, err)
		if s.Failed() && (bail || ctx.Err() != nil) {
			return
		}
	}
}

// Refuse marks the first step as failed, and that the others did not run.
func Refuse(steps []*Step, err *api.Error) {
	for _, s := range steps {
		s.Status = Pending
	}
	steps[0].Status, steps[0].Err = Failed, err
}

// Finish notes what came of a step.
func (s *Step) Finish(ctx context.Context, h Host, res run.Result, err error) {
	s.Result = res
	if res.Data != nil {
		s.Data = result.Encode(res.Data)
	}
	if err == nil {
		s.Status = Completed
		result.Read(s.Data, &s.Outcome)
		return
	}
	s.Err = advised(api.AsError(err), h.Guarded())
	if s.Data == nil && len(s.Err.Data) > 0 {
		s.Data = result.Encode(s.Err.Data)
	}
	if ctx.Err() == nil {
		s.Status = Failed
	}
}

// First returns the first failed step, nil if there is none.
func First(steps []*Step) *Step {
	for _, s := range steps {
		if s.Failed() {
			return s
		}
	}
	return nil
}

// Budget returns how long the steps may take: the default, or longer if they wait for longer times. The 25 s that the reference once
// refused to exceed have no reason here.
func Budget(steps []*Step) time.Duration {
	var waits time.Duration
	for _, s := range steps {
		call := s.Row.Call
		if call == nil {
			continue
		}
		if call.Globals.Has("timeout") {
			waits += call.Dur("timeout")
		}
		if call.Verb.Name == "wait" && call.Has("target") {
			if d, err := verb.ParseDuration(call.Str("target")); err == nil {
				waits += d
			}
		}
	}
	return max(DefaultTimeout, waits+waitGrace)
}

// DefaultTimeout is how long a call may take that does not wait for longer times.
const DefaultTimeout = 35 * time.Second

const waitGrace = 5 * time.Second
