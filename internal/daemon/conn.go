package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/line"
	"github.com/usher-browser/usher/internal/api/peer"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb"
)

// requestLimit is how long a connection may take to send its request. Ours sends
// it with the first write; 96 MB over a local socket take a second.
const requestLimit = 30 * time.Second

// partingLimit is how long the client of a cancelled command may take to read
// what is left. One that was stopped at its terminal does not read at all, and
// would keep the daemon from ending.
const partingLimit = 2 * time.Second

// serveConn answers one connection.
func (s *server) serveConn(ctx context.Context, conn *net.UnixConn) {
	keep := false
	defer func() {
		if !keep {
			conn.Close()
		}
	}()
	streams := newStreams(conn)
	uid, err := peer.User(conn)
	if err != nil {
		s.Log.Warn("refused a connection", "uid", uid, "error", err)
		s.refuse(streams, line.Frame{Code: string(api.PermissionDenied), Text: "this daemon serves another user: " + err.Error()})
		return
	}
	// A deadline cannot be set on a closed connection only, which the next read
	// reports.
	_ = conn.SetReadDeadline(time.Now().Add(requestLimit))
	reader := bufio.NewReader(conn)
	req, err := readRequest(reader)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			s.refuse(streams, line.Frame{Code: string(api.CodeOf(err)), Text: err.Error()})
		}
		return
	}
	_ = conn.SetReadDeadline(time.Time{}) // as above
	req.PeerUID = uid

	switch req.Op {
	case line.OpStatus:
		_ = streams.exit(s.status(req, streams)) // a client that left does not mind
	case line.OpStop:
		keep = true
		s.mu.Lock()
		s.waiting = append(s.waiting, farewell{conn, req, streams, streams.working()})
		s.mu.Unlock()
		s.beginStop()
	case line.OpRun:
		s.run(ctx, conn, reader, req, streams)
	default:
		s.refuse(streams, line.Frame{Code: string(api.InvalidRequest), Text: fmt.Sprintf("there is no operation %.40q", req.Op)})
	}
}

// readRequest reads the first line. A connection that says nothing gives io.EOF.
func readRequest(reader *bufio.Reader) (*api.Request, error) {
	first, err := reader.Peek(1)
	if err != nil {
		return nil, err
	}
	if first[0] != '{' {
		return nil, api.Errorf(api.InvalidRequest, "a request starts with '{', this one with %q", first[0])
	}
	text, err := readLine(reader, line.MaxRequest)
	if err != nil {
		return nil, err
	}
	req, err := line.ParseRequest(text)
	if err != nil {
		return nil, api.Errorf(api.InvalidRequest, "the request cannot be read: %w", err)
	}
	return req, nil
}

// readLine reads up to the next newline, which it drops.
func readLine(reader *bufio.Reader, most int) ([]byte, error) {
	var whole []byte
	for {
		part, err := reader.ReadSlice('\n')
		if len(whole)+len(part) > most {
			return nil, api.Errorf(api.TooLarge, "the command line is over %d MB", most>>20)
		}
		switch {
		case err == nil && whole == nil:
			return part[:len(part)-1], nil // valid until the next read, parsed before
		case err == nil:
			return append(whole, part[:len(part)-1]...), nil
		case errors.Is(err, bufio.ErrBufferFull):
			whole = append(whole, part...)
		default:
			return nil, err
		}
	}
}

func (s *server) refuse(streams *Streams, f line.Frame) {
	f.Kind, f.Build, f.PID = line.Refused, s.Version, pid
	// A client that has left needs no answer.
	_ = streams.send.frame(f)
}

