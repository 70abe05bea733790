// Package client is how frontends other than the fast path talk to the daemon. It starts a daemon if none runs, and turns
// failures of the connection into errors with a code and a hint. The exchange of frames is in
// [github.com/usher-browser/usher/internal/api/exchange].
package client

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/exchange"
	"github.com/usher-browser/usher/internal/api/frame"
	"github.com/usher-browser/usher/internal/api/peer"
)

// Client runs commands in the daemon. Each command has its own connection, which takes a fraction of a millisecond, so
// concurrent commands do not wait for each other here. A Client is safe for concurrent use.
type Client struct {
	// Socket is the path of the daemon's socket.
	Socket string
	// Build identifies this binary. A daemon of another build refuses its commands.
	Build string
	// Start starts a daemon. If it is nil, commands fail when no daemon runs.
	Start func() error
}

// Command is a command to run.
type Command struct {
	// Verb and Values are the command with named values, as for verb.Table.NewCall. Run adds json.
	Verb   string
	Values map[string][]string
	// Preset are the names in Values that are not the caller's; see [frame.Request].
	Preset []string
	// Tab is the tab to work in; empty for the active one.
	Tab string
	// Argv are the arguments of a command line, in place of Verb and Values. Run adds --json.
	Argv []string
	// Program is the name under which the command runs; empty for usher.
	Program string
	// Env has NAME=value pairs. Cwd is the directory for relative paths.
	Env []string
	Cwd string
	// Progress, if not nil, is called with status lines of a long command.
	Progress func(string)
}

// Reply is the result of a command that succeeded; see [api.Envelope].
type Reply struct {
	Data    jsontext.Value `json:"data"`
	Warning string         `json:"warning"`
}

// envelope is the output of a command with --json.
type envelope struct {
	Reply
	Success bool     `json:"success"`
	Error   string   `json:"error"`
	Code    api.Code `json:"code"`
}

// failure returns the error of a failed command. The envelope has message and hint in one sentence; the last frame has
// them separately, unless they are too long.
func (e *envelope) failure(last frame.Frame) error {
	err := &api.Error{Code: e.Code, Message: e.Error}
	if last.Text != "" {
		err.Message, err.Hint = last.Text, last.Hint
	}
	var data map[string]any
	if len(e.Data) > 0 && e.Data.Kind() == '{' && json.Unmarshal(e.Data, &data, lenient) == nil {
		err.Data = data
	}
	return err
}

// lenient accepts invalid UTF-8 and duplicate names, which pages may cause.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Run runs a command and returns its result. Errors are of type *api.Error, with the daemon's code, data and hint. If ctx
// ends, the command is cancelled.
func (c *Client) Run(ctx context.Context, cmd Command) (*Reply, error) {
	if cmd.Verb == "" {
		cmd.Argv = append([]string{"--json"}, cmd.Argv...)
	} else {
		cmd.Values = maps.Clone(cmd.Values)
		if cmd.Values == nil {
			cmd.Values = map[string][]string{}
		}
		cmd.Values["json"] = []string{"true"}
	}
	var out bytes.Buffer
	last, err := c.run(ctx, cmd, &out)
	if err != nil {
		return nil, err
	}
	var envelope envelope
	raw := bytes.TrimSpace(out.Bytes())
	if len(raw) > 0 && raw[0] == '[' { // `batch` prints an array of rows without an envelope
		return &Reply{Data: raw}, nil
	}
	if err := json.Unmarshal(raw, &envelope, lenient); err != nil {
		return nil, api.Errorf(api.InvalidRequest, "the answer of the daemon cannot be read: %w: %.200q", err, raw)
	}
	if !envelope.Success {
		return nil, envelope.failure(last)
	}
	return &envelope.Reply, nil
}

// Stream runs a command and copies its output to out as it arrives. A failed write cancels the command. If the command
// fails after it printed an envelope, the error is in the envelope and Stream returns nil.
func (c *Client) Stream(ctx context.Context, cmd Command, out io.Writer) error {
	_, err := c.run(ctx, cmd, out)
	return err
}

