package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/frame"
	"github.com/usher-browser/usher/internal/api/peer"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/mistakes"
)

// requestLimit is how long a connection may take to send its request. Ours sends
// it with the first write; 96 MB over a local socket take a second.
const requestLimit = 30 * time.Second

// drainLimit is how long the client of a cancelled command may take to read the remaining output. One that was
// stopped at its terminal does not read at all, and would keep the daemon from ending.
const drainLimit = 2 * time.Second

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
		s.refuse(streams, frame.Frame{Code: string(api.PermissionDenied), Text: "this daemon serves another user: " + err.Error()})
		return
	}
	// A deadline cannot be set on a closed connection only, which the next read
	// reports.
	_ = conn.SetReadDeadline(time.Now().Add(requestLimit))
	reader := frame.NewReader(conn, 4<<10)
	req, err := readRequest(reader)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			s.refuse(streams, frame.Frame{Code: string(api.CodeOf(err)), Text: err.Error()})
		}
		return
	}
	_ = conn.SetReadDeadline(time.Time{}) // as above
	req.PeerUID = uid

	switch req.Op {
	case frame.OpStatus:
		_ = streams.exit(s.status(req, streams)) // the client may have left
	case frame.OpStop:
		keep = true
		s.mu.Lock()
		s.waiting = append(s.waiting, stopRequest{conn, req, streams, streams.sendAlive()})
		s.mu.Unlock()
		s.beginStop()
	case frame.OpRun:
		s.run(ctx, conn, reader, req, streams)
	case frame.OpText:
		s.text(req, streams)
	default:
		s.refuse(streams, frame.Frame{Code: string(api.InvalidRequest), Text: fmt.Sprintf("unknown operation %.40q", req.Op)})
	}
}

// readRequest reads the first frame. A connection that sends nothing gives io.EOF.
func readRequest(reader *frame.Reader) (*api.Request, error) {
	req, err := reader.Request()
	var long *frame.TooLong
	var syntax *frame.SyntaxError
	switch {
	case errors.As(err, &long):
		return nil, api.Errorf(api.TooLarge, "the command line exceeds %d MB", long.Limit>>20)
	case errors.As(err, &syntax):
		return nil, api.Errorf(api.InvalidRequest, "the request cannot be read: %w", err)
	}
	return req, err
}

func (s *server) refuse(streams *Streams, f frame.Frame) {
	f.Kind, f.Build, f.PID = frame.Refused, s.Version, pid
	// A client that has left needs no answer.
	_ = streams.send.frame(f)
}

// run runs one command.
func (s *server) run(ctx context.Context, conn net.Conn, reader *frame.Reader, req *api.Request, streams *Streams) {
	if req.V != frame.Version || req.Build != s.Build {
		if retired, sessions := s.retire(); retired {
			s.refuse(streams, frame.Frame{Code: frame.Retired})
		} else {
			s.refuse(streams, frame.Frame{Code: string(api.DaemonVersion), Sessions: sessions,
				Text: fmt.Sprintf("the running daemon (%s, pid %d) is another build than this program and has %s",
					s.Version, pid, openSessions(sessions))})
		}
		return
	}
	if !s.begin() {
		s.refuse(streams, frame.Frame{Code: string(api.DaemonStopping), Text: "the daemon is shutting down"})
		return
	}
	defer s.end()
	alive := streams.sendAlive()
	defer alive.close()
	call, err := s.call(req)
	if err != nil {
		_ = streams.exit(streams.Fail(req, req.WantsJSON(), err)) // the client may have left
		return
	}
	if call.Verb.Is(verb.Local) {
		s.local(req, call, streams)
		return
	}

	ctx, cancel := context.WithCancelCause(ctx)
	clientWatched := make(chan struct{})
	go func() {
		defer close(clientWatched)
		defer fault.Recover(func(e *fault.Error) { s.report(call.Verb.Name, e); cancel(e) })
		cancel(watchClient(reader, streams.input))
	}()
	limited := make(chan struct{})
	stopLimit := context.AfterFunc(ctx, func() {
		defer close(limited)
		_ = conn.SetWriteDeadline(time.Now().Add(drainLimit)) // fails on a closed connection only
	})
	exit := s.handle(ctx, req, call, streams)
	_ = streams.exit(exit) // as above
	if !stopLimit() {
		<-limited
	}
	conn.Close()
	<-clientWatched
}