// run carries out one command.
func (s *server) run(ctx context.Context, conn net.Conn, reader *bufio.Reader, req *api.Request, streams *Streams) {
	if req.V != line.Version || req.Build != s.Build {
		if retired, sessions := s.retire(); retired {
			s.refuse(streams, line.Frame{Code: line.Retired})
		} else {
			s.refuse(streams, line.Frame{Code: string(api.DaemonVersion), Sessions: sessions,
				Text: fmt.Sprintf("the running background process (%s, pid %d) is another build than this program and has %s",
					s.Version, pid, openSessions(sessions))})
		}
		return
	}
	if !s.begin() {
		s.refuse(streams, line.Frame{Code: string(api.DaemonStopping), Text: "the background process is shutting down"})
		return
	}
	defer s.end()
	alive := streams.working()
	defer alive.close()
	call, err := verb.Parse(req.Argv, verb.ModeOf(req.Program))
	if err != nil {
		_ = streams.exit(streams.fail(req, req.WantsJSON(), err)) // a client that left does not mind
		return
	}
	if call.Verb.Is(verb.Local) {
		_ = streams.send.frame(line.Frame{Kind: line.Local}) // as above
		return
	}

	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer fault.Recover(func(e *fault.Error) { s.report(call.Verb.Name, e); cancel(e) })
		cancel(watch(reader, streams.input))
	}()
	limited := make(chan struct{})
	stopLimit := context.AfterFunc(ctx, func() {
		defer close(limited)
		_ = conn.SetWriteDeadline(time.Now().Add(partingLimit)) // fails on a closed connection only
	})
	exit := s.handle(ctx, req, call, streams)
	_ = streams.exit(exit) // as above
	if !stopLimit() {
		<-limited
	}
	conn.Close()
	<-watched
}

func openSessions(n int) string {
	switch n {
	case 0:
		return "commands running"
	case 1:
		return "an open session"
	}
	return fmt.Sprintf("%d open sessions", n)
}

// report puts a panic into the log, which is the only place where it is told as it was.
func (s *server) report(what string, e *fault.Error) {
	s.Log.Error("a panic", "in", what, "panic", policy.Text(fmt.Sprint(e.Value)), "stack", string(e.Stack))
}

// handle keeps a panic of one command, in whichever of its goroutines, from ending the others.
func (s *server) handle(ctx context.Context, req *api.Request, call *verb.Call, streams *Streams) (exit int) {
	ctx, stop := fault.Watch(ctx, func(e *fault.Error) { s.report(call.Verb.Name, e) })
	defer stop()
	defer fault.Recover(func(e *fault.Error) {
		s.report(call.Verb.Name, e)
		exit = streams.fail(req, req.WantsJSON(), api.Errorf(api.Internal, "%s: %w", call.Verb.Name, e))
	})
	return s.handler.Handle(ctx, req, call, streams)
}

// watch reads what the client sends while its command runs, and returns why the
// command need not go on.
func watch(reader *bufio.Reader, in *input) error {
	for {
		text, err := readLine(reader, line.MaxFrame)
		if err != nil {
			in.add(nil, errHungUp)
			return api.Errorf(api.Cancelled, "the command was cancelled: %w", errHungUp)
		}
		frame, err := line.ParseFrame(text)
		if err != nil {
			return api.Errorf(api.InvalidRequest, "the client sent a line that cannot be read: %w", err)
		}
		switch {
		case frame.Kind == line.Cancel:
			return api.Errorf(api.Cancelled, "the command was cancelled")
		case frame.Kind == line.Stdin && frame.Size > 0:
			if err := receive(reader, in, frame.Size); err != nil {
				in.add(nil, errHungUp)
				return api.Errorf(api.Cancelled, "the command was cancelled: %w", errHungUp)
			}
		case frame.Kind == line.Stdin && frame.Text != "":
			in.add(nil, api.Errorf(api.FileNotFound, "standard input cannot be read: %s", frame.Text))
		case frame.Kind == line.Stdin:
			in.add(nil, io.EOF)
		}
	}
}

// receive moves n announced bytes to in, a piece at a time: the announcement
// alone allocates nothing.
func receive(reader *bufio.Reader, in *input, n int) error {
	piece := make([]byte, min(n, 64<<10))
	for n > 0 {
		got, err := reader.Read(piece[:min(n, len(piece))])
		if got > 0 {
			in.add(piece[:got], nil)
			n -= got
		}
		if err != nil {
			return err
		}
	}
	return nil
}
