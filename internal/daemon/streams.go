package daemon

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/frame"
)

// Streams are the standard streams of the client, seen from the daemon.
type Streams struct {
	// Out and Err become the client's standard output and error. What is written
	// is collected up to 32 KB; larger writes go through without a copy. The
	// rest is sent with the exit status, or by Flush.
	Out, Err io.Writer

	send   *sender
	input  *input
	failed *api.Error // what ended the command; nil while nothing did
}

func newStreams(conn io.Writer) *Streams {
	send := &sender{conn: conn}
	return &Streams{Out: stream{send, frame.Out}, Err: stream{send, frame.Err}, send: send, input: newInput()}
}

// Stdin returns the client's standard input, which the first Read requests from the client. Reading ends early with
// ctx. Input of more than [MaxStdin] bytes fails with the code too_large.
func (s *Streams) Stdin(ctx context.Context) io.Reader {
	return &inputReader{ctx: ctx, send: s.send, input: s.input}
}

// Progress shows a temporary note on a terminal, and nothing elsewhere.
func (s *Streams) Progress(text string) error {
	return s.send.frame(frame.Frame{Kind: frame.Progress, Text: text})
}

// emit writes to Out and sends it at once.
func (s *Streams) emit(p []byte) error {
	if _, err := s.Out.Write(p); err != nil {
		return err
	}
	return s.Flush()
}

// Flush sends what Out and Err have buffered.
func (s *Streams) Flush() error { return s.send.flush() }

// sendAlive sends the client every second a frame that its request is running, until the timer is closed.
func (s *Streams) sendAlive() *timer {
	var alive *timer
	alive = newTimer(func() {
		if s.send.frame(frame.Frame{Kind: frame.Alive}) == nil { // else the client is gone
			alive.arm(frame.AliveEvery)
		}
	})
	alive.arm(frame.AliveEvery)
	return alive
}

// Fail writes err in the client's output format and returns its exit status.
func (s *Streams) Fail(req *api.Request, asJSON bool, err error) int {
	s.failed = api.AsError(err)
	out, errOut := api.Failure(req, asJSON, s.failed)
	// A failed write means that the client is gone: the error has no receiver.
	_, _ = s.Out.Write(out)
	_, _ = s.Err.Write(errOut)
	return api.ExitOf(s.failed)
}

// exit sends the remaining output and the exit status, together. Message and hint of a failure are added unless they
// are too long.
func (s *Streams) exit(status int) error {
	last := frame.Frame{Kind: frame.Exit, Status: status}
	if e := s.failed; e != nil && len(e.Message)+len(e.Hint) <= frame.MaxFields/8 { // space for the replaced fields
		last.Text, last.Hint = e.Message, e.Hint
	}
	return s.send.frame(last)
}

// flushSize is how much small output is gathered into one frame.
const flushSize = 32 << 10

// sender writes frames to a connection, one writer at a time.
type sender struct {
	mu   sync.Mutex
	conn io.Writer
	// pending is output of one kind that no frame has announced yet.
	pending []byte
	kind    frame.Kind
	err     error // the first failed write; later ones fail with it
}

// stream is one kind of output.
type stream struct {
	send *sender
	kind frame.Kind
}

func (s stream) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	t := s.send
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil && len(t.pending) > 0 && (t.kind != s.kind || len(t.pending)+len(p) > flushSize) {
		t.write(nil, nil)
	}
	if t.err != nil {
		return 0, t.err
	}
	if len(p) < flushSize {
		t.kind = s.kind
		t.pending = append(t.pending, p...)
		return len(p), nil
	}
	if t.write(frame.Append(nil, frame.Frame{Kind: s.kind, Size: len(p)}), p); t.err != nil {
		return 0, t.err
	}
	return len(p), nil
}

// write sends what is buffered and then head and body, in one system call where there is one for that. The caller holds
// mu.
func (t *sender) write(head, body []byte) {
	buffers := make(net.Buffers, 0, 4)
	if len(t.pending) > 0 {
		buffers = append(buffers, frame.Append(nil, frame.Frame{Kind: t.kind, Size: len(t.pending)}), t.pending)
	}
	if len(head) > 0 {
		buffers = append(buffers, head)
	}
	if len(body) > 0 {
		buffers = append(buffers, body)
	}
	if _, err := buffers.WriteTo(t.conn); err != nil && t.err == nil {
		t.err = err
	}
	t.pending = t.pending[:0]
}

func (t *sender) frame(f frame.Frame) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.write(frame.Append(nil, f), nil)
	}
	return t.err
}

func (t *sender) flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil && len(t.pending) > 0 {
		t.write(nil, nil)
	}
	return t.err
}

// MaxStdin is the largest standard input of one command, in bytes.
const MaxStdin = 64 << 20

// input buffers standard input between the goroutine that reads the connection and the command. It is unbounded up to
// MaxStdin on purpose: that goroutine must never wait for the command, or it would not see Ctrl-C.
type input struct {
	mu     sync.Mutex
	asked  bool
	data   []byte
	total  int           // all bytes received
	err    error         // io.EOF, or why reading ended
	change chan struct{} // closed and replaced when data or err changed
}

func newInput() *input { return &input{change: make(chan struct{})} }

// Write appends received bytes.
func (in *input) Write(p []byte) (int, error) {
	in.add(p, nil)
	return len(p), nil
}

// add copies p; err ends the input.
func (in *input) add(p []byte, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err != nil {
		return
	}
	if in.total += len(p); in.total > MaxStdin {
		in.data, in.err = nil, api.Errorf(api.TooLarge, "standard input has more than %d MB", MaxStdin>>20)
	} else {
		in.data, in.err = append(in.data, p...), err
	}
	close(in.change)
	in.change = make(chan struct{})
}

type inputReader struct {
	ctx   context.Context
	send  *sender
	input *input
}

func (r *inputReader) Read(p []byte) (int, error) {
	in := r.input
	for {
		in.mu.Lock()
		ask := !in.asked && in.err == nil
		in.asked = true
		n := copy(p, in.data)
		in.data = in.data[n:]
		err, change := in.err, in.change
		if len(in.data) > 0 {
			err = nil
		}
		in.mu.Unlock()
		if n > 0 || len(p) == 0 {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		if ask {
			if err := r.send.frame(frame.Frame{Kind: frame.WantInput}); err != nil {
				return 0, err
			}
		}
		select {
		case <-change:
		case <-r.ctx.Done():
			return 0, context.Cause(r.ctx)
		}
	}
}

// errHungUp is the cause of a command's context when its client went away.
var errHungUp = errors.New("the client disconnected")
