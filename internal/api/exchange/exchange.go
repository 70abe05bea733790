// Package exchange is the client's side of the local protocol: it sends one request and copies what comes back until the
// conversation ends. Every client uses it; [github.com/usher-browser/usher/internal/api/client] adds a context, errors
// and the start of a daemon.
//
// It imports little, because the command line runs it before other packages are initialised. A test checks its imports.
package exchange

import (
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/usher-browser/usher/internal/api/frame"
)

// Outcome is how a conversation with the daemon ended.
type Outcome uint8

// The outcomes.
const (
	// Skipped: not tried.
	Skipped Outcome = iota
	// Done: the command ran and its output was written. Frame is the last frame, with the exit status.
	Done
	// NoDaemon: nothing listens on the socket. Err is the error of connecting.
	NoDaemon
	// Local: the client's own process must run the command.
	Local
	// Refused: the daemon did not run the command. Frame has the reason.
	Refused
	// Lost: the connection ended during the command. Err is the cause, if known.
	Lost
	// Broken: the answer is not the protocol. Err says what is wrong.
	Broken
	// Unusable: the request could not be encoded, or the socket not used. Err is the reason.
	Unusable
	// OutputFailed: the output could not be written. Err is the error.
	OutputFailed
	// TimedOut: the daemon sent nothing for longer than [ReplyTimeout]. Err has the time.
	TimedOut
)

// Result is the end of a conversation.
type Result struct {
	Outcome Outcome
	// Frame is the last frame, for Done and Refused.
	Frame frame.Frame
	// PID is the process that listens; 0 if unknown.
	PID int
	// Err is the cause; see the outcomes.
	Err error
	// InputDone is closed when standard input is no longer read; nil if it was not requested. Reading ends with the
	// input, or with the connection.
	InputDone <-chan struct{}
}

// CanStartDaemon reports whether another daemon can be started: none runs, or the one that refused the command is exiting.
func (r Result) CanStartDaemon() bool {
	switch r.Outcome {
	case NoDaemon:
		return true
	case Refused:
		return r.Frame.Code == frame.Retired || r.Frame.Code == stopping
	}
	return false
}

// stopping is the code of a daemon that is exiting; package api has it as DaemonStopping.
const stopping = "daemon_stopping"

// Streams are the input and output of a command. A nil writer discards; a nil In means no input.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Progress is called with status lines of a long command.
	Progress func(note string) error
}

// ReplyTimeout returns how long a daemon may send nothing before it counts as hanging. A running command sends
// [frame.Alive] every [frame.AliveEvery]; the rest allows for a busy machine.
func ReplyTimeout(op string) time.Duration {
	switch op {
	case frame.OpRun:
		return 10 * frame.AliveEvery
	case frame.OpText:
		return TextTimeout
	}
	// status and stop are used when something is wrong already, so give up sooner.
	return 3 * frame.AliveEvery
}

// TextTimeout is how long the whole conversation of an [frame.OpText] request may take. Then the client prints the text
// itself, which takes it a few milliseconds.
const TextTimeout = 200 * time.Millisecond

// ErrArgument is wrapped by the error for a request with a string that is not valid UTF-8.
var ErrArgument = errors.New("not valid UTF-8")

type argumentError struct{ what string }

func (e *argumentError) Error() string { return e.what + " is " + ErrArgument.Error() }
func (e *argumentError) Unwrap() error { return ErrArgument }

// ErrForeign is the cause if the socket belongs to another user.
var ErrForeign = errors.New("the process listening there belongs to another user")

// replyTimeoutError is the error of [TimedOut].
type replyTimeoutError struct{ limit time.Duration }

func (e *replyTimeoutError) Error() string {
	return "no answer within " + strconv.FormatFloat(e.limit.Seconds(), 'f', -1, 64) + " s"
}

// Timeout makes the error count as the end of a connection's limit.
func (e *replyTimeoutError) Timeout() bool { return true }

// Do sends the request to the daemon at the socket, and copies its output. It does not start a daemon. It waits as long
// as the daemon sends [frame.Alive].
func Do(r *frame.Request, socket string, s Streams) Result {
	return do(r, s, func(limit time.Duration) (io.ReadWriteCloser, int, error) { return dial(socket, limit) })
}

// DoWith is [Do] over a connection that dial makes. Its reads and writes must fail after limit.
func DoWith(r *frame.Request, s Streams, dial func(limit time.Duration) (io.ReadWriteCloser, error)) Result {
	return do(r, s, func(limit time.Duration) (io.ReadWriteCloser, int, error) {
		conn, err := dial(limit)
		return conn, 0, err
	})
}

