package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
)

// watchEvery is the time between two looks at the socket's file: a client that finds no socket waits a multiple of it.
const watchEvery = time.Second

// The locks of a run directory. changeLock is held while a daemon starts or stops, lifeLock while it runs.
const (
	changeLock = "change.lock"
	lifeLock   = "daemon.lock"
)

// place is where a daemon is found: its socket, and the locks that keep a second one away. The listener is guarded by
// server.mu; the rest is used by Serve's goroutine, and between start and stop by the watch only.
type place struct {
	socket       string
	listener     *net.UnixListener
	bound        fs.FileInfo // of the socket's file
	change, life *fileLock
}

// open listens at the socket, whose file is replaced.
func (p *place) open() (*net.UnixListener, error) {
	if err := os.Remove(p.socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket of an earlier daemon: %w", err)
	}
	listener, err := listen(p.socket)
	if err != nil {
		return nil, err
	}
	if p.bound, err = os.Lstat(p.socket); err != nil {
		listener.Close()
		return nil, fmt.Errorf("look at the socket: %w", err)
	}
	return listener, nil
}

// ours reports whether the file at the socket's path is the one this daemon listens at.
func (p *place) ours() bool {
	info, err := os.Lstat(p.socket)
	return err == nil && sameSocket(info, p.bound)
}

// watchFired looks whether the daemon can still be found. A daemon whose socket was deleted makes it anew. One whose
// directory was deleted, or is served by another daemon, ends: no client reaches its sessions any more.
func (s *server) watchFired() {
	if !s.ours() {
		if err := s.reopen(); err != nil {
			s.Log.Error("the socket was deleted; the daemon exits", "socket", s.socket, "error", err)
			s.beginStop()
			return
		}
	}
	s.watch.arm(watchEvery)
}

// reopen makes the deleted socket anew, and the locks if those were deleted, too. The error says why the daemon has to
// end.
func (s *server) reopen() error {
	if _, err := os.Stat(s.RunDir); err != nil {
		return fmt.Errorf("look at the run directory: %w", err)
	}
	if !s.life.isAt(filepath.Join(s.RunDir, lifeLock)) {
		if err := s.relock(); err != nil {
			return err
		}
	}
	if err := (dirs.Dirs{Home: s.Home, Run: s.RunDir, Socket: s.socket}).MakeRun(); err != nil {
		return err
	}
	listener, err := s.open()
	if err != nil {
		return err
	}
	s.mu.Lock()
	before := s.listener
	s.listener = listener
	s.mu.Unlock()
	s.Log.Warn("the socket was deleted; listening again", "socket", s.socket)
	return before.Close()
}

// relock takes the locks anew after their files were deleted.
func (s *server) relock() error {
	change, err := tryLockFile(filepath.Join(s.RunDir, changeLock))
	if err != nil {
		return fmt.Errorf("lock the run directory: %w", err)
	}
	if change == nil {
		return errElsewhere
	}
	life, err := tryLockFile(filepath.Join(s.RunDir, lifeLock))
	change.unlock()
	if life == nil {
		change.close()
		if err != nil {
			return fmt.Errorf("lock the run directory: %w", err)
		}
		return errElsewhere
	}
	s.change.close()
	s.life.close()
	s.change, s.life = change, life
	return nil
}

// errElsewhere is the reason to end of a daemon in whose directory another one runs or starts.
var errElsewhere = errors.New("another daemon serves the run directory")

// lockLimit is how long a new daemon waits for one that holds the lock and has no socket: that one makes a new socket
// within [watchEvery], or ends.
const lockLimit = 5 * watchEvery

// lockLife takes the lock that a daemon holds while it runs. The error is ErrRunning if another daemon has it and
// listens.
func lockLife(ctx context.Context, runDir, socket string) (*fileLock, error) {
	path := filepath.Join(runDir, lifeLock)
	for end := time.Now().Add(lockLimit); ; {
		life, err := tryLockFile(path)
		if err != nil {
			return nil, fmt.Errorf("lock the run directory: %w", err)
		}
		if life != nil {
			return life, nil
		}
		if _, err := os.Lstat(socket); err == nil {
			return nil, ErrRunning
		}
		if time.Now().After(end) {
			return nil, api.Errorf(api.DaemonStartFailed, "another daemon holds %s, but its socket %s is gone and does not come back", path, socket).
				WithHint("End that process, then repeat the command.")
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(watchEvery / 20):
		}
	}
}
