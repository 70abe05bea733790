//go:build unix

package vm

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// polled is an input that does not block.
type polled struct{ raw syscall.RawConn }

// openInput returns the standard input as one whose reader waits in Go's poller rather than in a thread of its own.
func openInput() (source, error) {
	if err := unix.SetNonblock(0, true); err != nil {
		return nil, err
	}
	raw, err := os.NewFile(0, "input").SyscallConn()
	return polled{raw}, err
}

func (p polled) receive(take func(read func([]byte) int)) {
	for {
		err := p.raw.Read(func(uintptr) bool {
			came := false
			take(func(b []byte) int {
				n := p.read(b)
				came = n > 0
				return n
			})
			return came
		})
		if err != nil {
			os.Exit(0)
		}
	}
}

func (p polled) read(b []byte) int {
	for {
		n, err := syscall.Read(0, b)
		switch {
		case err == syscall.EINTR: //nolint:errorlint // it is a number
		case err == syscall.EAGAIN: //nolint:errorlint // it is a number
			return 0
		case err != nil || n == 0:
			os.Exit(0) // the daemon is gone
		default:
			return n
		}
	}
}