func do(r *frame.Request, s Streams, dial func(time.Duration) (io.ReadWriteCloser, int, error)) Result {
	if r.Build == "" {
		return Result{Outcome: Unusable, Err: errors.New("cannot read this program's own file to identify its build")}
	}
	raw, bad, ok := frame.AppendRequest(make([]byte, 0, 4096), r)
	if !ok {
		return Result{Outcome: Unusable, Err: &argumentError{bad}}
	}
	limit := ReplyTimeout(r.Op)
	conn, pid, err := dial(limit)
	if err != nil {
		switch {
		case NoListener(err):
			return Result{Outcome: NoDaemon, Err: err}
		case timedOut(err):
			return Result{Outcome: TimedOut, Err: &replyTimeoutError{limit}}
		}
		return Result{Outcome: Unusable, Err: err}
	}
	if r.Op == frame.OpText {
		conn = &brief{conn, time.Now().Add(limit), limit}
	}
	return finish(conn, converse(conn, raw, s), pid, limit)
}

// finish closes the connection of a conversation that ended.
func finish(conn io.Closer, result Result, pid int, limit time.Duration) Result {
	if result.Outcome == Lost && timedOut(result.Err) {
		result.Outcome, result.Err = TimedOut, &replyTimeoutError{limit}
	}
	result.PID = pid
	// Nothing is lost by an error: the conversation has ended.
	_ = conn.Close()
	return result
}

// timedOut reports whether err means that a connection's limit has passed.
func timedOut(err error) bool {
	var late interface{ Timeout() bool }
	return errors.As(err, &late) && late.Timeout()
}

// bufferSize bounds one write of output, in bytes.
const bufferSize = 64 << 10

// converse sends the request and copies output until the conversation ends.
func converse(conn io.ReadWriter, request []byte, s Streams) (result Result) {
	// A daemon that refuses the peer answers and closes without reading. Prefer its answer to the error of this write.
	_, writeErr := conn.Write(request)
	if writeErr != nil && timedOut(writeErr) {
		return Result{Outcome: Lost, Err: writeErr}
	}
	return follow(conn, frame.NewReader(conn, bufferSize), writeErr, s)
}

// follow copies output until the conversation ends. writeErr is that of writing the request.
func follow(conn io.Writer, reader *frame.Reader, writeErr error, s Streams) (result Result) {
	for {
		f, err := reader.Next()
		if err == nil {
			switch f.Kind {
			case frame.Out:
				err = reader.Copy(s.Out, f.Size)
			case frame.Err:
				err = reader.Copy(s.Err, f.Size)
			case frame.Progress:
				err = show(s.Progress, f.Text)
			case frame.WantInput:
				if result.InputDone == nil {
					result.InputDone = sendInput(conn, s.In)
				}
			case frame.Exit:
				result.Outcome, result.Frame = Done, f
				return result
			case frame.Refused:
				result.Outcome, result.Frame = Refused, f
				return result
			case frame.Local:
				result.Outcome = Local
				return result
			}
		}
		if err != nil {
			result.Outcome, result.Err = failed(err, writeErr)
			return result
		}
	}
}

func show(progress func(string) error, note string) error {
	if progress == nil {
		return nil
	}
	if err := progress(note); err != nil {
		return &frame.WriteError{Cause: err}
	}
	return nil
}

// failed classifies an error of the conversation. writeErr is that of writing the request.
func failed(err, writeErr error) (Outcome, error) {
	var syntax *frame.SyntaxError
	var long *frame.TooLong
	var output *frame.WriteError
	switch {
	case errors.As(err, &syntax), errors.As(err, &long):
		return Broken, err
	case errors.As(err, &output):
		return OutputFailed, output.Cause
	case writeErr != nil:
		return Lost, writeErr
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Lost, nil
	}
	return Lost, err
}

// sendInput sends standard input in a goroutine until it or the connection ends, and then closes the returned channel.
// Header and bytes go out in one write.
func sendInput(conn io.Writer, in io.Reader) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, frame.HeaderSize+bufferSize)
		for in != nil {
			n, err := in.Read(buf[frame.HeaderSize:])
			if n > 0 {
				frame.Append(buf[:0], frame.Frame{Kind: frame.Input, Size: n})
				if _, err := conn.Write(buf[:frame.HeaderSize+n]); err != nil {
					return // the reading side reports the failed connection
				}
			}
			if err != nil {
				end := frame.Frame{Kind: frame.InputEnd}
				if err != io.EOF {
					end.Text = err.Error()
				}
				_, _ = conn.Write(frame.Append(nil, end)) // as above
				return
			}
		}
		_, _ = conn.Write(frame.Append(nil, frame.Frame{Kind: frame.InputEnd})) // as above
	}()
	return done
}
