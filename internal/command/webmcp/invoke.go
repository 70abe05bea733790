package webmcp

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/raw"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/invocations"
	"github.com/usher-browser/usher/internal/command/upload"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Invocation is the result of `webmcp invoke`, `webmcp result` and `webmcp cancel`.
type Invocation struct {
	DurationMs int64 `json:"durationMs"`
	// Error says why it failed; absent for other statuses. It may be a text of the page.
	Error        *string `json:"error,omitzero"`
	FrameID      string  `json:"frameId"`
	InvocationID string  `json:"invocationId"`
	Origin       string  `json:"origin"`
	// Output is what the tool returned: untrusted content of the page.
	Output jsontext.Value `json:"output,omitzero"`
	// RawStatus is the browser's word: Completed, Canceled or Error; absent if the tool did not answer.
	RawStatus string `json:"rawStatus,omitzero"`
	// Status is completed, pending, failed, canceled or timed_out.
	Status   string `json:"status"`
	ToolName string `json:"toolName"`
}

// longestParams is the largest size of parameters in a file, in bytes.
const longestParams = 1 << 20

func invoke(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Invocation], error) {
	const doing = "webmcp invoke"
	none := run.Reply[*Invocation]{}
	input, err := params(ctx, e, c.Str("params"))
	if err != nil {
		return none, err
	}
	gctx, stop := e.Guard(ctx)
	defer stop()
	tool, err := pick(gctx, e, c.Str("tool"))
	if err != nil {
		return none, err
	}
	frame := e.Browser.State().Frame(model.FrameID(tool.FrameID))
	if frame == nil || frame.Loader != tool.loader {
		return none, api.Errorf(api.FrameDetached, "%s: the page navigated away before the tool was called; nothing was done", doing)
	}
	if e.Sites != nil {
		if err := e.GateFrame(gctx, frame); err != nil {
			return none, err
		}
	}
	i, err := e.Invocations.Begin(gctx, e.Browser, invocations.Call{
		Target: target(e, frame), Frame: frame.ID, Loader: frame.Loader, Origin: frame.Origin, Tool: tool.Name, Input: input, Limit: e.Limit,
	})
	if err != nil {
		return none, beginError(e, err, tool.Name)
	}
	if c.Bool("detach") {
		return reply(i, i.Outcome()), nil
	}
	out, err := i.Wait(gctx)
	switch {
	case errors.Is(err, run.ErrLimit):
		i.Expire()
		out = i.Outcome()
	case err != nil: // what blocks the tab may be a dialog of the tool, which can go on after it
		known := api.AsError(e.Explain(err, doing))
		return none, known.With("invocationId", i.ID)
	}
	return finished(e, i, out)
}

// params returns the parameters of a call, which may be in a file.
func params(ctx context.Context, e *run.Env, given string) (jsontext.Value, error) {
	name, inFile := strings.CutPrefix(strings.TrimSpace(given), "@")
	if !inFile {
		return jsontext.Value(given), nil
	}
	path := e.Path(name)
	if err := upload.Allowed(e, path); err != nil {
		return nil, err
	}
	text, err := files.Read(ctx, path, longestParams)
	if err != nil {
		return nil, api.Errorf(api.FileNotFound, "read the parameters: %w", err).With("path", path)
	}
	if err := raw.CheckParams(string(text)); err != nil {
		return nil, err
	}
	return jsontext.Value(text), nil
}

// pick finds a tool by its name: in the frame of --frame, else that of the page itself, else the only one.
func pick(ctx context.Context, e *run.Env, name string) (*Tool, error) {
	found, err := registered(ctx, e, "webmcp invoke")
	if err != nil {
		return nil, err
	}
	var fit []*Tool
	for i := range found.tools {
		if found.tools[i].Name == name {
			fit = append(fit, &found.tools[i])
		}
	}
	switch {
	case len(fit) == 0:
		return nil, notRegistered(name, found.tools)
	case len(fit) == 1, fit[0].FrameID == string(e.Tab): // the page's own is the first
		return fit[0], nil
	}
	frames := make([]string, 0, len(fit))
	for _, t := range fit {
		frames = append(frames, t.FrameID+" ("+t.Origin+")")
	}
	return nil, api.Errorf(api.FrameAmbiguous, "webmcp invoke: several frames have a tool %s: %s", run.Quote(name), strings.Join(frames, ", ")).
		With("frames", frames)
}

