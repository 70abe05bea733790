//go:build !linux && !darwin

package exchange

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"syscall"
	"time"
)

// dial connects to the daemon. Reading and writing fail after limit with an error
// that timedOut knows. The daemon's process is not told.
//
// On Windows the socket lies in the user's own profile directory, and its
// access list keeps others out.
func dial(path string, limit time.Duration) (conn io.ReadWriteCloser, pid int, err error) {
	c, err := net.DialTimeout("unix", path, limit)
	if err != nil {
		return nil, 0, err
	}
	return Bound(c, limit, nil), 0, nil
}

// Windows' numbers for a socket file that is left over.
const (
	wsaConnectionRefused = syscall.Errno(10061)
	wsaInvalidArgument   = syscall.Errno(10022)
)

// NobodyListens is true for a socket file that is absent or left over.
func NobodyListens(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, wsaConnectionRefused) || errors.Is(err, wsaInvalidArgument)
}
