// Package warm is the road of a command whose daemon is already running: collect
// argv, directory, environment and terminal, dial, write one line, copy what
// comes back, exit. It is nearly every command an agent gives.
//
// # Why it runs before main
//
// usher is one binary, and before main starts, the packages linked into it are
// initialised: HTTP, TLS, YAML, images and the browser protocol, none of which
// this road touches. The Go specification initialises packages in the order of
// their import paths, each as soon as everything it imports is ready. This
// package imports little, so its init function runs ahead of nearly all of
// them, and a command that needs no more ends there.
//
// Measured on two cores with `get title`, whole process from fork to exit,
// median of 300, built as the Makefile does: 1.83 ms. A program of this package
// alone takes 1.67 ms (the rest is the larger binary: 65 more page faults), one
// that does nothing 0.91 ms, and this program with the same code in main
// 2.99 ms. Built with cgo, which is Go's default where a C compiler is found,
// it takes 3.2 ms, for then the dynamic linker runs first.
//
// Where this road ends (no daemon, another build, a command for this process)
// init returns, and package cli takes over with [Early]. A test keeps the
// imports of this package short.
package warm

import (
	"errors"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/usher-browser/usher/internal/api/line"
)

// Outcome says how far a conversation with the daemon came.
type Outcome uint8

// The outcomes.
const (
	// Skipped: not tried; the process is something else than a client.
	Skipped Outcome = iota
	// Done: the command ran and its output is written; Exit has the status.
	Done
	// NoDaemon: nothing listens on the socket.
	NoDaemon
	// Local: the daemon says that this process has to run the command.
	Local
	// Refused: the daemon did not run the command; Frame says why.
	Refused
	// Lost: the connection ended in the middle; Err has the cause, if any.
	Lost
	// Broken: what came back is not the protocol; Err says where.
	Broken
	// Unusable: the request could not be made or sent anywhere; Err says why.
	Unusable
	// OutputFailed: standard output or error cannot be written; Err says why.
	OutputFailed
	// Silent: the daemon is there and did not say anything for longer than one
	// that works does; Err says how long.
	Silent
)

// How long a daemon may say nothing. One that works says so every second
// ([line.AliveEvery]); the rest is for a machine that has no time for it.
const (
	commandSilence = 10 * line.AliveEvery
	// controlSilence is for the question how it is, and the order to stop:
	// people ask that when something is wrong already.
	controlSilence = 3 * line.AliveEvery
)

// silenceError is the cause of [Silent].
type silenceError struct{ limit time.Duration }

func (e *silenceError) Error() string {
	return "no answer within " + strconv.Itoa(int(e.limit/time.Second)) + " s"
}

// Result is the end of a conversation with the daemon.
type Result struct {
	Outcome Outcome
	// Exit is the exit status, for Done.
	Exit int
	// Frame is the daemon's refusal, for Refused.
	Frame line.Frame
	// PID is the process that listens, 0 where the system does not tell or none
	// does.
	PID int
	// Err is the cause, where the outcome names one.
	Err error
}

// Early is the result of the attempt made before main.
var Early Result

func init() {
	program, ok := programOf(os.Args[0])
	if !ok || IsDaemonCommand(os.Args[1:]) || MayBeLocal(os.Args[1:]) {
		return
	}
	dir, ok := line.RunDir(os.Getenv, program == "agent-browser")
	if !ok {
		return
	}
	Early = Try(newRequest(program), line.Socket(dir))
	if Early.Outcome == Done {
		os.Exit(Early.Exit)
	}
}

// programOf returns the program that the path of an executable names. ok is
// false for others, such as the test binary of a package that imports this one.
func programOf(path string) (program string, ok bool) {
	base := path
	for i := len(path) - 1; i >= 0; i-- {
		if os.IsPathSeparator(path[i]) {
			base = path[i+1:]
			break
		}
	}
	if len(base) > 4 && base[len(base)-4:] == ".exe" {
		base = base[:len(base)-4]
	}
	return base, base == "usher" || base == "agent-browser"
}

