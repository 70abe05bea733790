package media

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/usher-browser/usher/internal/api"
)

// TestDiskFull limits the size of files this process may write: the kernel then
// takes a part and refuses the rest, as a full disk does.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	path, source := filepath.Join(dir, "shot.png"), filepath.Join(dir, "download")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, []byte(strings.Repeat("d", 64<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ) // else the kernel ends the process
	defer signal.Reset(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 16 << 10, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	var written int
	err := Write(path, func(w io.Writer) error {
		n, err := w.Write(make([]byte, 64<<10))
		written = n
		return err
	})
	if restore := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); restore != nil {
		t.Fatal(restore)
	}
	if written != 16<<10 {
		t.Errorf("%d bytes were written before the limit", written)
	}
	if api.CodeOf(err) != api.FileWriteFailed || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v", err)
	}
	content(t, path, "before")
	onlyFiles(t, dir, "download", "shot.png")

	// A device that is always full: no temporary file, a clear error, the source kept.
	err = Move(source, "/dev/full")
	if api.CodeOf(err) != api.FileWriteFailed || !strings.Contains(api.AsError(err).Sentence(), "disk is full") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(source); err != nil {
		t.Errorf("the file that could not be moved is gone: %v", err)
	}
	if info, err := os.Stat("/dev/full"); err != nil || info.Mode().IsRegular() {
		t.Errorf("the device was replaced: %v %v", info, err)
	}
}

// TestMoveAcrossFileSystems uses the memory file system every Linux has.
func TestMoveAcrossFileSystems(t *testing.T) {
	shm, err := os.MkdirTemp("/dev/shm", "usher-media-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(shm)
	dir := t.TempDir()
	from, to := filepath.Join(shm, "from"), filepath.Join(dir, "to")
	if err := os.WriteFile(from, []byte("over the border"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Move(from, to); err != nil {
		t.Fatal(err)
	}
	content(t, to, "over the border")
	onlyFiles(t, shm)
	onlyFiles(t, dir, "to")
}
