//go:build unix

package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// space returns the free space for this user on the disk of path, and the size of that disk, in bytes.
func space(path string) (free, total uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, 0, &fs.PathError{Op: "statfs", Path: path, Err: err}
	}
	block := uint64(s.Bsize)
	return s.Bavail * block, s.Blocks * block, nil
}

// ownerOf returns the user a file belongs to.
func ownerOf(info fs.FileInfo) (uid int, known bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// writable reports whether this user may make files in a directory.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

// removeStale removes the socket a daemon left, under the lock that daemons hold while they start or stop.
func removeStale(socket, lock string) error {
	f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("keep daemons from starting: %w", err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			return errors.New("a daemon is just starting or stopping; try again")
		}
		return fmt.Errorf("keep daemons from starting: %w", err)
	}
	if _, err := os.Lstat(socket); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return os.Remove(socket)
}