// IsDaemonCommand says whether the words control the daemon process itself
// (`usher daemon status`, and the help on that) and so are never sent to it as a command.
func IsDaemonCommand(argv []string) bool {
	for i, word := range argv {
		switch word {
		case "--json":
		case "help":
			return i+1 < len(argv) && argv[i+1] == "daemon"
		default:
			return word == "daemon"
		}
	}
	return false
}

// MayBeLocal says whether the words may be a command that is carried out here
// (`usher doctor`, `usher help`, `usher click --help`), which must work where a
// daemon hangs, or something else answers in its place, and so are not sent
// there. This package knows no grammar: it says yes wherever one of these words
// stands, and whoever calls it parses. Of the few that are left, the daemon says
// it.
func MayBeLocal(argv []string) bool {
	for _, word := range argv {
		switch word {
		case "doctor", "install", "mcp", "tools", "replay", "completion", "help", "--help", "-h", "version", "--version", "-V":
			return true
		}
	}
	return false
}

// NewRequest describes this process's command line and surroundings.
func NewRequest() *line.Request {
	program, ok := programOf(os.Args[0])
	if !ok {
		program = "usher"
	}
	return newRequest(program)
}

func newRequest(program string) *line.Request {
	r := &line.Request{V: line.Version, Op: line.OpRun, Program: program, Argv: os.Args[1:], PeerUID: -1}
	// A directory that was removed has no name; commands that take no path do
	// not mind, the others say so.
	r.Cwd, _ = workingDirectory()
	noColor := false
	dumb := false
	for _, pair := range os.Environ() {
		if !line.WantEnv(pair) {
			continue
		}
		r.Env = append(r.Env, pair)
		switch {
		case len(pair) > len("NO_COLOR=") && pair[:len("NO_COLOR=")] == "NO_COLOR=":
			noColor = true
		case pair == "TERM=dumb":
			dumb = true
		}
	}
	r.TTY = terminal()
	r.TTY.Color = r.TTY.Out && !noColor && !dumb
	r.TTY.ErrColor = r.TTY.Err && !noColor && !dumb
	r.Build = Build()
	return r
}

// ErrArgument is in the chain of the error for a command line that cannot travel.
var ErrArgument = errors.New("not valid UTF-8")

type argumentError struct{ what string }

func (e *argumentError) Error() string { return e.what + " is " + ErrArgument.Error() }
func (e *argumentError) Unwrap() error { return ErrArgument }

// ErrForeign is returned for a socket that belongs to somebody else.
var ErrForeign = errors.New("the process listening there belongs to another user")

// Try sends the request to the daemon that serves the run directory, and copies
// its output. It starts nothing. It waits as long as the daemon says that it
// works, and no longer.
func Try(r *line.Request, socket string) Result {
	if r.Build == "" {
		return Result{Outcome: Unusable, Err: errors.New("cannot read this program's own file to identify its build")}
	}
	raw, bad, ok := line.AppendRequest(make([]byte, 0, 4096), r)
	if !ok {
		return Result{Outcome: Unusable, Err: &argumentError{bad}}
	}
	limit := commandSilence
	if r.Op != line.OpRun {
		limit = controlSilence
	}
	conn, pid, err := dial(socket, limit)
	if err != nil {
		switch {
		case nobodyListens(err):
			return Result{Outcome: NoDaemon, Err: err}
		case timedOut(err):
			return Result{Outcome: Silent, Err: &silenceError{limit}}
		}
		return Result{Outcome: Unusable, Err: err}
	}
	result := converse(conn, raw, r.TTY.Err)
	if result.Outcome == Lost && timedOut(result.Err) {
		result = Result{Outcome: Silent, Err: &silenceError{limit}}
	}
	result.PID = pid
	// Nothing is lost with it: both sides have said their last word, or one of
	// them is gone.
	_ = conn.Close()
	return result
}

