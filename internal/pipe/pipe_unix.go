//go:build unix

package pipe

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Whole is the size up to which a write to a pipe that does not block writes everything or nothing: PIPE_BUF, which is 4096 on Linux
// and 512 at least everywhere (POSIX).
const Whole = pipeBuf

func nonblocking(raw syscall.RawConn) bool {
	flags, failed := 0, error(nil)
	err := raw.Control(func(fd uintptr) { flags, failed = unix.FcntlInt(fd, unix.F_GETFL, 0) })
	return err == nil && failed == nil && flags&unix.O_NONBLOCK != 0
}

func try(raw syscall.RawConn, b []byte) bool { return Some(raw, b) == len(b) }

// Some writes what there is room for, without waiting, and returns the number of bytes: 0 also for an error, which the next usual write
// reports. raw must not block.
func Some(raw syscall.RawConn, b []byte) int {
	n, failed := 0, syscall.Errno(0)
	err := raw.Write(func(fd uintptr) bool {
		n, failed = write(fd, b)
		return true // one attempt
	})
	if err != nil || failed != 0 {
		return 0
	}
	return n
}