// text answers a request for a text. It does not count as use of the daemon, never ends one of another build, and is
// answered while the daemon is stopping.
func (s *server) text(req *api.Request, streams *Streams) {
	if req.V != frame.Version || req.Build != s.Build {
		_ = streams.send.frame(frame.Frame{Kind: frame.Local}) // the client may have left
		return
	}
	call, err := s.call(req)
	switch {
	case err != nil:
		_ = streams.exit(streams.Fail(req, req.WantsJSON(), err)) // as above
	case call.Verb.Is(verb.Local):
		s.local(req, call, streams)
	default:
		s.refuse(streams, frame.Frame{Code: frame.NotText, Text: call.Verb.Name + " has effects"})
	}
}

// local answers a command that the client could run, or tells it to.
func (s *server) local(req *api.Request, call *verb.Call, streams *Streams) {
	if s.Local == nil || !call.Verb.Is(verb.AnyProcess) {
		_ = streams.send.frame(frame.Frame{Kind: frame.Local}) // the client may have left
		return
	}
	exit := 0
	func() {
		defer fault.Recover(func(e *fault.Error) { exit = s.panicked(req, call, streams, e) })
		exit = s.Local(req, call, streams.Out, streams.Err)
	}()
	_ = streams.exit(exit) // as above
}

// panicked reports a panic of a command to the log and to the client, and returns the exit status.
func (s *server) panicked(req *api.Request, call *verb.Call, streams *Streams, e *fault.Error) (exit int) {
	s.report(call.Verb.Name, e)
	return streams.Fail(req, req.WantsJSON(), api.Errorf(api.Internal, "%s: %w", call.Verb.Name, e))
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

// report logs a panic; the log is the only place with its full text.
func (s *server) report(what string, e *fault.Error) {
	s.Log.Error("a panic", "in", what, "panic", policy.Text(fmt.Sprint(e.Value)), "stack", string(e.Stack))
}

// handle keeps a panic of one command, in whichever of its goroutines, from ending the other commands.
func (s *server) handle(ctx context.Context, req *api.Request, call *verb.Call, streams *Streams) (exit int) {
	ctx, stop := fault.WithScope(ctx, func(e *fault.Error) { s.report(call.Verb.Name, e) })
	defer stop()
	defer fault.Recover(func(e *fault.Error) { exit = s.panicked(req, call, streams, e) })
	return s.handler.Handle(ctx, req, call, streams)
}

// watch reads what the client sends while its command runs, and returns why the
// command need not go on.
func watchClient(reader *frame.Reader, in *input) error {
	for {
		f, err := reader.Next()
		if err == nil && f.Kind == frame.Input {
			err = reader.Copy(in, f.Size)
		}
		if err != nil {
			in.add(nil, errHungUp)
			var syntax *frame.SyntaxError
			if errors.As(err, &syntax) {
				return api.Errorf(api.InvalidRequest, "the client sent a frame that cannot be read: %w", err)
			}
			return api.Errorf(api.Cancelled, "the command was cancelled: %w", errHungUp)
		}
		switch {
		case f.Kind == frame.Cancel:
			return api.Errorf(api.Cancelled, "the command was cancelled")
		case f.Kind == frame.InputEnd && f.Text != "":
			in.add(nil, api.Errorf(api.FileNotFound, "standard input cannot be read: %s", f.Text))
		case f.Kind == frame.InputEnd:
			in.add(nil, io.EOF)
		}
	}
}

// call returns the checked command of a request.
func (s *server) call(req *api.Request) (*verb.Call, error) {
	mode := verb.ModeOf(req.Program)
	if req.Verb != "" {
		return s.Table.NewCall(req.Verb, req.Values, mode)
	}
	return mistakes.Parse(s.Table, req.Argv, mode)
}
