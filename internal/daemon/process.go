package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/verb"
)

// LogName is the daemon's log file in the run directory.
const LogName = "daemon.log"

// Ready is the line a daemon prints on standard output when it accepts commands. The process that started it reads that
// line, or an error message.
const Ready = "ready"

// Process is the daemon as a process of its own, `usher daemon run`.
type Process struct {
	// Home, RunDir, Build and Version are as in [Options].
	Home, RunDir, Build, Version string
	// Detached reports whether a client started this process and reads its standard output up to the first line.
	Detached bool
	// Table is the grammar of all commands.
	Table *verb.Table
	// Local is as in [Options].
	Local func(req *api.Request, call *verb.Call, out, errOut io.Writer) (exit int)
	// NewHandler is as in [Options].
	NewHandler func(*slog.Logger) (Handler, error)
}

// Run serves until the process gets a signal or a request to end, and returns its exit status. SIGTERM and SIGINT close
// every session first; a second one does not wait. SIGHUP is ignored: the daemon outlives the terminal it was started
// from.
func (p Process) Run() int {
	if len(hangUp) > 0 { // none given would mean all
		signal.Ignore(hangUp...)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	err := p.serve(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrRunning) && p.Detached:
		// Two clients started one each. The other listens, for Serve waited
		// until it did.
		fmt.Println(Ready)
		return 0
	}
	if p.Detached {
		// The log's reader is the client, which shows it to the person.
		fmt.Println(err)
	}
	fmt.Fprintln(os.Stderr, "usher daemon:", err)
	return api.ExitOf(err)
}

func (p Process) serve(ctx context.Context) error {
	socket, err := dirs.SocketOf(p.RunDir)
	if err != nil {
		return api.Errorf(api.DaemonStartFailed, "%w", err)
	}
	log := slog.New(slog.NewTextHandler(newBoundedLog(os.Stderr, filepath.Join(p.RunDir, LogName+".old")), nil))
	return Serve(ctx, Options{
		Home:       p.Home,
		RunDir:     p.RunDir,
		Build:      p.Build,
		Version:    p.Version,
		Table:      p.Table,
		Local:      p.Local,
		NewHandler: func() (Handler, error) { return p.NewHandler(log) },
		Log:        log,
		Ready: func() {
			log.Info("listening", "socket", socket, "pid", pid, "version", p.Version)
			fmt.Println(Ready)
			if p.Detached {
				if err := redirectStdout(); err != nil {
					log.Error("close the starter's pipe", "error", err)
				}
			}
		},
	})
}

// logLimit is the size at which the log is rotated; one older part is kept.
const logLimit = 1 << 20

// boundedLog writes to a file and truncates it when it has grown too long, after copying it to a second file. The Go
// runtime's crash output does not count and so is never lost. If the output is no regular file, it only writes.
type boundedLog struct {
	mu   sync.Mutex
	file *os.File
	old  string
	size int64
	cut  bool
}

func newBoundedLog(file *os.File, old string) *boundedLog {
	l := &boundedLog{file: file, old: old}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		l.size, l.cut = info.Size(), true
	}
	return l
}

func (l *boundedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut && l.size+int64(len(p)) > logLimit {
		if err := l.rotate(); err != nil {
			l.cut = false // better a long log than none
			fmt.Fprintln(l.file, "usher daemon: cannot start a new log:", err)
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// rotate works through the name of the file, since standard error is open for
// writing only.
func (l *boundedLog) rotate() error {
	source, err := os.Open(filepath.Join(filepath.Dir(l.old), LogName))
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(l.old, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		target.Close()
		return err
	}
	if err := target.Close(); err != nil {
		return err
	}
	l.size = 0
	return l.file.Truncate(0)
}
