package agenttool

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/verb"
)

// The limits of scripts.
const (
	maxScriptCalls  = 25
	maxScriptValue  = 64 << 10 // bytes of the final value
	maxScriptCall   = 1 << 20  // bytes of a message
	maxScriptData   = 512 << 10
	scriptTimeout   = 120 * time.Second
	scriptMemory    = 64 << 20
	scriptFacade    = `(host) => ({ browser: (call) => host.call("browser", call), emit: (value) => host.call("emit", value) })`
	scriptCloseTime = 5 * time.Second
)

// refusedInScripts are commands, by the first word, that scripts cannot run: they would change other sessions, or never end.
var refusedInScripts = []string{"attach", "auth", "batch", "close", "quit", "exit", "connect", "script", "session", "state", "agent-tool", "run"}

// innerCall is the argument of browser() in a script.
type innerCall struct {
	Args      []string `json:"args"`
	Stdin     *string  `json:"stdin"`
	TimeoutMs *float64 `json:"timeoutMs"`
}

// innerResult is what browser() returns.
type innerResult struct {
	OK              bool                `json:"ok"`
	Data            jsontext.Value      `json:"data,omitempty"`
	Details         *result.Details     `json:"details,omitzero"`
	Error           string              `json:"error,omitzero"`
	FailureCategory string              `json:"failureCategory,omitzero"`
	NextActions     []result.NextAction `json:"nextActions,omitzero"`
	ResultCategory  string              `json:"resultCategory"`
	SuccessCategory string              `json:"successCategory,omitzero"`
	Summary         string              `json:"summary"`
	Text            string              `json:"text"`
}

// runScript runs a script in a session of its own, which is closed in any case.
func (c *call) runScript(ctx context.Context) *result.Result {
	d := c.details
	code := *c.in.Script
	switch {
	case len(code) > input.MaxScript:
		return c.invalid(step.Invalid("script has %d bytes; at most %d are accepted.", len(code), input.MaxScript))
	case strings.TrimSpace(code) == "":
		return c.invalid(step.Invalid("script must not be blank: give the body of an async function."))
	}
	limit := scriptTimeout
	if c.in.TimeoutMs != nil {
		limit = time.Duration(*c.in.TimeoutMs) * time.Millisecond
	}
	session := prefix + "script-" + strings.ToLower(rand.Text())
	d.ScriptRun = &result.ScriptRun{}
	engine, err := script.Start(script.Options{Facade: scriptFacade, MemoryLimit: scriptMemory})
	if err != nil {
		return c.failed(api.Errorf(api.Internal, "the process for scripts did not start: %w", err))
	}
	defer func() { _ = engine.Close() }() // it ends a process, whose exit status says nothing
	inner := &scriptCalls{c: c, session: session, turn: make(chan struct{}, 1)}
	res, err := engine.Run(ctx, script.Run{Code: code, Name: "script.js", Timeout: limit, Call: script.AnyOrder(inner.call)})
	inner.finish(ctx)
	d.ScriptRun.TimedOut, d.ScriptRun.Aborted = res.TimedOut, ctx.Err() != nil
	d.TimedOut = res.TimedOut
	var content []string
	for _, o := range res.Outputs {
		content = append(content, o.Text)
	}
	for _, e := range inner.emitted {
		content = append(content, string(e))
	}
	switch {
	case err != nil:
		return c.failed(api.AsError(err))
	case inner.rejected != nil:
		d.FailureCategory, d.Error = step.CategoryOf(inner.rejected.Code, nil), inner.rejected.Message
	case res.TimedOut:
		d.FailureCategory, d.Error = result.Timeout, res.Err.Error()
	case res.Err != nil:
		d.FailureCategory, d.Error = result.ScriptError, res.Err.Error()
		if res.Err.Line > 0 {
			d.Error += fmt.Sprintf(" (line %d, column %d)", res.Err.Line, res.Err.Column)
		}
	case len(res.Value) > maxScriptValue:
		d.FailureCategory, d.Error = result.ScriptError, fmt.Sprintf("the returned value has %d bytes; at most %d are accepted", len(res.Value), maxScriptValue)
	default:
		d.Data = res.Value
		if res.Value != nil {
			content = append(content, res.Text)
		}
	}
	if inner.unclosed != nil { // it matters more than what the script did
		d.FailureCategory, d.Error = result.CleanupFailed, joined(d.Error, "the session of the script could not be closed: "+inner.unclosed.Message)
		c.agent.leave(session)
		c.next.Put(result.NextAction{ID: "close-script-session-after-cleanup-failure", Reason: "Ends the browser of the script.", Params: &result.ActionParams{Args: d.ScriptSession.CloseCommandArgs}})
	}
	if d.Error == "" {
		if err := c.writeOutput(res.Value, strings.Join(content, "\n")); err != nil {
			e := api.AsError(err)
			d.FailureCategory, d.Error, d.ErrorCode = result.UpstreamError, e.Message, string(e.Code)
		}
	}
	if d.Error != "" {
		content = append(content, "error: "+d.Error)
	}
	d.Summary = fmt.Sprintf("%d calls, %d failed", d.ScriptRun.CallCount, d.ScriptRun.FailedCallCount)
	return c.finish(strings.Join(content, "\n"))
}

func joined(first, second string) string {
	if first == "" {
		return second
	}
	return first + "; " + second
}

