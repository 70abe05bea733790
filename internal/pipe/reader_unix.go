//go:build unix

package pipe

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// quickReader reads from a pipe or a socket that does not block.
type quickReader struct {
	raw  syscall.RawConn
	file bool // its errors are those of package internal/poll
}

// Quick returns a reader of a pipe or a socket that takes as little of the program's time as it can; r itself where there is no better way.
// Deadlines of r hold, and its Close ends a Read that waits.
func Quick(r io.Reader) io.Reader {
	conn, ok := r.(syscall.Conn)
	if !ok || !canQuick {
		return r
	}
	raw, err := conn.SyscallConn()
	if err != nil || !nonblocking(raw) {
		return r
	}
	_, file := r.(*os.File)
	return quickReader{raw, file}
}

// Read reads what is there, or waits. At the end it returns io.EOF.
func (q quickReader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, errno := 0, syscall.Errno(0)
	err := q.raw.Read(func(fd uintptr) bool {
		for {
			if n, errno = read(fd, b); errno != syscall.EINTR {
				return errno != syscall.EAGAIN
			}
		}
	})
	switch {
	case err != nil && q.file && !errors.Is(err, os.ErrDeadlineExceeded):
		return 0, os.ErrClosed
	case err != nil:
		return 0, err
	case errno != 0:
		return 0, errno
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}
