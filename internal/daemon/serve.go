package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/verb"
)

// Options are the options of [Serve].
type Options struct {
	// Home is the directory of persistent files, RunDir the directory of locks and log, and of the socket if its path
	// is short enough: see [dirs.SocketOf]. They are created with mode 0700, and an error if they belong to another
	// user. An empty Home is not checked.
	Home, RunDir string
	// Build identifies this binary; only clients of the same build run commands.
	Build string
	// Version is the version shown to users.
	Version string
	// Table is the grammar of all commands.
	Table *verb.Table
	// NewHandler creates the handler once the daemon holds the lock. Serve closes it.
	NewHandler func() (Handler, error)
	// Local runs a verb with the mark [verb.AnyProcess] and returns the exit status; nil leaves these to the clients.
	Local func(req *api.Request, call *verb.Call, out, errOut io.Writer) (exit int)
	// Log receives errors without a caller: panics, refused peers. Required.
	Log *slog.Logger
	// Ready is called when the socket accepts connections; it may be nil.
	Ready func()
}

// ErrRunning is returned by [Serve] when another daemon serves the directory.
var ErrRunning = errors.New("a daemon is already running")

// closeLimit bounds the end of all sessions: Chromium gets two seconds to exit by itself, and there may be several.
const closeLimit = 15 * time.Second

// Serve runs the daemon until ctx ends, a client requests its end, a client of another build needs the directory, or
// the idle time has passed. A nil error means that every session is closed and the socket is gone.
func Serve(ctx context.Context, o Options) (err error) {
	path, err := dirs.SocketOf(o.RunDir)
	if err != nil {
		return api.Errorf(api.DaemonStartFailed, "%w", err)
	}
	if err := (dirs.Dirs{Home: o.Home, Run: o.RunDir, Socket: path}).MakeRun(); err != nil {
		return api.Errorf(api.DaemonStartFailed, "%w", err)
	}
	change, err := lockFile(filepath.Join(o.RunDir, changeLock))
	if err != nil {
		return fmt.Errorf("wait for another daemon to start or stop: %w", err)
	}
	s := &server{Options: o, started: time.Now(), place: place{socket: path, change: change}, stop: make(chan struct{})}
	defer func() { s.change.close() }()
	if s.life, err = lockLife(ctx, o.RunDir, path); err != nil {
		return err
	}
	defer func() { s.life.close() }()
	if s.handler, err = o.NewHandler(); err != nil {
		return err
	}
	if s.listener, err = s.open(); err != nil {
		return errors.Join(err, closeHandler(s.handler))
	}
	s.idle, s.watch = newTimer(s.idleFired), newTimer(s.watchFired)
	s.memory = newMemory()
	change.unlock()
	s.watch.arm(watchEvery)
	if o.Ready != nil {
		o.Ready()
	}
	s.armIdle()

	accepting := make(chan error, 1)
	commands, cancelCommands := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelCommands(nil)
	go func() { accepting <- s.accept(commands) }()
	select {
	case <-ctx.Done():
	case <-s.stop:
	case err = <-accepting:
		accepting <- nil
	}
	return errors.Join(err, s.shutDown(accepting, cancelCommands))
}

func closeHandler(h Handler) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if err := h.Close(ctx); err != nil {
		return fmt.Errorf("close the sessions: %w", err)
	}
	return nil
}

func listen(path string) (*net.UnixListener, error) {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for commands: %w", err)
	}
	// We remove the file ourselves, while new daemons wait.
	listener.SetUnlinkOnClose(false)
	// The directory's mode protects the socket while that of the socket is still the umask's.
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, fmt.Errorf("make the socket private: %w", err)
	}
	return listener, nil
}

// server is one running daemon.
type server struct {
	Options
	handler Handler
	started time.Time
	place

	conns sync.WaitGroup // goroutines of connections
	stop  chan struct{}  // closed by beginStop

	idle   *timer         // ends the daemon
	watch  *timer         // looks whether it can be found
	memory *memoryTrimmer // gives memory back

	mu sync.Mutex // guards the rest; nothing is called with it held
	// active counts commands between request and exit.
	active   int
	stopping bool
	// waiting are the connections that requested the stop, to be answered when the daemon has stopped.
	waiting []stopRequest
}

