package media

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/files"
)

// CheckOutputPath checks early whether a file can be written at path: it returns an error if its directory is missing
// or is a file, or if path is a directory itself. The error is [api.FileWriteFailed]. No directory is created, because
// the path may be misspelt.
func CheckOutputPath(path string) error {
	if err := checkDirectory(path, filepath.Dir(path)); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return api.Errorf(api.FileWriteFailed, "write %s: it is a directory", path).With("path", path).
			WithHint("Give the name of a file in it.")
	}
	return nil
}

// CheckOutputDirectory is [CheckOutputPath] for a file in dir whose name is not known yet.
func CheckOutputDirectory(dir string) error { return checkDirectory(dir, dir) }

// checkDirectory checks the directory for a path.
func checkDirectory(path, dir string) error {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return api.Errorf(api.FileWriteFailed, "write %s: %w", path, noDirectory(dir)).
			With("path", path).WithHint("Create it first (mkdir -p), or give another path.")
	case err != nil:
		return WriteError(path, err)
	case !info.IsDir():
		return api.Errorf(api.FileWriteFailed, "write %s: %s is not a directory", path, dir).With("path", path)
	}
	return nil
}

// noDirectory is the error for a directory that is missing. It is an [fs.ErrNotExist].
type noDirectory string

func (dir noDirectory) Error() string { return "the directory " + string(dir) + " does not exist" }

func (noDirectory) Unwrap() error { return fs.ErrNotExist }

// Write creates a file with what fill writes. The file appears complete or not at all: an existing file is replaced at
// the end, and stays if anything fails. A link is followed; a device or pipe is written to directly. Errors are
// [api.FileWriteFailed], except those of fill's own.
func Write(path string, fill func(io.Writer) error) error { return write(path, Shared, fill) }

// WriteOwn is Write for a file in a directory of usher's own, with mode 0600.
func WriteOwn(path string, fill func(io.Writer) error) error { return write(path, Own, fill) }

// The modes of new files.
const (
	// Shared is that of files with a path from the user: the umask applies.
	Shared fs.FileMode = 0o666
	// Own is that of files in usher's own directories, whatever the umask.
	Own fs.FileMode = 0o600
)

func write(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	if err := CheckOutputPath(path); err != nil {
		return err
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return writeDevice(path, fill)
	}
	if err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := createBeside(path, mode)
	if err != nil {
		return WriteError(path, err)
	}
	if err := finish(temp, path, fill); err != nil {
		_ = os.Remove(temp.Name()) // the failure itself is what matters
		return err
	}
	return nil
}

// finish fills the file and renames it to its path.
func finish(temp *os.File, path string, fill func(io.Writer) error) error {
	if err := fillAndClose(temp, path, fill); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return WriteError(path, err)
	}
	return nil
}

func writeDevice(path string, fill func(io.Writer) error) error {
	f, err := files.OpenSpecial(context.Background(), path) // bounded in time by itself
	if err != nil {
		return WriteError(path, err)
	}
	return fillAndClose(f, path, fill)
}

// fillAndClose writes what fill gives to a file that the user calls path, and closes it.
func fillAndClose(f *os.File, path string, fill func(io.Writer) error) error {
	sink := &writer{to: f}
	err := fill(sink)
	closed := f.Close()
	switch {
	case sink.err != nil:
		return WriteError(path, sink.err)
	case err != nil:
		return err
	case closed != nil:
		return WriteError(path, closed)
	}
	return nil
}

// writer distinguishes failures of the file from those of what fills it.
type writer struct {
	to  *os.File
	err error
}

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

// createBeside makes a new file next to path, on the same file system.
func createBeside(path string, mode fs.FileMode) (*os.File, error) {
	for {
		var b [6]byte
		if _, err := rand.Read(b[:]); err != nil {
			return nil, fmt.Errorf("make up a name: %w", err)
		}
		name := filepath.Join(filepath.Dir(path), ".usher-"+hex.EncodeToString(b[:])+".part")
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return f, nil
	}
}

// WriteError explains why a file could not be written that was to appear under a path when it is complete.
func WriteError(path string, err error) error {
	// The name of the temporary file is of no use to the caller.
	cause := err
	var at *fs.PathError
	if errors.As(err, &at) {
		cause = at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		cause = link.Err
	}
	out := api.Errorf(api.FileWriteFailed, "write %s: %w", path, cause).With("path", path)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return out.WithHint("The disk is full. The path was left as it was; free some space or save elsewhere.")
	case errors.Is(err, fs.ErrPermission):
		return out.WithHint("Save to a directory you may write to.")
	}
	return out
}

// FreshName reserves an unused name in a directory, like the wanted one: "report.csv", then "report (1).csv". It
// creates an empty file of that name, to be replaced or removed by the caller.
func FreshName(dir, name string, mode fs.FileMode) (string, error) {
	ending := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ending)
	if stem == "" {
		stem, ending = name, ""
	}
	for n := 0; ; n++ {
		try := name
		if n > 0 {
			try = fmt.Sprintf("%s (%d)%s", stem, n, ending)
		}
		path := filepath.Join(dir, try)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) && n < 10_000 {
			continue
		}
		if err != nil {
			return "", WriteError(path, err)
		}
		if err := f.Close(); err != nil {
			return "", WriteError(path, err)
		}
		return path, nil
	}
}

// PlainName makes a file name of one that a page or server suggested: its last part, without characters that are
// special to a file system or terminal.
func PlainName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r < ' ', r == 0x7f, strings.ContainsRune(`:*?"<>|`, r), 0x80 <= r && r < 0xa0:
			return '_'
		case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069: // change the direction of writing, and hide an ending so
			return -1
		case r == '\\':
			return '/'
		}
		return r
	}, s)
	s = s[strings.LastIndexByte(s, '/')+1:]
	s = strings.Trim(strings.ToValidUTF8(s, "_"), " .")
	const most = 200 // bytes; file systems take 255
	if len(s) > most {
		ending := filepath.Ext(s)
		if len(ending) > 20 {
			ending = ""
		}
		s = strings.ToValidUTF8(s[:most-len(ending)], "") + ending
	}
	if s == "" {
		return "download"
	}
	return s
}

// Move moves a finished file to path, replacing what is there, also from another file system. If that fails the file
// stays where it was. Errors are [api.FileWriteFailed] and [api.FileNotFound].
func Move(from, path string) error { return move(from, path, Write) }

// MoveOwn is Move for a file that only its owner may read: a copy on another file system has mode 0600.
func MoveOwn(from, path string) error { return move(from, path, WriteOwn) }

func move(from, path string, write func(string, func(io.Writer) error) error) error {
	if err := CheckOutputPath(path); err != nil {
		return err
	}
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		to = path
	}
	special := false
	if info, err := os.Stat(to); err == nil {
		special = !info.Mode().IsRegular()
	}
	if !special {
		if os.Rename(from, to) == nil {
			return nil
		}
		// Another file system, most often. For any other cause, copying returns an error, too.
	}
	f, err := files.Open(context.Background(), from) // bounded in time by itself
	if err != nil {
		return missing(from)
	}
	err = write(to, func(w io.Writer) error { _, err := io.Copy(w, f); return err })
	_ = f.Close() // only read
	if err != nil {
		return err
	}
	if err := os.Remove(from); err != nil {
		return WriteError(from, err)
	}
	return nil
}

func missing(path string) error {
	return api.Errorf(api.FileNotFound, "the browser's file %s does not exist", path).With("path", path).
		WithHint("If the browser runs on another machine, its downloads are there too.")
}