// target returns the page or the out-of-process frame that a frame is in.
func target(e *run.Env, f *model.Frame) model.TargetID {
	s := e.Browser.State()
	for f != nil && !f.OOPIF && f.Parent != "" {
		f = s.Frame(f.Parent)
	}
	if f == nil {
		return e.Tab
	}
	return model.TargetID(f.ID)
}

// beginError explains why a tool was not called.
func beginError(e *run.Env, err error, name string) error {
	var many *invocations.TooManyError
	var refused *cdp.Error
	switch {
	case errors.As(err, &many):
		return api.Errorf(api.TooLarge, "webmcp invoke: %w", err).WithHint("End some with `webmcp cancel`.")
	case errors.As(err, &refused) && refused.Message == "Tool not found":
		return notRegistered(name, nil)
	case errors.As(err, &refused) && strings.Contains(refused.Message, "wasn't found"):
		return api.Errorf(api.Unsupported, "webmcp invoke: the browser cannot call tools of pages: %w", err)
	}
	return e.Explain(err, "webmcp invoke")
}

// endTime is how long a call whose deadline has passed may take to end.
const endTime = 5 * time.Second

func result(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Invocation], error) {
	i := e.Invocations.Find(c.Str("id"))
	if i == nil {
		return run.Reply[*Invocation]{}, unknown(c)
	}
	limit := i.Limit + endTime // it ends by itself
	if e.Limited {
		limit = e.Limit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, run.ErrLimit)
	defer cancel()
	out, err := i.Wait(ctx)
	switch {
	case errors.Is(err, run.ErrLimit):
		return reply(i, i.Outcome()), nil // pending
	case err != nil:
		return run.Reply[*Invocation]{}, e.Explain(err, "webmcp result")
	}
	return finished(e, i, out)
}

func cancel(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Invocation], error) {
	i := e.Invocations.Find(c.Str("id"))
	if i == nil {
		return run.Reply[*Invocation]{}, unknown(c)
	}
	if now := i.Outcome(); now.Status != invocations.Pending {
		return run.Reply[*Invocation]{}, api.Errorf(api.InvocationEnded, "WebMCP invocation '%s' is already %s", i.ID, now.Status).With("status", string(now.Status))
	}
	ctx, stop := e.WithLimit(ctx, func() {})
	defer stop()
	out, err := i.Cancel(ctx)
	if err != nil {
		return run.Reply[*Invocation]{}, e.Explain(err, "webmcp cancel")
	}
	return reply(i, out), nil
}

func unknown(c *verb.Call) error {
	return api.Errorf(api.NoInvocation, "Unknown WebMCP invocation '%s'", c.Str("id"))
}

// finished returns the result of a tool that has ended. A tool that did not succeed is an error, except under agent-browser's
// name, where it is a result with that status.
func finished(e *run.Env, i *invocations.Invocation, out invocations.Outcome) (run.Reply[*Invocation], error) {
	done := reply(i, out)
	if out.Status == invocations.Completed || e.Settings.Compatible {
		return done, nil
	}
	code, why := api.PageToolFailed, out.Error
	switch {
	case out.Status == invocations.TimedOut:
		code = api.Timeout
	case why == "" && out.Status == invocations.Cancelled:
		why = "it was cancelled"
	case why == "":
		why = "it gave no reason"
	}
	err := api.Errorf(code, "the tool %s failed: %s", run.Quote(i.Tool), run.OneLine(why)).
		With("invocationId", i.ID).With("status", string(out.Status)).With("frameId", string(i.Frame)).With("origin", i.Origin)
	if code == api.Timeout {
		err.WithHint("It was cancelled. Give it longer with --timeout, or do not wait: --detach.")
	}
	return run.Reply[*Invocation]{}, err
}

func reply(i *invocations.Invocation, out invocations.Outcome) run.Reply[*Invocation] {
	data := &Invocation{
		DurationMs: out.Took.Milliseconds(), FrameID: string(i.Frame), InvocationID: i.ID, Origin: i.Origin, Output: out.Output,
		RawStatus: string(out.Raw), Status: string(out.Status), ToolName: i.Tool,
	}
	text := i.ID + ": " + data.Status
	switch {
	case out.Status == invocations.Completed && out.Output != nil:
		shown := out.Output.Clone()
		if shown.Indent(jsontext.WithIndent("  ")) == nil {
			text += "\n" + string(shown)
		}
	case out.Status != invocations.Completed && out.Status != invocations.Pending:
		data.Error = &out.Error
		if out.Error != "" {
			text += "\n" + run.Printable(out.Error)
		}
	}
	return run.Reply[*Invocation]{Data: data, Text: text}
}
