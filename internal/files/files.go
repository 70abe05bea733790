// Package files opens and reads files at untrusted paths: from a setting, an argument, or a project. Opening such a
// path may otherwise block for ever (a named pipe, a network file system), and reading it never end (a device, a file
// of the kernel, a file that grows).
//
// Only regular files are opened, without blocking; the open file is checked again, because the name may refer to
// another file by then. Reading has a limit in bytes and in time. Errors are [*fs.PathError], as those of package os.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Limit is how long opening and reading one file may take. A file system that takes longer counts as hanging.
const Limit = 5 * time.Second

// maxWaiting is the largest number of concurrent waits for files. One that hangs holds a thread until its file system
// answers.
const maxWaiting = 64

// waiting has an element for each file that is being opened or read.
var waiting = make(chan struct{}, maxWaiting)

// ErrSlow is in the chain of the error for a file system that does not answer in time.
var ErrSlow = errors.New("the file system does not respond")

// ErrNoReader is in the chain of the error for a named pipe without a reader.
var ErrNoReader = errors.New("the pipe has no reader")

// IrregularError is the error for a path of something else than a regular file.
type IrregularError struct{ Mode fs.FileMode }

func (e *IrregularError) Error() string {
	what := "something else"
	switch m := e.Mode; {
	case m.IsDir():
		what = "a directory"
	case m&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case m&fs.ModeSocket != 0:
		what = "a socket"
	case m&fs.ModeDevice != 0:
		what = "a device"
	}
	return "it is " + what + ", not a regular file"
}

// Unwrap makes errors.Is(err, fs.ErrInvalid) true.
func (e *IrregularError) Unwrap() error { return fs.ErrInvalid }

// SizeError is the error for a file larger than its limit.
type SizeError struct{ Most int64 }

func (e *SizeError) Error() string { return "it is larger than " + size(e.Most) }

func size(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Stat is [os.Stat] that waits for the file system at most until ctx or [Limit] ends.
func Stat(ctx context.Context, path string) (fs.FileInfo, error) {
	return within(ctx, path, func() (fs.FileInfo, error) { return os.Stat(path) }, nil)
}

// Open opens a regular file for reading. It never waits for another process, and for the file system at most until ctx or
// [Limit] ends. Errors are those of [os.Open], [*IrregularError] and [ErrSlow].
func Open(ctx context.Context, path string) (*os.File, error) {
	return within(ctx, path, func() (*os.File, error) { return open(path, os.Stat, os.OpenFile) }, (*os.File).Close)
}

// OpenIn is [Open] for a file below root, which the path cannot leave.
func OpenIn(ctx context.Context, root *os.Root, path string) (*os.File, error) {
	return within(ctx, path, func() (*os.File, error) { return open(path, root.Stat, root.OpenFile) }, (*os.File).Close)
}

// OpenSpecial opens what is no regular file, such as a named pipe or /dev/null, for writing. It does not block: a pipe
// without a reader is an error. Writing has to end within [Limit].
func OpenSpecial(ctx context.Context, path string) (*os.File, error) {
	return within(ctx, path, func() (*os.File, error) {
		f, err := os.OpenFile(path, os.O_WRONLY|withoutWaiting, 0)
		if noReader(err) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNoReader}
		}
		if err != nil {
			return nil, err
		}
		if err := f.SetWriteDeadline(time.Now().Add(Limit)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
			return nil, errors.Join(err, f.Close())
		}
		return f, nil
	}, (*os.File).Close)
}

// Read reads a regular file of at most so many bytes. Errors besides those of [Open]: [*SizeError].
func Read(ctx context.Context, path string, most int64) ([]byte, error) {
	return read(ctx, path, most, os.Stat, os.OpenFile)
}

// ReadIn is [Read] for a file below root, which the path cannot leave.
func ReadIn(ctx context.Context, root *os.Root, path string, most int64) ([]byte, error) {
	return read(ctx, path, most, root.Stat, root.OpenFile)
}

// ReadFrom reads a file that is open, as [Read] does.
func ReadFrom(ctx context.Context, f *os.File, most int64) ([]byte, error) {
	return within(ctx, f.Name(), func() ([]byte, error) { return readAll(f, most) }, nil)
}

type (
	statFunc func(string) (fs.FileInfo, error)
	openFunc func(string, int, fs.FileMode) (*os.File, error)
)

func read(ctx context.Context, path string, most int64, stat statFunc, openFile openFunc) ([]byte, error) {
	return within(ctx, path, func() ([]byte, error) {
		f, err := open(path, stat, openFile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readAll(f, most)
	}, nil)
}

// open checks the file before it opens it, because opening a device may already have an effect, and afterwards, because
// the name may refer to another file meanwhile.
func open(path string, stat statFunc, openFile openFunc) (*os.File, error) {
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: &IrregularError{info.Mode()}}
	}
	f, err := openFile(path, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: &IrregularError{info.Mode()}}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readAll reads a file to its end, also one whose size is reported wrongly, as in /proc, or that grows.
func readAll(f *os.File, most int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: &SizeError{most}}
	}
	// Files whose reads block, as some of the kernel's do, support deadlines; the others need none.
	if err := f.SetReadDeadline(time.Now().Add(Limit)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return nil, err
	}
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: ErrSlow}
		case err != nil:
			return nil, err
		case int64(len(data)) > most:
			return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: &SizeError{most}}
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// within runs do and waits for it until ctx or the limit ends. A later result is undone. The goroutine that is then
// left ends when the file system answers; there are at most [maxWaiting] of them.
func within[T any](ctx context.Context, path string, do func() (T, error), undo func(T) error) (T, error) {
	var none T
	ctx, cancel := context.WithTimeoutCause(ctx, Limit, ErrSlow)
	defer cancel()
	late := func() (T, error) {
		return none, &fs.PathError{Op: "open", Path: path, Err: context.Cause(ctx)}
	}
	select {
	case waiting <- struct{}{}:
	case <-ctx.Done():
		return late()
	}
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome)
	go func() {
		defer func() { <-waiting }()
		value, err := do()
		select {
		case done <- outcome{value, err}:
		case <-ctx.Done():
			if err == nil && undo != nil {
				_ = undo(value) // it is empty
			}
		}
	}()
	select {
	case out := <-done:
		return out.value, out.err
	case <-ctx.Done():
		return late()
	}
}
