package doctor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/files"
)

// The files of the background process in its run directory, beside the socket. Package daemon defines the names; a test
// compares them.
const (
	logName        = "daemon.log"
	changeLockName = "change.lock"
)

// daemons requests the status of the background process, or checks for leftovers of one.
func (d *doctor) daemons(ctx context.Context) {
	const id = "daemon"
	socket := d.dirs.Socket
	status, err := (&client.Client{Socket: socket, Build: d.req.Build}).Status(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.pass(daemons, id, "not running; the next command starts it")
	case client.NotRunning(err):
		d.stale(socket)
	case err != nil:
		d.fail(daemons, id, "Run `usher daemon stop`; if that does not return, kill the process (its id is in "+
			filepath.Join(d.dirs.Run, logName)+").", "%v", err)
	case status.Build != d.req.Build:
		fix := "The next command replaces it."
		if len(status.Sessions) > 0 {
			fix = "Close these sessions, or run `usher daemon stop`, which closes them."
		}
		d.warn(daemons, id, fix, "process %d is another build of usher (version %s) with %s", status.PID, status.Version, sessionsText(status.Sessions))
	default:
		d.pass(daemons, id, "running as process %d for %s, with %s", status.PID, status.Up, sessionsText(status.Sessions))
	}
	d.log()
}

func sessionsText(names []string) string {
	if len(names) == 0 {
		return "no session"
	}
	return count(len(names), "session") + " (" + strings.Join(names, ", ") + ")"
}

// stale handles a socket without a listener.
func (d *doctor) stale(socket string) {
	const id = "daemon"
	if d.repair(daemons, id, "removed the socket of a daemon that was killed", func() error {
		return removeStale(socket, filepath.Join(d.dirs.Run, changeLockName))
	}) || d.fix {
		return
	}
	d.warn(daemons, id, "The next command replaces it; `usher doctor --fix` removes it now.",
		"not running; a killed daemon left its socket, %s", socket)
}

// log checks for a crash at the end of the background process's log.
func (d *doctor) log() {
	path := filepath.Join(d.dirs.Run, logName)
	text, err := tail(path, 64<<10)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			d.warn(daemons, "log", "", "the log cannot be read: %v", err)
		}
		return
	}
	// The output of the Go runtime when a process crashes.
	for row := range bytes.Lines(text) {
		if bytes.HasPrefix(row, []byte("panic: ")) || bytes.HasPrefix(row, []byte("fatal error: ")) {
			d.warn(daemons, "log", "Please report it, with that file.", "the log %s reports a crash: %.200s", path, bytes.TrimSpace(row))
			return
		}
	}
}

// tail returns at most the last n bytes of a file.
func tail(path string, n int64) ([]byte, error) {
	f, err := files.Open(context.Background(), path) // bounded in time by itself
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(max(0, info.Size()-n), io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, n))
}
