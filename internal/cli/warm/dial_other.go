//go:build !linux && !darwin

package warm

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"

	"github.com/usher-browser/usher/internal/api/line"
)

// On Windows the socket lies in the user's own profile directory, and its
// access list keeps others out.
func dial(path string) (net.Conn, error) { return net.Dial("unix", path) }

// Windows' numbers for a socket file that is absent or left over.
const (
	wsaConnectionRefused = syscall.Errno(10061)
	wsaInvalidArgument   = syscall.Errno(10022)
)

func nobodyListens(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, wsaConnectionRefused) || errors.Is(err, wsaInvalidArgument)
}

func workingDirectory() (string, error) { return os.Getwd() }

func terminal() line.Terminal {
	return line.Terminal{In: isTerminal(os.Stdin), Out: isTerminal(os.Stdout), Err: isTerminal(os.Stderr)}
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