// scriptCalls are the calls of a script.
type scriptCalls struct {
	c       *call
	session string
	turn    chan struct{} // one call at a time

	unclosed *api.Error // why the session could not be closed

	mu       sync.Mutex
	rejected *api.Error       // guarded by mu: the first call that was refused
	emitted  []jsontext.Value // guarded by mu
	size     int              // guarded by mu
}

// call carries out a call of the script's.
func (s *scriptCalls) call(ctx context.Context, method string, params jsontext.Value) (jsontext.Value, error) {
	run := s.c.details.ScriptRun
	if method == "emit" {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.size += len(params); s.size > maxScriptCall {
			return nil, api.Errorf(api.TooLarge, "emit: more than %d bytes were emitted", maxScriptCall)
		}
		run.EmitCount++
		s.emitted = append(s.emitted, params)
		return nil, nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	run.CallCount++
	in, err := s.read(params, run.CallCount)
	if err != nil {
		run.PreDispatchRejectedCallCount++
		s.mu.Lock()
		if s.rejected == nil {
			s.rejected = api.AsError(err)
		}
		s.mu.Unlock()
		return nil, err
	}
	raw := result.Encode(map[string]any{"args": append([]string{"--session", s.session}, in.Args...)})
	fields := map[string]jsontext.Value{}
	result.Read(raw, &fields)
	if in.Stdin != nil {
		fields["stdin"] = result.Encode(*in.Stdin)
	}
	if in.TimeoutMs != nil {
		fields["timeoutMs"] = result.Encode(*in.TimeoutMs)
	}
	r := *s.c.request
	r.Input, r.Prompt = result.Encode(fields), s.c.request.Prompt
	nested := s.c.agents.nested(ctx, s.c.h, &r, s.session)
	d := nested.Details
	out := innerResult{OK: !nested.IsError, Data: d.Data, Details: d, Error: d.Error, FailureCategory: d.FailureCategory, NextActions: d.NextActions,
		ResultCategory: d.ResultCategory, SuccessCategory: d.SuccessCategory, Summary: d.Summary, Text: nested.Text()}
	if out.OK {
		run.SuccessfulCallCount++
	} else {
		run.FailedCallCount++
	}
	s.c.details.ScriptSteps = append(s.c.details.ScriptSteps, result.ScriptStep{Index: run.CallCount, Args: step.RedactArgs(in.Args), OK: out.OK, ResultCategory: d.ResultCategory, FailureCategory: d.FailureCategory, Summary: d.Summary})
	return result.Encode(out), nil
}

// read checks a call before anything is done.
func (s *scriptCalls) read(params jsontext.Value, n int) (*innerCall, error) {
	var in innerCall
	switch {
	case n > maxScriptCalls:
		return nil, api.Errorf(api.InvalidArgument, "browser: a script makes at most %d calls", maxScriptCalls)
	case len(params) > maxScriptCall:
		return nil, api.Errorf(api.TooLarge, "browser: the call has %d bytes; at most %d are accepted", len(params), maxScriptCall)
	}
	if err := json.Unmarshal(params, &in, json.RejectUnknownMembers(true)); err != nil || len(in.Args) == 0 {
		return nil, step.Invalid("browser: give {args: [...], stdin?, timeoutMs?}")
	}
	for _, w := range in.Args {
		name, _, _ := strings.Cut(w, "=")
		switch f := verb.GlobalFlag(strings.TrimPrefix(name, "--")); {
		case name == "--session" || name == "--namespace":
			return nil, step.Invalid("browser: a script has a session of its own; omit %s.", name)
		case strings.HasPrefix(name, "--") && f != nil && f.Scope == verb.AtLaunch:
			return nil, step.Invalid("browser: %s chooses how the browser starts, which a script cannot.", name)
		}
	}
	if words := slices.DeleteFunc(slices.Clone(in.Args), func(w string) bool { return strings.HasPrefix(w, "-") }); len(words) > 0 && slices.Contains(refusedInScripts, words[0]) {
		return nil, step.Invalid("browser: %s cannot be used in a script.", words[0])
	}
	return &in, nil
}

// inScript returns those of some actions that browser() accepts, in its form: it knows commands only, and chooses the session itself.
func inScript(all []result.NextAction) (out []result.NextAction) {
	for _, n := range all {
		if n.ArtifactPath != "" {
			out = append(out, n)
			continue
		}
		if n.Params == nil || n.Params.Args == nil || n.Params.SessionMode != "" {
			continue
		}
		params := *n.Params
		if len(params.Args) > 2 && params.Args[0] == "--session" {
			params.Args = params.Args[2:]
		}
		if !slices.Contains(refusedInScripts, params.Args[0]) {
			n.Params = &params
			out = append(out, n)
		}
	}
	return out
}

// finish closes the session of the script.
func (s *scriptCalls) finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), scriptCloseTime)
	defer cancel()
	out := &result.ScriptSession{SessionName: s.session, Cleanup: "closed", CloseCommandArgs: []string{"close", "--session", s.session}, LaunchAttempted: s.c.details.ScriptRun.CallCount > 0}
	if s.c.h.Work("", s.session) != nil {
		if _, err := s.c.h.Run(ctx, step.Command(s.c.h, "", s.session, "close")); err != nil {
			out.Cleanup, s.unclosed = "failed", api.AsError(err)
		}
	}
	s.c.details.ScriptSession = out
}
