package agenttool

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// The states of a step. A step that was interrupted by the call's deadline is running: it may have had effects.
const (
	statusCompleted = "completed"
	statusFailed    = "failed"
	statusRunning   = "running"
	statusPending   = "pending"
)

// step is a command of a call, and what came of it: the journal of the call.
type step struct {
	index  int // from 1
	words  []string
	from   string // what it was generated from
	row    Row
	parsed error // it cannot be run

	status  string
	res     run.Result
	data    jsontext.Value
	outcome api.Outcome
	err     *api.Error
	took    time.Duration

	artifacts []Artifact
	category  string // of a failure that is no error of the command
	reason    string // of that
	spilled   string // the file with all of the data
	next      actions
}

// name returns the command's name; the first word if it could not be parsed.
func (s *step) name() string {
	if s.row.Call != nil {
		return s.row.Call.Verb.Name
	}
	if len(s.words) > 0 {
		return s.words[0]
	}
	return ""
}

// failed reports whether the step did not do what it should.
func (s *step) failed() bool { return s.status == statusFailed || s.status == statusRunning }

// message returns why the step failed.
func (s *step) message() string {
	switch {
	case s.reason != "":
		return s.reason
	case s.err != nil:
		return s.err.Message
	case s.status == statusRunning:
		return "it was running when the time was over"
	}
	return "it did not run"
}

// failureCategory returns the category of a failed step.
func (s *step) failureCategory() string {
	switch {
	case s.category != "":
		return s.category
	case s.status == statusRunning:
		return categoryOf(api.Timeout, s.row.Call)
	case s.err != nil:
		return categoryOf(s.err.Code, s.row.Call)
	}
	return upstreamError
}

// fail marks a step that ran as failed.
func (s *step) fail(category, reason string) {
	s.status, s.category, s.reason = statusFailed, category, reason
}

// runSteps runs the steps in order, until one fails if bail is set, or the time is over.
func runSteps(ctx context.Context, h Host, steps []*step, bail bool) {
	for _, s := range steps {
		s.status = statusPending
	}
	for _, s := range steps {
		if ctx.Err() != nil {
			return
		}
		s.status = statusRunning
		began := time.Now()
		res, err := run.Result{}, s.parsed
		if err == nil {
			res, err = h.Run(ctx, s.row)
		}
		s.took = time.Since(began)
		s.finish(ctx, res, err)
		if s.failed() && (bail || ctx.Err() != nil) {
			return
		}
	}
}

// finish notes what came of a step.
func (s *step) finish(ctx context.Context, res run.Result, err error) {
	s.res = res
	if res.Data != nil {
		s.data = encode(res.Data)
	}
	if err == nil {
		s.status = statusCompleted
		read(s.data, &s.outcome)
		return
	}
	s.err = api.AsError(err)
	if s.data == nil && len(s.err.Data) > 0 {
		s.data = encode(s.err.Data)
	}
	if ctx.Err() == nil {
		s.status = statusFailed
	}
}

// encode returns a value as JSON.
func encode(v any) jsontext.Value {
	raw, err := json.Marshal(v, json.Deterministic(true), json.FormatNilSliceAsNull(false), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return encode(map[string]string{"encodingError": err.Error()})
	}
	return raw
}

// first returns the first failed step, nil if there is none.
func first(steps []*step) *step {
	for _, s := range steps {
		if s.failed() {
			return s
		}
	}
	return nil
}

// budget returns how long the steps may take: the default, or longer if they wait for longer times. The 25 s that the reference once
// refused to exceed have no reason here.
func budget(steps []*step) time.Duration {
	var waits time.Duration
	for _, s := range steps {
		call := s.row.Call
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
	return max(defaultTimeout, waits+waitGrace)
}

const (
	defaultTimeout = 35 * time.Second
	waitGrace      = 5 * time.Second
)
