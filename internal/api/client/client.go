// Package client talks to the daemon from programs that go on for longer than one
// command: the MCP server, and whatever else stands between a caller and the daemon.
// The command line has a client of its own, which must start faster than this one can.
package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/line"
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
	// Argv are the words after the program's name. Reply needs --json among them;
	// Run adds it.
	Argv []string
	// Env holds NAME=value, Cwd is where relative paths start.
	Env []string
	Cwd string
	// Stdin is what the command may read.
	Stdin []byte
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

// failure is the error of a command that did not succeed. Its text ends with the next
// step, which is taken apart again.
func (e *envelope) failure() error {
	err := &api.Error{Code: e.Code, Message: e.Error}
	if hint := api.Lookup(e.Code).Hint; strings.HasSuffix(e.Error, hint) {
		err.Message = strings.TrimSuffix(strings.TrimSuffix(e.Error, hint), " ")
	} else if i := strings.LastIndex(e.Error, ". "); i > 0 { // it has a next step of its own
		err.Message, err.Hint = e.Error[:i], e.Error[i+2:]
	}
	var data map[string]any
	if len(e.Data) > 0 && e.Data.Kind() == '{' && json.Unmarshal(e.Data, &data, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil {
		err.Data = data
	}
	return err
}

// silence is how long a daemon may say nothing; one that works says so every
// second.
const silence = 10 * line.AliveEvery

// attempts bounds how often a command is sent again because a daemon was just
// ending.
const attempts = 3

// Run carries a command out and returns its result. An error is an *api.Error with
// the code, the data and the next step the daemon gave. The command is cancelled when
// ctx ends.
func (c *Client) Run(ctx context.Context, cmd Command) (*Reply, error) {
	cmd.Argv = append([]string{"--json"}, cmd.Argv...)
	var out bytes.Buffer
	if err := c.Stream(ctx, cmd, &out); err != nil {
		return nil, err
	}
	var envelope envelope
	raw := bytes.TrimSpace(out.Bytes())
	if len(raw) > 0 && raw[0] == '[' { // a batch: the rows themselves
		return &Reply{Data: raw}, nil
	}
	if err := json.Unmarshal(raw, &envelope, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, api.Errorf(api.InvalidRequest, "the answer of the background process cannot be read: %w: %.200q", err, raw)
	}
	if !envelope.Success {
		return nil, envelope.failure()
	}
	return &envelope.Reply, nil
}

// Stream carries a command out and copies what it prints to out as it comes. A failed
// write cancels the command. The exit status of a command that printed an envelope is
// in the envelope, so it is no error here.
func (c *Client) Stream(ctx context.Context, cmd Command, out io.Writer) error {
	for tried := 1; ; tried++ {
		err := c.converse(ctx, cmd, out)
		var again *retryError
		if !errors.As(err, &again) {
			return err
		}
		if c.Start == nil || tried == attempts {
			return again.err
		}
		if err := c.Start(); err != nil {
			return err
		}
	}
}

// retryError is a command that was not run because no daemon was there to take it.
type retryError struct{ err error }

func (e *retryError) Error() string { return e.err.Error() }
func (e *retryError) Unwrap() error { return e.err }

func (c *Client) converse(ctx context.Context, cmd Command, out io.Writer) error {
	request, bad, ok := line.AppendRequest(nil, &line.Request{
		V: line.Version, Op: line.OpRun, Program: "usher", Build: c.Build, Cwd: cmd.Cwd, Argv: cmd.Argv, Env: cmd.Env,
	})
	if !ok {
		return api.Errorf(api.InvalidArgument, "%s is not valid UTF-8", bad)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", c.Socket)
	if err != nil {
		if nobodyListens(err) {
			return &retryError{api.Errorf(api.DaemonStartFailed, "no background process listens: %w", err)}
		}
		return ended(ctx, err)
	}
	defer conn.Close()
	if err := peer.Check(conn); err != nil {
		return api.Errorf(api.PermissionDenied, "what listens at %s is not used: %w", c.Socket, err).
			WithHint("Somebody else may have put it there. Set USHER_HOME to a directory of your own.")
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // ends what waits on it; hanging up cancels the command
	defer stop()
	if _, err := conn.Write(request); err != nil {
		return ended(ctx, err)
	}
	return c.read(ctx, conn, cmd, out)
}

func (c *Client) read(ctx context.Context, conn net.Conn, cmd Command, out io.Writer) error {
	in := bufio.NewReaderSize(&impatient{ctx, conn}, 64<<10)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return ended(ctx, err)
		}
		frame, err := line.ParseFrame(text[:len(text)-1])
		if err != nil {
			return api.Errorf(api.InvalidRequest, "the answer of the background process cannot be read: %w", err)
		}
		switch frame.Kind {
		case line.Out:
			if _, err := io.CopyN(out, in, int64(frame.Size)); err != nil {
				return ended(ctx, err)
			}
		case line.Err:
			if _, err := io.CopyN(io.Discard, in, int64(frame.Size)); err != nil { // with --json there is nothing
				return ended(ctx, err)
			}
		case line.Progress:
			if cmd.Progress != nil {
				cmd.Progress(frame.Text)
			}
		case line.Stdin:
			input := line.AppendFrame(nil, line.Frame{Kind: line.Stdin, Size: len(cmd.Stdin)})
			input = append(input, cmd.Stdin...)
			if len(cmd.Stdin) > 0 {
				input = line.AppendFrame(input, line.Frame{Kind: line.Stdin})
			}
			if _, err := conn.Write(input); err != nil {
				return ended(ctx, err)
			}
		case line.Exit:
			return nil
		case line.Refused:
			return refused(frame)
		case line.Local:
			return api.Errorf(api.InvalidArgument, "%q is a command of the command line itself and cannot be run here", cmd.Argv)
		}
	}
}

// impatient gives up on a daemon that says nothing at all.
type impatient struct {
	ctx  context.Context
	conn net.Conn
}

func (r *impatient) Read(p []byte) (int, error) {
	if err := r.conn.SetReadDeadline(time.Now().Add(silence)); err != nil {
		return 0, err
	}
	if err := r.ctx.Err(); err != nil { // the deadline that its end set was just moved
		return 0, err
	}
	return r.conn.Read(p)
}

// refused is the error for a request the daemon did not run.
func refused(f line.Frame) error {
	switch f.Code {
	case line.Retired, string(api.DaemonStopping):
		return &retryError{api.Errorf(api.DaemonStopping, "the background process is ending")}
	}
	return api.Errorf(api.Code(f.Code), "%s", f.Text)
}

// ended is the error for a conversation that was cut.
func ended(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return api.Errorf(api.Cancelled, "cancelled: %w", context.Cause(ctx))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return api.Errorf(api.ConnectionLost, "the background process has not said anything for %s", silence).
			WithHint("It is stopped or stuck; `usher daemon status` shows its process.")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return api.Errorf(api.ConnectionLost, "the background process ended while the command ran")
	}
	return api.Errorf(api.ConnectionLost, "the conversation with the background process failed: %w", err)
}

// nobodyListens: the socket is absent, or left over from a daemon that is gone.
func nobodyListens(err error) bool { return errors.Is(err, fs.ErrNotExist) || refusedConnection(err) }
