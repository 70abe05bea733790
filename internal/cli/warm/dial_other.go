//go:build !linux && !darwin

package warm

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/usher-browser/usher/internal/api/line"
)

// dial connects to the daemon. Reading and writing fail after limit with an error
// that timedOut knows. The daemon's process is not told.
//
// On Windows the socket lies in the user's own profile directory, and its
// access list keeps others out.
func dial(path string, limit time.Duration) (conn bounded, pid int, err error) {
	c, err := net.DialTimeout("unix", path, limit)
	return bounded{c, limit}, 0, err
}

// bounded is a connection whose every step has a limit.
type bounded struct {
	net.Conn
	limit time.Duration
}

func (b bounded) Read(p []byte) (int, error) {
	if err := b.SetReadDeadline(time.Now().Add(b.limit)); err != nil {
		return 0, err
	}
	return b.Conn.Read(p)
}

func (b bounded) Write(p []byte) (int, error) {
	if err := b.SetWriteDeadline(time.Now().Add(b.limit)); err != nil {
		return 0, err
	}
	return b.Conn.Write(p)
}

// timedOut is true for the error of a connection that dial's limit ended.
func timedOut(err error) bool {
	var late net.Error
	return errors.As(err, &late) && late.Timeout()
}

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
