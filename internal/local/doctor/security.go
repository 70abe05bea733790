package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// security checks who has access to this user's files and socket.
func (d *doctor) security() {
	d.private("home", "usher's directory", d.dirs.Home, 0o022, 0o755)
	d.private("run-directory", "the socket's directory", d.dirs.Run, 0o077, 0o700)
	socket := d.dirs.Socket
	if dir := filepath.Dir(socket); dir != d.dirs.Run {
		d.private("socket-directory", "the socket's own directory", dir, 0o077, 0o700)
	}
	d.private("socket", "the socket", socket, 0o077, 0o600)
	d.pass(security, "socket-path", "%d of at most 103 bytes: %s", len(socket), socket)
	for _, name := range []string{"config.yaml", "config.json"} {
		path := filepath.Join(d.dirs.Config, name)
		if _, err := os.Lstat(path); err == nil {
			d.private("config-file", "the configuration file", path, 0o022, 0o644)
		}
	}
}

// private checks that a file or directory belongs to this user and gives others
// none of the rights in forbidden. allowed is the mode --fix leaves at most.
func (d *doctor) private(id, what, path string, forbidden, allowed fs.FileMode) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if at := existing(path); !writable(at) {
			d.fail(security, id, "Set USHER_HOME to a directory of your own.", "%s cannot be created, because you cannot write to %s: %s", what, at, path)
			return
		}
		d.pass(security, id, "%s does not exist; it is created when needed: %s", what, path)
		return
	case err != nil:
		d.fail(security, id, "Set USHER_HOME to a directory of your own.", "%s cannot be inspected: %v", what, err)
		return
	}
	if owner, known := ownerOf(info); known && owner != d.uid {
		d.fail(security, id, "Set USHER_HOME to a directory of your own, and run usher as the same user each time.",
			"%s belongs to another user (%d): %s", what, owner, path)
		return
	}
	mode := info.Mode().Perm()
	if d.goos == "windows" || mode&forbidden == 0 {
		d.pass(security, id, "%s is writable by you only (mode %04o): %s", what, mode, path)
		return
	}
	if d.repair(security, id, fmt.Sprintf("closed %s to others: %s", what, path), func() error {
		return os.Chmod(path, mode&allowed)
	}) || d.fix {
		return
	}
	fix := fmt.Sprintf("Run `usher doctor --fix`, or: chmod %04o %s", mode&allowed, path)
	if mode&forbidden&0o007 == 0 {
		// Where each user has a group of his own, this is harmless.
		d.warn(security, id, fix, "%s is open to its group (mode %04o): %s", what, mode, path)
		return
	}
	d.fail(security, id, fix, "%s is open to others (mode %04o): %s", what, mode, path)
}
