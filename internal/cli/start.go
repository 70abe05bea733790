package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/files"
)

// startLimit is how long a daemon may take until it listens. It does so in
// milliseconds, unless it waits for a former one to close its browsers.
const startLimit = 30 * time.Second

// startVariable is set for a daemon that a client started, with the address to listen at.
const startVariable = "USHER_DAEMON_START"

// The lines a starting daemon prints on its standard output, and the name of its log. The layers forbid a frontend to
// import package daemon; a test compares them.
const (
	readyLine = "ready"
	logName   = "daemon.log"
)

// startDaemon starts this program again as the daemon, detached from this
// process and its terminal, and returns when it accepts commands. If another
// daemon is quicker, that one is as good.
func startDaemon(paths dirs.Dirs) error {
	// After any failure with our own file, a start never starts the next.
	if os.Getenv(startVariable) != "" {
		return startError(nil, "", errors.New("this process was itself started as a daemon"))
	}
	if err := paths.MakeRun(); err != nil {
		return startError(nil, "", err)
	}
	self, err := os.Executable()
	if err != nil {
		return startError(nil, "", err)
	}
	log, err := os.OpenFile(filepath.Join(paths.Run, logName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return startError(nil, "", err)
	}
	defer log.Close()
	before, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return startError(nil, "", err)
	}
	status, output, err := os.Pipe()
	if err != nil {
		return startError(nil, "", err)
	}
	defer status.Close()

	child := exec.Command(self, "daemon", "run")
	child.Args[0] = os.Args[0] // ps shows the name the person used
	child.Env = daemonEnvironment(os.Environ(), paths.Run)
	child.Dir = paths.Run // keeps no other file system busy
	child.Stdout, child.Stderr = output, log
	child.SysProcAttr = detached()
	err = child.Start()
	output.Close()
	if err != nil {
		return startError(nil, "", err)
	}
	// It is meant to outlive this process, which waits for it only if it fails.
	answer, err := readStatus(status)
	if answer == readyLine {
		return child.Process.Release()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = child.Process.Kill() // one that has just ended needs no killing
		_ = child.Wait()         // killed, as expected
		return startError(tail(log.Name(), before), answer, fmt.Errorf("it was not ready within %s; a previous one may be stuck while shutting down", startLimit))
	}
	state := child.Wait()
	if err == nil {
		err = state
	}
	return startError(tail(log.Name(), before), answer, err)
}

// readStatus reads the first line the daemon prints.
func readStatus(pipe *os.File) (string, error) {
	if err := pipe.SetReadDeadline(time.Now().Add(startLimit)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(pipe, 4096))
	status, _, _ := strings.Cut(string(text), "\n")
	return status, err
}

// daemonEnvironment leaves out what belongs to one command: the daemon gets that
// with each request.
func daemonEnvironment(environ []string, runDir string) []string {
	kept := []string{startVariable + "=" + runDir}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if (strings.HasPrefix(name, "USHER_") && name != "USHER_HOME") || strings.HasPrefix(name, "AGENT_BROWSER_") {
			continue
		}
		kept = append(kept, pair)
	}
	return kept
}

// startError returns the error for a daemon that did not start. log is its log, answer its own output.
func startError(log []byte, answer string, err error) error {
	var insecure *dirs.Insecure
	if errors.As(err, &insecure) {
		return fmt.Errorf("the daemon could not be started: %w", err)
	}
	e := api.Errorf(api.DaemonStartFailed, "the daemon could not be started")
	if answer != "" {
		e.Message += ": " + answer
	}
	if err != nil {
		e.Message += ": " + err.Error()
	}
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrPermission):
		e = e.WithHint("Set USHER_HOME to a directory of your own.")
	case errors.As(err, &path):
		e = e.WithHint("usher keeps its files there. Set USHER_HOME to a directory that can be written and has room.")
	}
	if log = bytes.TrimSpace(log); len(log) > 0 {
		e.Message += "\n" + string(log)
	}
	return e
}

// tail returns the end of what was appended to the file since offset before,
// whole lines of at most 2 KB.
func tail(path string, before int64) []byte {
	f, err := files.Open(context.Background(), path) // bounded in time by itself
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= before {
		return nil
	}
	const most = 2048
	from := max(before, info.Size()-most)
	text := make([]byte, info.Size()-from)
	if n, err := f.ReadAt(text, from); err != nil && !errors.Is(err, io.EOF) {
		return nil
	} else {
		text = text[:n]
	}
	if from > before {
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
	}
	return text
}
