//go:build linux || darwin

package warm

import (
	"errors"
	"io"
	"syscall"
	"unsafe"

	"github.com/usher-browser/usher/internal/api/line"
)

// socket is a blocking Unix socket without the runtime's poller, whose set-up
// costs more than this conversation.
type socket int

func dial(path string) (socket, error) {
	// Between socket and close-on-exec nothing can fork: this process has not
	// started anything yet.
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return -1, err
	}
	syscall.CloseOnExec(fd)
	for {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		if err != syscall.EINTR {
			break
		}
	}
	if err == nil {
		err = checkServer(fd)
	}
	if err != nil {
		syscall.Close(fd)
		return -1, &dialError{path, err}
	}
	return socket(fd), nil
}

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
		case err == syscall.EINTR:
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
		if err == syscall.EINTR {
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
