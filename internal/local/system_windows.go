package local

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// space is the room on the disk of path that this user can have, and the size
// of that disk, in bytes.
func space(path string) (free, total uint64, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, 0, err
	}
	if err := windows.GetDiskFreeSpaceEx(name, &free, &total, nil); err != nil {
		return 0, 0, &fs.PathError{Op: "GetDiskFreeSpaceEx", Path: path, Err: err}
	}
	return free, total, nil
}

// ownerOf is not told by the mode of a file here: the access list of the user's
// directory decides.
func ownerOf(fs.FileInfo) (uid int, known bool) { return 0, false }

// writable is not told by a mode here either; making the file tells.
func writable(string) bool { return true }

// removeStale removes the socket a daemon left. A daemon that listens keeps the
// system from removing its socket.
func removeStale(socket, _ string) error { return os.Remove(socket) }