func (s *server) accept(ctx context.Context) error {
	for {
		listener, _ := s.listening()
		conn, err := listener.AcceptUnix()
		if err != nil {
			now, stopping := s.listening()
			if stopping {
				return nil
			}
			if now != listener { // the socket was made anew
				continue
			}
			if errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("accept a command: %w", err)
			}
			// Out of descriptors, most likely. Commands that end free some.
			s.Log.Error("accept a connection", "error", err)
			select {
			case <-s.stop:
				return nil
			case <-time.After(100 * time.Millisecond):
				continue
			}
		}
		s.conns.Add(1)
		go func() {
			defer s.conns.Done()
			defer fault.Recover(func(e *fault.Error) { s.report("a connection", e) })
			growStack()
			s.serveConn(ctx, conn)
		}()
	}
}

// growStack makes the stack of a new goroutine as large as a command needs, at once: by doubling, as the runtime does it, took a tenth
// of the daemon's time for a short command.
//
//go:noinline
func growStack() {
	var room [40 << 10]byte
	runtime.KeepAlive(&room)
}

// listening returns the listener, and whether the daemon is stopping.
func (s *server) listening() (listener *net.UnixListener, stopping bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listener, s.stopping
}

// begin counts a command in, unless the daemon is stopping.
func (s *server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.active++
	s.idle.disarm()
	return true
}

// end counts a command out.
func (s *server) end() {
	s.mu.Lock()
	s.active--
	quiet := s.active == 0
	s.mu.Unlock()
	if quiet {
		s.armIdle()
		s.memory.schedule()
	}
}

// beginStop makes the daemon end; commands that run are cancelled.
func (s *server) beginStop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopping {
		s.stopping = true
		close(s.stop)
	}
}

// retire makes the daemon end if it has nothing to lose, and reports whether it
// does. sessions is how many it has otherwise.
func (s *server) retire() (retired bool, sessions int) {
	s.mu.Lock()
	if s.stopping {
		s.mu.Unlock()
		return true, 0
	}
	// Sessions are created by commands. With no command running and none admitted, the handler's answer stays true. A
	// command refused in this moment is sent again by its client.
	quiet := s.active == 0
	s.stopping = quiet
	s.mu.Unlock()
	sessions = len(s.handler.Sessions())
	if !quiet {
		return false, sessions
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if sessions > 0 {
		s.stopping = false
		return false, sessions
	}
	close(s.stop)
	return true, 0
}

// drainTime is how long connections that were made just before the socket's
// name went away are still answered.
const drainTime = 20 * time.Millisecond

// shutDown ends everything, in an order that loses no client: first the name of the socket, so that new clients start a
// new daemon (which waits for the change lock), then the present connections, then the sessions.
func (s *server) shutDown(accepting <-chan error, cancelCommands context.CancelCauseFunc) error {
	s.beginStop()
	s.idle.close()
	s.watch.close()
	listener, _ := s.listening()
	errs := []error{s.change.relock()}
	if s.ours() { // and not that of a daemon that took the place of a deleted directory
		if err := os.Remove(s.socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove the socket: %w", err))
		}
	}
	errs = append(errs, listener.SetDeadline(time.Now().Add(drainTime)), <-accepting)
	listener.Close()
	cancelCommands(api.Errorf(api.DaemonStopping, "the command was cancelled because the daemon is shutting down"))
	s.conns.Wait()
	closed := closeHandler(s.handler)
	s.mu.Lock()
	waiting := s.waiting
	s.mu.Unlock()
	for _, f := range waiting {
		f.answer(closed)
	}
	s.memory.close()
	return errors.Join(append(errs, closed)...)
}

// stopRequest is a connection that requested the stop.
type stopRequest struct {
	conn    net.Conn
	req     *api.Request
	streams *Streams
	alive   *timer
}

func (f stopRequest) answer(closed error) {
	// The client may have left; the reply has no other receiver.
	exit := 0
	if closed != nil {
		exit = f.streams.Fail(f.req, f.req.WantsJSON(), closed)
	}
	_ = f.streams.exit(exit)
	_ = f.conn.Close()
	f.alive.close()
}
