//go:build unix

package files

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestOpenDoesNotBlock opens files whose opening could block for ever. That it returns is the test.
func TestOpenDoesNotBlock(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "files") // short, for the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	pipe, link, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "socket")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("pipe", link)); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for path, want := range map[string]string{
		pipe: "a named pipe", link: "a named pipe", socket: "a socket", "/dev/zero": "a device", "/dev/tty": "a device", "/dev": "a directory",
	} {
		_, err := Read(t.Context(), path, 100)
		if err == nil || !strings.Contains(err.Error(), "it is "+want+", not a regular file") || !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
		if f, err := Open(t.Context(), path); err == nil {
			f.Close()
			t.Errorf("%s was opened", path)
		}
		if filepath.Dir(path) == dir {
			if _, err := ReadIn(t.Context(), root, filepath.Base(path), 100); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s below a root: %v, want %s", path, err, want)
			}
		}
	}
}

// TestReplacedByPipe puts a pipe in the place of a file after it was looked at.
func TestReplacedByPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	swap := func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		if err := errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600)); err != nil {
			return nil, err
		}
		return os.OpenFile(name, flag, mode)
	}
	if _, err := open(path, os.Stat, swap); err == nil || !strings.Contains(err.Error(), "a named pipe") {
		t.Errorf("a pipe that took a file's place: %v", err)
	}
}

// TestUnknownSize reads a file of the kernel, which reports the size 0.
func TestUnknownSize(t *testing.T) {
	t.Parallel()
	const path = "/proc/self/environ"
	want, err := os.ReadFile(path)
	if runtime.GOOS != "linux" {
		return // there is no such file
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read(t.Context(), path, 1<<20); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d: %v", len(got), len(want), err)
	}
}

// TestNamedPipe writes to a named pipe only if it has a reader.
func TestNamedPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSpecial(t.Context(), pipe); !errors.Is(err, ErrNoReader) {
		t.Errorf("a pipe that nobody reads: %v", err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	f, err := OpenSpecial(t.Context(), pipe)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("for you"); err != nil {
		t.Error(err)
	}
	f.Close()
	var got [20]byte
	if n, err := reader.Read(got[:]); err != nil || string(got[:n]) != "for you" {
		t.Errorf("%q came, %v", got[:n], err)
	}
}
