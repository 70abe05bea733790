//go:build linux || darwin

package warm

import (
	"errors"
	"io"
	"syscall"
	"time"
	"unsafe"

	"github.com/usher-browser/usher/internal/api/line"
)

// socket is a blocking Unix socket without the runtime's poller, whose set-up
// costs more than this conversation.
type socket int

// dial connects to the daemon and tells its process. Whatever happens on the
// connection, connecting included, fails after limit with an error that timedOut
// knows.
func dial(path string, limit time.Duration) (conn socket, pid int, err error) {
	// Between socket and close-on-exec nothing can fork: this process has not
	// started anything yet.
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return -1, 0, err
	}
	syscall.CloseOnExec(fd)
	if err = bound(fd, limit); err == nil {
		err = connect(fd, path)
	}
	if err == nil {
		pid, err = checkServer(fd)
	}
	if err != nil {
		syscall.Close(fd)
		return -1, 0, &dialError{path, err}
	}
	return socket(fd), pid, nil
}

// bound lets the kernel keep the time: a deadline of the runtime would need its
// poller.
func bound(fd int, limit time.Duration) error {
	span := syscall.NsecToTimeval(limit.Nanoseconds())
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &span); err != nil {
		return err
	}
	// On Linux this one bounds connect too, which waits while the daemon's queue
	// is full.
	return syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &span)
}

func connect(fd int, path string) error {
	for {
		if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// timedOut is true for the error of a connection that dial's limit ended.
func timedOut(err error) bool { return errors.Is(err, syscall.EAGAIN) }

type dialError struct {
	path string
	err  error
}

func (e *dialError) Error() string { return "connect to " + e.path + ": " + e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// nobodyListens is true for a socket file that is absent or left over, and for
// nothing else: a daemon that is slow is not gone.
func nobodyListens(err error) bool {
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

func workingDirectory() (string, error) { return syscall.Getwd() }

func terminal() line.Terminal {
	t := line.Terminal{In: isTerminal(0), Out: isTerminal(1), Err: isTerminal(2)}
	for fd, is := range [...]bool{1: t.Out, 2: t.Err} {
		if !is {
			continue
		}
		var size struct{ rows, columns, x, y uint16 }
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size))); errno == 0 {
			t.Width = int(size.columns)
			break
		}
	}
	return t
}

func isTerminal(fd uintptr) bool {
	var state syscall.Termios
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, ioctlGetTermios, uintptr(unsafe.Pointer(&state)))
	return errno == 0
}

// plainFile is a file without the runtime's poller, which os.Open would set up
// in vain: four system calls.
type plainFile int

func openPlain(path string) (plainFile, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	return plainFile(fd), err
}

func (f plainFile) readStart(p []byte) (int, error) { return syscall.Pread(int(f), p, 0) }
func (f plainFile) close()                          { syscall.Close(int(f)) }