// converse sends the request and copies output until the conversation ends.
// When it returns, a goroutine may still wait in a read of standard input: the
// process is about to end, or to start its next attempt without having asked
// for input.
func converse(conn io.ReadWriter, request []byte, showProgress bool) Result {
	// A daemon that refuses the peer answers and hangs up without reading; its
	// answer is worth more than the failed write.
	_, writeErr := conn.Write(request)
	if writeErr != nil && timedOut(writeErr) {
		return Result{Outcome: Lost, Err: writeErr}
	}
	reader := reader{conn: conn, buf: make([]byte, 64<<10)}
	feeding := false
	for {
		text, err := reader.line()
		if err != nil {
			var syntax *line.SyntaxError
			switch {
			case errors.As(err, &syntax):
				return Result{Outcome: Broken, Err: err}
			case writeErr != nil:
				err = writeErr
			case errors.Is(err, io.EOF):
				err = nil
			}
			return Result{Outcome: Lost, Err: err}
		}
		frame, err := line.ParseFrame(text)
		if err != nil {
			return Result{Outcome: Broken, Err: err}
		}
		switch frame.Kind {
		case line.Out:
			err = reader.copy(os.Stdout, frame.Size)
		case line.Err:
			err = reader.copy(os.Stderr, frame.Size)
		case line.Progress:
			if showProgress {
				_, err = os.Stderr.WriteString(frame.Text + "\n")
				err = outputError(err)
			}
		case line.Stdin:
			if !feeding {
				feeding = true
				go feed(conn)
			}
		case line.Exit:
			return Result{Outcome: Done, Exit: frame.Size}
		case line.Refused:
			return Result{Outcome: Refused, Frame: frame}
		case line.Local:
			return Result{Outcome: Local}
		}
		if err != nil {
			var output *writeError
			if errors.As(err, &output) {
				return Result{Outcome: OutputFailed, Err: output.cause}
			}
			return Result{Outcome: Lost, Err: err}
		}
	}
}

// feed sends standard input until it ends or the daemon hangs up. Data and
// announcement go out in one write.
func feed(conn io.Writer) {
	const head = 32 // room for the announcement in front of the data
	buf := make([]byte, head+64<<10)
	for {
		n, err := os.Stdin.Read(buf[head:])
		if n > 0 {
			announce := "{\"stdin\":" + strconv.Itoa(n) + "}\n"
			start := head - copy(buf[head-len(announce):], announce)
			if _, err := conn.Write(buf[start : head+n]); err != nil {
				return // the reading side reports a daemon that is gone or hangs
			}
		}
		if err != nil {
			end := line.Frame{Kind: line.Stdin}
			if err != io.EOF {
				end.Text = err.Error()
			}
			_, _ = conn.Write(line.AppendFrame(nil, end)) // as above
			return
		}
	}
}

// writeError tells a failed write of our own output from a failed read of the
// daemon's.
type writeError struct{ cause error }

func (e *writeError) Error() string { return e.cause.Error() }

func outputError(err error) error {
	if err == nil {
		return nil
	}
	return &writeError{err}
}

// reader cuts what arrives into lines and announced bytes.
type reader struct {
	conn       io.Reader
	buf        []byte
	start, end int // buf[start:end] has arrived and is not used up
}

// line returns the next line without its newline, valid until the next call.
func (r *reader) line() ([]byte, error) {
	for searched := r.start; ; {
		for ; searched < r.end; searched++ {
			if r.buf[searched] == '\n' {
				text := r.buf[r.start:searched]
				r.start = searched + 1
				return text, nil
			}
		}
		if r.start > 0 {
			copy(r.buf, r.buf[r.start:r.end])
			searched -= r.start
			r.end -= r.start
			r.start = 0
		}
		if r.end == len(r.buf) {
			if r.end >= line.MaxFrame {
				return nil, &line.SyntaxError{Offset: r.end, What: "line too long"}
			}
			r.buf = append(r.buf, make([]byte, len(r.buf))...)
		}
		n, err := r.conn.Read(r.buf[r.end:])
		r.end += n
		if n == 0 && err != nil {
			return nil, err
		}
	}
}

// copy writes the next n bytes to w.
func (r *reader) copy(w io.Writer, n int) error {
	for n > 0 {
		if r.start == r.end {
			got, err := r.conn.Read(r.buf)
			if got == 0 && err != nil {
				return err
			}
			r.start, r.end = 0, got
		}
		part := r.buf[r.start:min(r.end, r.start+n)]
		if _, err := w.Write(part); err != nil {
			return outputError(err)
		}
		r.start += len(part)
		n -= len(part)
	}
	return nil
}