func (c *Client) run(ctx context.Context, cmd Command, out io.Writer) (last frame.Frame, err error) {
	request := &frame.Request{
		V: frame.Version, Op: frame.OpRun, Program: cmp.Or(cmd.Program, "usher"), Build: c.Build, Cwd: cmd.Cwd, Argv: cmd.Argv, Verb: cmd.Verb, Values: cmd.Values, Preset: cmd.Preset, Tab: cmd.Tab, Env: cmd.Env,
	}
	streams := exchange.Streams{Out: out}
	if cmd.Progress != nil {
		streams.Progress = func(note string) error { cmd.Progress(note); return nil }
	}
	once := func() exchange.Result { return c.do(ctx, request, streams) }
	result := once()
	if c.Start != nil && ctx.Err() == nil {
		if result, err = StartAndRetry(result, c.Start, once); err != nil {
			return frame.Frame{}, err
		}
	}
	switch {
	case result.Outcome == exchange.Done:
		return result.Frame, nil
	case ctx.Err() != nil:
		return frame.Frame{}, api.Errorf(api.Cancelled, "cancelled: %w", context.Cause(ctx))
	case result.Outcome == exchange.Local:
		return frame.Frame{}, api.Errorf(api.InvalidArgument, "%s%q is a command of the command line itself and cannot be run here", cmd.Verb, cmd.Argv)
	}
	return frame.Frame{}, Failure(result)
}

// Status returns the status of the daemon, whatever its build. If none runs, [NotRunning] is true for the error.
func (c *Client) Status(ctx context.Context) (*api.DaemonStatus, error) {
	var out bytes.Buffer
	result := c.do(ctx, &frame.Request{
		V: frame.Version, Op: frame.OpStatus, Program: "usher", Build: c.Build, Argv: []string{"daemon", "status", "--json"},
	}, exchange.Streams{Out: &out})
	if result.Outcome != exchange.Done {
		return nil, Failure(result)
	}
	var envelope struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
		Data    struct {
			PID      int      `json:"pid"`
			Build    string   `json:"build"`
			Version  string   `json:"version"`
			Seconds  int      `json:"uptimeSeconds"`
			Sessions []string `json:"sessions"`
		} `json:"data"`
	}
	if err := json.Unmarshal(out.Bytes(), &envelope); err != nil {
		return nil, api.Errorf(api.InvalidRequest, "the answer of the daemon cannot be read: %w", err)
	}
	if !envelope.Success {
		return nil, api.Errorf(api.InvalidRequest, "the daemon sent no status: %s", envelope.Error)
	}
	d := envelope.Data
	return &api.DaemonStatus{PID: d.PID, Build: d.Build, Version: d.Version, Up: time.Duration(d.Seconds) * time.Second, Sessions: d.Sessions}, nil
}

// NotRunning reports whether err means that no daemon runs: the socket does not exist, or was left by a daemon that
// was killed.
func NotRunning(err error) bool { return exchange.NoListener(err) }

// do makes one attempt, which ends with ctx.
func (c *Client) do(ctx context.Context, request *frame.Request, streams exchange.Streams) exchange.Result {
	stop := func() bool { return true }
	defer func() { stop() }()
	result := exchange.DoWith(request, streams, func(limit time.Duration) (io.ReadWriteCloser, error) {
		conn, err := (&net.Dialer{Timeout: limit}).DialContext(ctx, "unix", c.Socket)
		if err != nil {
			return nil, err
		}
		if err := peer.Check(conn); err != nil {
			conn.Close()
			return nil, fmt.Errorf("%s: %w: %w", c.Socket, exchange.ErrForeign, err)
		}
		// Ends reads and writes; closing the connection cancels the command.
		stop = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
		return exchange.Bound(conn, limit, ctx.Err), nil
	})
	if result.InputDone != nil {
		<-result.InputDone
	}
	return result
}
