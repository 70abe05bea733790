package doctor

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// space returns the free space for this user on the disk of path, and the size of that disk, in bytes.
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

// ownerOf returns nothing here: access depends on the access control list of the user's directory, not on a file mode.
func ownerOf(fs.FileInfo) (uid int, known bool) { return 0, false }

// writable cannot read a mode here either; creating the file shows it.
func writable(string) bool { return true }

// removeStale removes the socket a daemon left. The system does not remove the socket of a daemon that listens.
func removeStale(socket, _ string) error { return os.Remove(socket) }
