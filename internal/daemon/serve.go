package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/verb"
)

// Options say what to serve and where.
type Options struct {
	// Home is where what must last is kept, RunDir the directory of locks and log,
	// and of the socket where its path is short enough: see [dirs.SocketOf]. They are
	// created with mode 0700, and refused if they belong to somebody else. Without a
	// Home none is looked at.
	Home, RunDir string
	// Build identifies this binary; only clients with the same run commands.
	Build string
	// Version is what people call it.
	Version string
	// Table is every command.
	Table *verb.Table
	// NewHandler makes the handler once the daemon knows that it is the only
	// one. Serve closes it.
	NewHandler func() (Handler, error)
	// Log receives what nobody waits for: panics, refused peers. Required.
	Log *slog.Logger
	// Ready is called when the socket accepts connections; nil for nothing.
	Ready func()
}

// ErrRunning is returned by [Serve] when another daemon serves the directory.
var ErrRunning = errors.New("a daemon is already running")

// closeLimit bounds the end of all sessions: Chromium gets two seconds to leave
// by itself, and there may be several.
const closeLimit = 15 * time.Second

// Serve runs the daemon until ctx ends, it is told to stop, it makes room for
// another build, or nobody has needed it for the idle time. A nil error means
// that every session is closed and the socket is gone.
func Serve(ctx context.Context, o Options) (err error) {
	path, err := dirs.SocketOf(o.RunDir)
	if err != nil {
		return api.Errorf(api.DaemonStartFailed, "%w", err)
	}
	if err := (dirs.Dirs{Home: o.Home, Run: o.RunDir, Socket: path}).MakeRun(); err != nil {
		return api.Errorf(api.DaemonStartFailed, "%w", err)
	}
	change, err := lockFile(filepath.Join(o.RunDir, "change.lock"))
	if err != nil {
		return fmt.Errorf("wait for another daemon to start or stop: %w", err)
	}
	defer change.close()
	life, err := tryLockFile(filepath.Join(o.RunDir, "daemon.lock"))
	if err != nil {
		return fmt.Errorf("lock the run directory: %w", err)
	}
	if life == nil {
		return ErrRunning
	}
	defer life.close()

	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the socket of an earlier daemon: %w", err)
	}
	handler, err := o.NewHandler()
	if err != nil {
		return err
	}
	listener, err := listen(path)
	if err != nil {
		return errors.Join(err, closeHandler(handler))
	}
	s := &server{Options: o, handler: handler, started: time.Now(), socket: path, stop: make(chan struct{})}
	s.idle = newTimer(s.idleFired)
	s.memory = newMemory()
	change.unlock()
	if o.Ready != nil {
		o.Ready()
	}
	s.armIdle()

	accepting := make(chan error, 1)
	commands, cancelCommands := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelCommands(nil)
	go func() { accepting <- s.accept(commands, listener) }()
	select {
	case <-ctx.Done():
	case <-s.stop:
	case err = <-accepting:
		accepting <- nil
	}
	return errors.Join(err, s.shutDown(listener, accepting, cancelCommands, change))
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
	// The directory keeps others out while the mode is still the umask's.
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
	socket  string

	conns sync.WaitGroup // goroutines of connections
	stop  chan struct{}  // closed by beginStop

	idle   *timer  // ends the daemon
	memory *memory // gives memory back

	mu sync.Mutex // guards the rest; nothing is called with it held
	// active counts commands between request and exit.
	active   int
	stopping bool
	// waiting are the connections that told the daemon to stop, to be answered
	// when it has.
	waiting []farewell
}

func (s *server) accept(ctx context.Context, listener *net.UnixListener) error {
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			s.mu.Lock()
			stopping := s.stopping
			s.mu.Unlock()
			if stopping {
				return nil
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
			s.serveConn(ctx, conn)
		}()
	}
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
		s.memory.settle()
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
	// Sessions are made by commands. With none running and none let in, what
	// the handler says now stays true. A command refused in this moment is sent
	// again by its client.
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

// shutDown ends everything, in an order that loses nobody: first the name of
// the socket, so that new clients start a new daemon (which waits for the change
// lock), then those already connected, then the sessions.
func (s *server) shutDown(listener *net.UnixListener, accepting <-chan error, cancelCommands context.CancelCauseFunc, change *fileLock) error {
	s.beginStop()
	s.idle.close()
	errs := []error{change.relock()}
	if err := os.Remove(s.socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, fmt.Errorf("remove the socket: %w", err))
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

// farewell is a connection that asked the daemon to stop.
type farewell struct {
	conn    net.Conn
	req     *api.Request
	streams *Streams
	alive   *timer
}

func (f farewell) answer(closed error) {
	// The client may have gone; nobody else is to be told.
	exit := 0
	if closed != nil {
		exit = f.streams.Fail(f.req, f.req.WantsJSON(), closed)
	}
	_ = f.streams.exit(exit)
	_ = f.conn.Close()
	f.alive.close()
}
