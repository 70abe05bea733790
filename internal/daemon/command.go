package daemon

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session"
	"github.com/usher-browser/usher/internal/session/results"
	"github.com/usher-browser/usher/internal/verb"
)

// Commands is the [Handler] that runs commands in their sessions and prints the results.
type Commands struct {
	Registry *session.Registry
	// Frontends are further frontends that verbs open, keyed by the verb's name.
	Frontends map[string]Frontend
}

// Frontend is a frontend that is served inside the daemon, such as HTTP.
type Frontend interface {
	// Open carries the verb out and describes its effect, as data and as text.
	Open(ctx context.Context, req *api.Request, call *verb.Call) (data any, text string, err error)
	// Serving reports whether the frontend is open: the daemon then stays.
	Serving() bool
	// Close closes the frontend and waits until its requests have ended.
	Close() error
}

// Sessions implements [Handler].
func (c *Commands) Sessions() []string { return c.Registry.AllNames() }

// IdleTimeout implements [Handler]: sessions have idle times of their own, so the daemon only waits until the last has
// ended.
func (c *Commands) IdleTimeout() time.Duration {
	if c.Registry.Pinned() {
		return 0
	}
	for _, d := range c.Frontends {
		if d.Serving() {
			return 0
		}
	}
	return DefaultIdleTimeout
}

// Close implements [Handler].
func (c *Commands) Close(ctx context.Context) error {
	var failed []error
	for _, d := range c.Frontends {
		failed = append(failed, d.Close())
	}
	return errors.Join(append(failed, c.Registry.Close(ctx))...)
}

// Handle implements [Handler].
func (c *Commands) Handle(ctx context.Context, req *api.Request, call *verb.Call, streams *Streams) int {
	set, err := config.Load(config.Source{Mode: call.Mode, Env: req.LookupEnv, Cwd: req.Cwd, Flags: call.Globals})
	if err != nil {
		return streams.Fail(req, call.Bool("json") || req.WantsJSON(), err)
	}
	set = c.Registry.Standing(set)
	asJSON := set.Bool("json")
	paths, err := dirs.Of(req.Getenv, set.Str("namespace"), call.Mode == verb.AgentBrowser)
	if err != nil {
		return streams.Fail(req, asJSON, err)
	}
	if frontend := c.Frontends[call.Verb.Name]; frontend != nil {
		data, text, err := frontend.Open(ctx, req, call)
		return c.finish(req, call, set, run.Result{Data: data, Text: text}, err, streams)
	}
	res, err := c.Registry.Run(ctx, session.Command{
		Call: call, Preset: req.Preset, Settings: set, Tab: req.Tab, Cwd: req.Cwd, Env: req.LookupEnv, Stdin: streams.Stdin(ctx), Artifacts: paths.Artifacts, StateDir: paths.State,
		Progress: func(text string) {
			// If the note cannot be shown, there is no other place for it.
			_ = streams.Progress(forTerminal(text, req.TTY.Err, false))
		},
		Ask: asker(ctx, req, streams),
		Emit: func(part []byte) error {
			if !asJSON {
				b := boundsOf(call, set, "")
				b.most = 0 // what follows events is not to lose any
				if b.boundary != nil {
					part = []byte(b.text(strings.TrimSuffix(string(part), "\n")) + "\n")
				}
			}
			if req.TTY.Out {
				part = []byte(forTerminal(string(part), true, asJSON))
			}
			return streams.emit(part)
		},
	})
	if panicked := fault.Of(ctx); panicked != nil { // also in a goroutine that the caller does not wait for
		res, err = run.Result{}, api.Errorf(api.Internal, "%s: %w", call.Verb.Name, panicked)
	}
	if err == nil && res.Streamed {
		return 0
	}
	return c.finish(req, call, set, res, err, streams)
}

// RunHere runs a command that needs no browser and reads no standard input in this process, without a connection, and
// prints its result.
func (c *Commands) RunHere(ctx context.Context, req *api.Request, call *verb.Call, out, errOut io.Writer) int {
	streams := newStreams(io.Discard)
	streams.Out, streams.Err = out, errOut
	return c.Handle(ctx, req, call, streams)
}

// asker returns the function that asks the person at the client's terminal; nil if the client has none.
func asker(ctx context.Context, req *api.Request, streams *Streams) func(string) (string, error) {
	if !req.TTY.In || !req.TTY.Err {
		return nil
	}
	return func(question string) (string, error) {
		if _, err := io.WriteString(streams.Err, forTerminal(question, true, false)); err != nil {
			return "", err
		}
		if err := streams.Flush(); err != nil {
			return "", err
		}
		return bufio.NewReader(io.LimitReader(streams.Stdin(ctx), longestAnswer)).ReadString('\n')
	}
}

