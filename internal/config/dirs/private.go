package dirs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// MakeRun creates Run and the directory of the socket with mode 0700, and returns an error for a directory that belongs
// to another user, is a symbolic link, or stays accessible to others: another process could serve in place of the
// daemon. Home is checked with them. The error is an *Insecure for a directory that is not safe.
func (d Dirs) MakeRun() error {
	if err := d.MakeHome(); err != nil {
		return err
	}
	if err := MakePrivate(d.Run); err != nil {
		return err
	}
	if dir := filepath.Dir(d.Socket); d.Socket != "" && dir != d.Run {
		return MakePrivate(dir)
	}
	return nil
}

// MakeHome creates Home, or checks the existing one: it has to be the user's own, also through a symbolic link, and not
// writable by others. It removes the write permissions of others; a directory in which others are meant to write (as
// /tmp) is an error.
func (d Dirs) MakeHome() error {
	if d.Home == "" {
		return nil
	}
	if err := os.MkdirAll(d.Home, 0o700); err != nil {
		return fmt.Errorf("create the directory of usher: %w", err)
	}
	link, err := os.Lstat(d.Home)
	if err != nil {
		return fmt.Errorf("inspect the directory of usher: %w", err)
	}
	if err := Mine(d.Home, link); err != nil {
		return err
	}
	fi, err := os.Stat(d.Home)
	if err != nil {
		return fmt.Errorf("inspect the directory of usher: %w", err)
	}
	if !fi.IsDir() {
		return &Insecure{Path: d.Home, Why: "is not a directory"}
	}
	if err := Mine(d.Home, fi); err != nil {
		return err
	}
	const writableByOthers = 0o022
	switch {
	case runtime.GOOS == "windows" || fi.Mode().Perm()&writableByOthers == 0:
		return nil
	case fi.Mode()&fs.ModeSticky != 0:
		return &Insecure{Path: d.Home, Why: "is a directory that every user can write to"}
	}
	if err := os.Chmod(d.Home, fi.Mode().Perm()&^writableByOthers); err != nil {
		return fmt.Errorf("make the directory of usher private: %w", err)
	}
	return nil
}

// CheckSocket checks that the directory of the socket is safe, before a client connects. If there is none, there is no
// socket in it, and the result is nil.
func (d Dirs) CheckSocket() error {
	dir := filepath.Dir(d.Socket)
	fi, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("inspect the directory of the socket: %w", err)
	}
	_, err = private(dir, fi)
	return err
}

// MakePrivate creates a directory with mode 0700, whatever the umask, and removes the permissions of others from an
// existing one. For a symbolic link, and a directory of another user, it returns an *Insecure error: nothing in it is
// used.
func MakePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	open, err := private(dir, fi)
	if err != nil || !open {
		return err
	}
	if fi.Mode()&fs.ModeSticky != 0 { // a directory for everybody, which must not be taken from them
		return &Insecure{Path: dir, Why: "is a directory that every user can write to"}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("close %s to others: %w", dir, err)
	}
	return nil
}

// private returns whether a directory of the user is still accessible to others.
func private(dir string, fi fs.FileInfo) (open bool, err error) {
	if !fi.IsDir() {
		return false, &Insecure{Path: dir, Why: "is not a directory"}
	}
	if err := Mine(dir, fi); err != nil {
		return false, err
	}
	return runtime.GOOS != "windows" && fi.Mode().Perm() != 0o700, nil
}

// ReadPrivate reads a file of secrets. It does not follow a symbolic link, and returns an *Insecure error for a file
// that belongs to another user, or that others can read or write: its content may be theirs, or may have leaked.
func ReadPrivate(path string) ([]byte, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() { // opening a named pipe would wait for a writer
		return nil, &Insecure{Path: path, Why: "is not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(before, fi) {
		return nil, &Insecure{Path: path, Why: "was replaced while it was opened"}
	}
	if err := Mine(path, fi); err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && fi.Mode().Perm()&0o077 != 0 {
		return nil, &Insecure{Path: path, Why: fmt.Sprintf("can be read or written by others (mode %04o)", fi.Mode().Perm())}
	}
	const most = 1 << 20
	if fi.Size() > most {
		return nil, &Insecure{Path: path, Why: fmt.Sprintf("has %d bytes, and cannot have been written by usher", fi.Size())}
	}
	text := make([]byte, fi.Size())
	n, err := f.ReadAt(text, 0)
	if n == len(text) {
		err = nil
	}
	return text[:n], err
}

// WriteSecret writes a file with mode 0600, whatever the umask, into an existing directory. It replaces a file of that
// name atomically; a symbolic link is replaced, not followed. A device, pipe or socket of that name is an error: to replace
// it would remove it from the system.
func WriteSecret(path string, content []byte) error {
	if is, err := os.Lstat(path); err == nil && !is.Mode().IsRegular() && is.Mode().Type() != fs.ModeSymlink {
		return &fs.PathError{Op: "replace", Path: path, Err: errIrregular}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

var errIrregular = errors.New("it is not a regular file")

// Insecure is the error for a file or directory that another user may have created, or can change.
type Insecure struct {
	Path string
	Why  string // the reason, which follows the path
}

func (e *Insecure) Error() string { return e.Path + " " + e.Why }

// Coded returns the error with its code of package api.
func (e *Insecure) Coded() (code, message, hint string, data map[string]any) {
	return "permission_denied", e.Error() + "; it is not used", "Find out who made it and remove it, or set USHER_HOME to a short directory of your own.",
		map[string]any{"path": e.Path}
}
