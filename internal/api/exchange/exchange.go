// Package exchange is the client's side of the local protocol: send one request
// and copy what comes back until the conversation ends. It is the only one;
// [github.com/usher-browser/usher/internal/api/client] is it with a context,
// errors and a daemon that is started.
//
// It imports little, because the command line runs it before everything else
// is there; a test keeps its imports short.
package exchange

import (
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/usher-browser/usher/internal/api/frame"
)

// Outcome says how far a conversation with the daemon came.
type Outcome uint8

// The outcomes.
const (
	// Skipped: not tried.
	Skipped Outcome = iota
	// Done: the command ran and its output is written; Frame is the last one, with
	// the exit status.
	Done
	// NoDaemon: nothing listens on the socket; Err says how that shows.
	NoDaemon
	// Local: the daemon says that the client's own process has to run the command.
	Local
	// Refused: the daemon did not run the command; Frame says why.
	Refused
	// Lost: the connection ended in the middle; Err has the cause, if any.
	Lost
	// Broken: what came back is not the protocol; Err says where.
	Broken
	// Unusable: the request could not be made or sent anywhere; Err says why.
	Unusable
	// OutputFailed: what came cannot be written; Err says why.
	OutputFailed
	// Silent: the daemon is there and did not say anything for longer than one
	// that works does; Err says how long.
	Silent
)

// Result is the end of a conversation with the daemon.
type Result struct {
	Outcome Outcome
	// Frame is the last frame, for Done and Refused.
	Frame frame.Frame
	// PID is the process that listens, 0 where the system does not tell or none
	// does.
	PID int
	// Err is the cause, where the outcome names one.
	Err error
	// Fed is closed when standard input is no longer read; nil where it was not
	// asked for. The reading ends with the input, or with the connection.
	Fed <-chan struct{}
}

// MakesRoom says that the daemon did not run the command because it ends, or
// that there is none: another can be started.
func (r Result) MakesRoom() bool {
	switch r.Outcome {
	case NoDaemon:
		return true
	case Refused:
		return r.Frame.Code == frame.Retired || r.Frame.Code == stopping
	}
	return false
}

// stopping is the code of a daemon that is about to end, as package api has it.
const stopping = "daemon_stopping"

// Streams are where the output of a command goes and its input comes from. Nil
// stands for nobody, and for no input.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Progress is shown what a long command is doing.
	Progress func(note string) error
}

// Silence is how long a daemon may say nothing. One that works says so every
// second ([frame.AliveEvery]); the rest is for a machine that has no time for it.
func Silence(op string) time.Duration {
	if op == frame.OpRun {
		return 10 * frame.AliveEvery
	}
	// The question how it is, and the order to stop: people ask that when
	// something is wrong already.
	return 3 * frame.AliveEvery
}

// ErrArgument is in the chain of the error for a request that cannot travel.
var ErrArgument = errors.New("not valid UTF-8")

type argumentError struct{ what string }

func (e *argumentError) Error() string { return e.what + " is " + ErrArgument.Error() }
func (e *argumentError) Unwrap() error { return ErrArgument }

// ErrForeign is the cause where a socket belongs to somebody else.
var ErrForeign = errors.New("the process listening there belongs to another user")

// silenceError is the cause of [Silent].
type silenceError struct{ limit time.Duration }

func (e *silenceError) Error() string {
	return "no answer within " + strconv.Itoa(int(e.limit/time.Second)) + " s"
}

// Do sends the request to the daemon at the socket, and copies its output. It
// starts nothing. It waits as long as the daemon says that it works, and no
// longer.
func Do(r *frame.Request, socket string, s Streams) Result {
	return do(r, s, func(limit time.Duration) (io.ReadWriteCloser, int, error) { return dial(socket, limit) })
}

// DoWith is [Do] over a connection of somebody else's making, whose reads and
// writes fail after the limit it is dialled with.
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
	limit := Silence(r.Op)
	conn, pid, err := dial(limit)
	if err != nil {
		switch {
		case NobodyListens(err):
			return Result{Outcome: NoDaemon, Err: err}
		case timedOut(err):
			return Result{Outcome: Silent, Err: &silenceError{limit}}
		}
		return Result{Outcome: Unusable, Err: err}
	}
	result := converse(conn, raw, s)
	if result.Outcome == Lost && timedOut(result.Err) {
		result.Outcome, result.Err = Silent, &silenceError{limit}
	}
	result.PID = pid
	// Nothing is lost with it: both sides have said their last word, or one of
	// them is gone.
	_ = conn.Close()
	return result
}

// timedOut is true for the error of a connection whose limit has passed.
func timedOut(err error) bool {
	var late interface{ Timeout() bool }
	return errors.As(err, &late) && late.Timeout()
}

// bufferSize is the largest piece of output that is written at once.
const bufferSize = 64 << 10

// converse sends the request and copies output until the conversation ends.
func converse(conn io.ReadWriter, request []byte, s Streams) (result Result) {
	// A daemon that refuses the peer answers and hangs up without reading; its
	// answer is worth more than the failed write.
	_, writeErr := conn.Write(request)
	if writeErr != nil && timedOut(writeErr) {
		return Result{Outcome: Lost, Err: writeErr}
	}
	reader := frame.NewReader(conn, bufferSize)
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
				if result.Fed == nil {
					result.Fed = feed(conn, s.In)
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

// failed says what an error of the conversation means. writeErr is what came of
// writing the request.
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

// feed sends standard input until it ends or the connection does, in a goroutine
// that closes the channel at its end. Data and announcement go out in one write.
func feed(conn io.Writer, in io.Reader) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, frame.HeaderSize+bufferSize)
		for in != nil {
			n, err := in.Read(buf[frame.HeaderSize:])
			if n > 0 {
				frame.Append(buf[:0], frame.Frame{Kind: frame.Input, Size: n})
				if _, err := conn.Write(buf[:frame.HeaderSize+n]); err != nil {
					return // the reading side reports a daemon that is gone or hangs
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