// longestAnswer bounds what is read of an answer, in bytes.
const longestAnswer = 100

// finish prints the result of a command and returns the exit status.
func (c *Commands) finish(req *api.Request, call *verb.Call, set *config.Settings, res run.Result, err error, streams *Streams) int {
	asJSON := set.Bool("json")
	for _, w := range set.Warnings {
		res.Warning = api.JoinWarnings(w, res.Warning)
	}
	res.Warning = api.JoinWarnings(policy.Text(call.Ignored()), res.Warning)
	b := boundsOf(call, set, res.Origin)
	if code := api.CodeOf(err); res.Own || code == api.ConfirmationRequired || code == api.ActionDenied {
		b = bounds{}
	}
	switch {
	case err != nil && asJSON:
		return streams.fail(req, asJSON, err, b.boundary)
	case err != nil:
		c.warn(req, asJSON, b.text(res.Warning), streams)
		return streams.Fail(req, asJSON, b.err(err))
	case asJSON:
		return c.printJSON(call, set, res, req, streams, b)
	}
	c.warn(req, asJSON, b.text(res.Warning), streams)
	if res.Text != "" || emptyLine(call) {
		// A failed write means that the client is gone: the error has no receiver.
		_, _ = io.WriteString(streams.Out, forTerminal(b.text(res.Text), req.TTY.Out, false))
		_, _ = io.WriteString(streams.Out, "\n")
	}
	return batchExit(res)
}

// emptyLine reports whether agent-browser prints a line for an empty result of a command, which scripts read as one value.
func emptyLine(call *verb.Call) bool {
	return call.Mode == verb.AgentBrowser && strings.HasPrefix(call.Verb.Name, "get ")
}

// warn prints a warning for a person; in JSON it stands in the envelope.
func (c *Commands) warn(req *api.Request, asJSON bool, warning string, streams *Streams) {
	if warning != "" && !asJSON {
		_, _ = io.WriteString(streams.Err, "⚠ "+forTerminal(warning, req.TTY.Err, false)+"\n")
	}
}

func (c *Commands) printJSON(call *verb.Call, set *config.Settings, res run.Result, req *api.Request, streams *Streams, b bounds) int {
	data, cut, err := b.data(res.Data)
	if err != nil {
		return streams.Fail(req, true, err)
	}
	var out []byte
	if batch, ok := data.(*results.Batch); ok {
		for i := range batch.Rows {
			batch.Rows[i].Boundary = b.boundary
		}
		out, err = api.AppendJSON(nil, batch.Rows)
	} else if res.Bare && call.Mode == verb.AgentBrowser {
		out, err = api.AppendJSON(nil, data)
	} else {
		e := api.Envelope{Data: data, Warning: api.JoinWarnings(res.Warning, cut), Boundary: b.boundary}
		if call.Mode == verb.AgentBrowser && !res.Own && reportsLifecycle(call.Verb) {
			e.Lifecycle = c.Registry.Lifecycle(set, res.Launch)
		}
		out, err = e.Append(nil)
	}
	if err != nil {
		return streams.Fail(req, true, err)
	}
	if req.TTY.Out {
		out = []byte(forTerminal(string(out), true, true))
	}
	_, _ = io.Copy(streams.Out, bytes.NewReader(append(out, '\n')))
	return batchExit(res)
}

// reportsLifecycle reports whether agent-browser's result of a command has its report about the browser: not those about
// sessions and files.
func reportsLifecycle(v *verb.Verb) bool {
	return v.Category != verb.CatSession && v.Category != verb.CatState || v.Is(verb.NeedsBrowser) || v.Is(verb.Starts) || v.Name == "close" || v.Name == "deny" || strings.HasPrefix(v.Name, "auth ")
}

// forTerminal escapes control characters and invisible or bidirectional characters for a terminal, because most output
// contains page text. Programs get the text unchanged.
func forTerminal(text string, terminal, isJSON bool) string {
	switch {
	case !terminal:
		return text
	case isJSON:
		return plain.EscapedJSON(text)
	}
	return plain.Escaped(text)
}

// batchExit is 1 when a command of a batch failed.
func batchExit(res run.Result) int {
	if b, ok := res.Data.(*results.Batch); ok && b.Failed > 0 {
		return api.Lookup(api.BatchFailed).Exit
	}
	if call, ok := res.Data.(interface{ Failed() bool }); ok && call.Failed() {
		return api.Lookup(api.BatchFailed).Exit
	}
	return 0
}
