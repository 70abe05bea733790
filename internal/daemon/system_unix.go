//go:build unix

package daemon

import (
	"os"

	"golang.org/x/sys/unix"
)

// flock waits for the lock, or with wait false reports whether it got it.
func flock(f *os.File, wait bool) (bool, error) {
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	for {
		switch err := unix.Flock(int(f.Fd()), how); err {
		case nil:
			return true, nil
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return false, nil
		default:
			return false, err
		}
	}
}

// sameSocket reports whether two descriptions are of the same socket file.
func sameSocket(a, b os.FileInfo) bool { return os.SameFile(a, b) }

func funlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
