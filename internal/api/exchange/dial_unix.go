//go:build linux || darwin

package exchange

import (
	"errors"
	"io"
	"syscall"
	"time"
)

// socket is a blocking Unix socket without the runtime's poller, whose set-up takes longer than this conversation.
type socket int

// dial connects to the daemon and returns its process id. Connecting, reading and writing fail after limit with an error
// for which timedOut is true.
func dial(path string, limit time.Duration) (conn io.ReadWriteCloser, pid int, err error) {
	// No fork can happen between socket and close-on-exec: this process has not started another yet.
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, 0, &dialError{path, err}
	}
	syscall.CloseOnExec(fd)
	if err = limitTo(fd, limit); err == nil {
		err = connect(fd, path)
	}
	if err == nil {
		pid, err = checkServer(fd)
	}
	if err != nil {
		syscall.Close(fd)
		return nil, 0, &dialError{path, err}
	}
	return socket(fd), pid, nil
}

// limitTo sets the timeouts in the kernel, because a deadline of the runtime would need its poller.
func limitTo(fd int, limit time.Duration) error {
	span := syscall.NsecToTimeval(limit.Nanoseconds())
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &span); err != nil {
		return err
	}
	// On Linux SO_SNDTIMEO also bounds connect, which blocks while the daemon's backlog is full.
	return syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &span)
}

func connect(fd int, path string) error {
	for {
		if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

type dialError struct {
	path string
	err  error
}

func (e *dialError) Error() string { return "connect to " + e.path + ": " + e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// NoListener reports whether err means that the socket file does not exist or has no listener. It is false for a
// daemon that is slow.
func NoListener(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED)
}

func (s socket) Read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(s), p)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (s socket) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := syscall.Write(int(s), p[written:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}

func (s socket) Close() error { return syscall.Close(int(s)) }
