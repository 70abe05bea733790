//go:build linux || darwin

package fastpath

import (
	"syscall"
	"unsafe"

	"github.com/usher-browser/usher/internal/api/frame"
)

func workingDirectory() (string, error) { return syscall.Getwd() }

func terminal() frame.Terminal {
	t := frame.Terminal{In: isTerminal(0), Out: isTerminal(1), Err: isTerminal(2)}
	for fd, is := range [...]bool{1: t.Out, 2: t.Err} {
		if !is {
			continue
		}
		var size struct{ rows, columns, x, y uint16 }
		if _, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size))); errno == 0 {
			t.Width = int(size.columns)
			break
		}
	}
	return t
}

func isTerminal(fd uintptr) bool {
	var state syscall.Termios
	_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, fd, ioctlGetTermios, uintptr(unsafe.Pointer(&state)))
	return errno == 0
}

// plainFile is a file without the runtime's poller, which os.Open would set up
// in vain: four system calls.
type plainFile int

func openPlain(path string) (plainFile, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	return plainFile(fd), err
}

func (f plainFile) readStart(p []byte) (int, error) { return syscall.Pread(int(f), p, 0) }
func (f plainFile) close()                          { syscall.Close(int(f)) }
