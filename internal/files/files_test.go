package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRegular(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("twelve bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, read := range map[string]func(most int64) ([]byte, error){
		"Read":   func(most int64) ([]byte, error) { return Read(t.Context(), plain, most) },
		"ReadIn": func(most int64) ([]byte, error) { return ReadIn(t.Context(), root, "plain", most) },
	} {
		if got, err := read(12); err != nil || string(got) != "twelve bytes" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		var large *SizeError
		if got, err := read(11); !errors.As(err, &large) || large.Most != 11 || got != nil {
			t.Errorf("%s of a file that is too large: %q, %v", name, got, err)
		}
	}
	if _, err := Read(t.Context(), filepath.Join(dir, "absent"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := ReadIn(t.Context(), root, "../plain", 100); err == nil {
		t.Error("a path out of the root was read")
	}
}

func TestIrregular(t *testing.T) {
	t.Parallel()
	_, err := Read(t.Context(), t.TempDir(), 100)
	var irregular *IrregularError
	if !errors.As(err, &irregular) || !strings.Contains(err.Error(), "it is a directory, not a regular file") {
		t.Errorf("a directory: %v", err)
	}
}

// TestTooLargeBySize reads nothing of a file of which the size alone says that it is too large.
func TestTooLargeBySize(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(10<<30), f.Close()); err != nil {
		t.Fatal(err)
	}
	var large *SizeError
	if _, err := Read(t.Context(), path, 1<<20); !errors.As(err, &large) {
		t.Errorf("10 GB of nothing: %v", err)
	}
}

// TestGrowingFile reads a file whose size is not what it holds: it had less when it was looked at.
func TestGrowingFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	grown := func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		if err := os.WriteFile(name, make([]byte, 5000), 0o600); err != nil {
			return nil, err
		}
		return os.OpenFile(name, flag, mode)
	}
	for most, want := range map[int64]int{5000: 5000, 4999: -1} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := read(t.Context(), path, most, os.Stat, grown)
		var large *SizeError
		if want < 0 && !errors.As(err, &large) || want > 0 && (err != nil || len(got) != want) {
			t.Errorf("at most %d bytes: %d bytes, %v", most, len(got), err)
		}
	}
}

// TestSlowFileSystem leaves a file system that does not answer alone, and what comes too late is closed.
func TestSlowFileSystem(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	hang, asked, undone := make(chan struct{}), make(chan struct{}), make(chan int)
	go func() { <-asked; cancel(why) }()
	_, err := within(ctx, "far", func() (int, error) { close(asked); <-hang; return 7, nil }, func(n int) error { undone <- n; return nil })
	if !errors.Is(err, why) || !strings.Contains(err.Error(), "far") {
		t.Errorf("a file system that hangs: %v", err)
	}
	close(hang)
	if n := <-undone; n != 7 {
		t.Errorf("what came too late was undone as %d", n)
	}
}

// TestManySlowFiles does not wait for more files at once than there may be threads.
func TestManySlowFiles(t *testing.T) {
	slots := make(chan struct{}, 1)
	old := waiting
	waiting = slots
	defer func() { waiting = old }()
	slots <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := within(ctx, "far", func() (int, error) { t.Error("it was opened"); return 0, nil }, nil); err == nil {
		t.Error("there was no room, and no error")
	}
}
