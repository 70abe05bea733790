//go:build !linux && !darwin

package fastpath

import (
	"io"
	"os"

	"github.com/usher-browser/usher/internal/api/frame"
)

func workingDirectory() (string, error) { return os.Getwd() }

func terminal() frame.Terminal {
	return frame.Terminal{In: isTerminal(os.Stdin), Out: isTerminal(os.Stdout), Err: isTerminal(os.Stderr)}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func executable() (string, error) { return os.Executable() }

// plainFile is an ordinary file here; elsewhere it avoids the runtime's poller.
type plainFile struct{ *os.File }

func openPlain(path string) (plainFile, error) {
	f, err := os.Open(path)
	return plainFile{f}, err
}

func (f plainFile) readStart(p []byte) (int, error) {
	n, err := f.ReadAt(p, 0)
	if err == io.EOF {
		err = nil // a short file is all start
	}
	return n, err
}

func (f plainFile) close() { f.Close() }
