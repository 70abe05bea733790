// Package client talks to the daemon for every frontend: it starts one where
// none is there to take a command, and says what went wrong. The conversation
// itself is [github.com/usher-browser/usher/internal/api/exchange].
package client

import (
	"bytes"
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

// Client runs commands in the daemon. It holds no connection: each command has one
// of its own, which costs a fraction of a millisecond, so that commands never wait
// for each other here. All methods may be called from many goroutines at once.
type Client struct {
	// Socket is the daemon's.
	Socket string
	// Build identifies this program; a daemon of another build refuses it.
	Build string
	// Start starts a daemon where none listens; nil for a client that does not.
	Start func() error
}

// Command is what to run.
type Command struct {
	// Verb and Values are the command by name, as verb.Table.NewCall takes them; Run adds json.
	Verb   string
	Values map[string][]string
	// Tab is the tab to work in; empty for the active one.
	Tab string
	// Argv are the words of a command line, in place of Verb and Values; Run adds --json.
	Argv []string
	// Env holds NAME=value, Cwd is where relative paths start.
	Env []string
	Cwd string
	// Progress is told what a long command is doing; nil for nobody.
	Progress func(string)
}

// Reply is the JSON envelope of a command; see [api.Envelope].
type Reply struct {
	Data    jsontext.Value `json:"data"`
	Warning string         `json:"warning"`
}

// envelope is what a command prints with --json.
type envelope struct {
	Reply
	Success bool     `json:"success"`
	Error   string   `json:"error"`
	Code    api.Code `json:"code"`
}

// failure is the error of a command that did not succeed. The envelope has message
// and next step in one sentence, the last frame each by itself, unless they are too long.
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

// lenient takes what pages say as it is.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Run carries a command out and returns its result. An error is an *api.Error with
// the code, the data and the next step the daemon gave. The command is cancelled when
// ctx ends.
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
	if len(raw) > 0 && raw[0] == '[' { // a batch: the rows themselves
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

// Stream carries a command out and copies what it prints to out as it comes. A failed
// write cancels the command. The exit status of a command that printed an envelope is
// in the envelope, so it is no error here.
func (c *Client) Stream(ctx context.Context, cmd Command, out io.Writer) error {
	_, err := c.run(ctx, cmd, out)
	return err
}

func (c *Client) run(ctx context.Context, cmd Command, out io.Writer) (last frame.Frame, err error) {
	request := &frame.Request{
		V: frame.Version, Op: frame.OpRun, Program: "usher", Build: c.Build, Cwd: cmd.Cwd, Argv: cmd.Argv, Verb: cmd.Verb, Values: cmd.Values, Tab: cmd.Tab, Env: cmd.Env,
	}
	streams := exchange.Streams{Out: out}
	if cmd.Progress != nil {
		streams.Progress = func(note string) error { cmd.Progress(note); return nil }
	}
	once := func() exchange.Result { return c.do(ctx, request, streams) }
	result := once()
	if c.Start != nil && ctx.Err() == nil {
		if result, err = Insist(result, c.Start, once); err != nil {
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

// Status asks the daemon how it is, whatever its build. Where there is none,
// [NobodyListens] knows the error.
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

// NobodyListens is true for the error of a client that starts no daemon and found
// none: the socket is absent, or left over from one that was killed.
func NobodyListens(err error) bool { return exchange.NobodyListens(err) }

// do is one attempt, which ends with ctx.
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
		// Ends what waits on it; hanging up cancels the command.
		stop = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
		return exchange.Bound(conn, limit, ctx.Err), nil
	})
	if result.Fed != nil {
		<-result.Fed
	}
	return result
}
