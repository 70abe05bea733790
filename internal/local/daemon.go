package local

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/line"
	"github.com/usher-browser/usher/internal/files"
)

// The files of the background process in its run directory, beside the socket.
// Package daemon names them; a test holds them equal.
const (
	logName        = "daemon.log"
	changeLockName = "change.lock"
)

// answerLimit is how long the background process may take to say how it is. It
// answers from memory.
const answerLimit = 3 * time.Second

// daemonStatus is what the background process says of itself.
type daemonStatus struct {
	PID      int      `json:"pid"`
	Build    string   `json:"build"`
	Version  string   `json:"version"`
	Sessions []string `json:"sessions"`
	Uptime   int      `json:"uptimeSeconds"`
}

// daemons asks the background process how it is, or looks for what one left.
func (d *doctor) daemons(ctx context.Context) {
	const id = "daemon"
	socket := d.places.Socket
	status, err := d.ask(ctx, socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.pass(daemons, id, "not running; the next command starts it")
	case errors.Is(err, syscall.ECONNREFUSED):
		d.stale(socket)
	case err != nil:
		d.fail(daemons, id, "Run `usher daemon stop`; if that does not return, end the process yourself (its number stands in "+
			filepath.Join(d.places.Run, logName)+").", "the background process does not answer as it should: %v", err)
	case status.Build != d.req.Build:
		fix := "The next command replaces it."
		if len(status.Sessions) > 0 {
			fix = "Finish these sessions, or run `usher daemon stop`, which closes them."
		}
		d.warn(daemons, id, fix, "process %d is another build of usher (version %s) with %s", status.PID, status.Version, sessionsText(status.Sessions))
	default:
		d.pass(daemons, id, "running as process %d for %s, with %s", status.PID, time.Duration(status.Uptime)*time.Second, sessionsText(status.Sessions))
	}
	d.log()
}

func sessionsText(names []string) string {
	if len(names) == 0 {
		return "no session"
	}
	return count(len(names), "session") + " (" + strings.Join(names, ", ") + ")"
}

// stale deals with a socket nobody listens on.
func (d *doctor) stale(socket string) {
	const id = "daemon"
	if d.mend(daemons, id, "removed the socket of a background process that was killed", func() error {
		return removeStale(socket, filepath.Join(d.places.Run, changeLockName))
	}) || d.fix {
		return
	}
	d.warn(daemons, id, "The next command replaces it; `usher doctor --fix` removes it now.",
		"not running; one that was killed left its socket, %s", socket)
}

// log looks for a crash at the end of the background process's log.
func (d *doctor) log() {
	path := filepath.Join(d.places.Run, logName)
	text, err := tail(path, 64<<10)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			d.warn(daemons, "log", "", "the log cannot be read: %v", err)
		}
		return
	}
	// What the Go runtime writes when a process dies of its own fault.
	for row := range bytes.Lines(text) {
		if bytes.HasPrefix(row, []byte("panic: ")) || bytes.HasPrefix(row, []byte("fatal error: ")) {
			d.warn(daemons, "log", "Please report it, with that file.", "the log %s tells of a crash: %.200s", path, bytes.TrimSpace(row))
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

// ask sends the question every build understands. Besides what dialling gives,
// the error is one that says what arrived in place of an answer.
func (d *doctor) ask(ctx context.Context, socket string) (daemonStatus, error) {
	var status daemonStatus
	if _, err := os.Lstat(socket); err != nil {
		return status, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return status, err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return status, err
	}
	request, bad, ok := line.AppendRequest(nil, &line.Request{
		V: line.Version, Op: line.OpStatus, Program: "usher", Build: d.req.Build, Argv: []string{"daemon", "status", "--json"},
	})
	if !ok {
		return status, fmt.Errorf("%s is not valid UTF-8", bad)
	}
	// One that refuses us answers and hangs up without reading; its answer is
	// worth more than the failed write.
	_, writeErr := conn.Write(request)
	answer, err := answerOf(bufio.NewReader(io.LimitReader(conn, line.MaxFrame)))
	if err != nil {
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			err = fmt.Errorf("no answer within %s", answerLimit)
		case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
			err = fmt.Errorf("it hung up: %w", errors.Join(writeErr, err))
		}
		return status, err
	}
	var envelope struct {
		Success bool         `json:"success"`
		Data    daemonStatus `json:"data"`
		Error   string       `json:"error"`
	}
	if err := json.Unmarshal(answer, &envelope); err != nil {
		return status, fmt.Errorf("read its answer: %w", err)
	}
	if !envelope.Success {
		return status, fmt.Errorf("it answered: %s", envelope.Error)
	}
	return envelope.Data, nil
}

// answerOf collects standard output from the frames of an answer.
func answerOf(r *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		text, err := r.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("read its answer: %w", err)
		}
		frame, err := line.ParseFrame(bytes.TrimSuffix(text, []byte("\n")))
		if err != nil {
			return nil, fmt.Errorf("read its answer: %w", err)
		}
		switch frame.Kind {
		case line.Out, line.Err:
			part := make([]byte, frame.Size)
			if _, err := io.ReadFull(r, part); err != nil {
				return nil, fmt.Errorf("read its answer: %w", err)
			}
			out = append(out, part...)
		case line.Exit:
			return out, nil
		case line.Refused:
			return nil, api.Errorf(api.Code(frame.Code), "it refused: %s", frame.Text)
		case line.Unknown, line.Stdin, line.Progress, line.Cancel, line.Local, line.Alive:
		}
	}
}
