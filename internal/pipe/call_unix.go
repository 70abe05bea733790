//go:build unix && !linux

package pipe

import (
	"errors"
	"syscall"
)

// canQuick says that read and write do not tell Go's scheduler of the system call.
const canQuick = false

func read(fd uintptr, b []byte) (int, syscall.Errno) { return result(syscall.Read(int(fd), b)) }

func write(fd uintptr, b []byte) (int, syscall.Errno) { return result(syscall.Write(int(fd), b)) }

func result(n int, err error) (int, syscall.Errno) {
	var errno syscall.Errno
	errors.As(err, &errno)
	return n, errno
}
