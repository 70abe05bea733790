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

// dial connects to the daemon. Reads and writes fail after limit with an error for which timedOut is true. pid is always
// 0.
//
// On Windows the socket is in the user's profile directory, whose access list excludes other users.
func dial(path string, limit time.Duration) (conn io.ReadWriteCloser, pid int, err error) {
	c, err := net.DialTimeout("unix", path, limit)
	if err != nil {
		return nil, 0, err
	}
	return Bound(c, limit, nil), 0, nil
}

// Windows error numbers for a socket file without a listener.
const (
	wsaConnectionRefused = syscall.Errno(10061)
	wsaInvalidArgument   = syscall.Errno(10022)
)

// NoListener reports whether err means that the socket file does not exist or has no listener.
func NoListener(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, wsaConnectionRefused) || errors.Is(err, wsaInvalidArgument)
}
