//go:build linux || darwin

package vm

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// confine takes from this process what it does not need. It has no files but the standard streams, and those of Go itself.
func confine() {
	closeInherited()
	for what, most := range map[int]uint64{
		syscall.RLIMIT_DATA:   hardMemory,
		syscall.RLIMIT_FSIZE:  0,
		syscall.RLIMIT_CORE:   0,
		syscall.RLIMIT_NOFILE: 16, // of which Go needs some
	} {
		// What the kernel does not limit, the engine does.
		_ = syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most})
	}
}

// maxInherited is up to which number files are looked for that the daemon itself was started with.
const maxInherited = 256

// closeInherited closes the files that this process was started with, besides the standard streams. They are those that stay open when
// a program starts another: Go marks what it opens itself.
func closeInherited() {
	for fd := 3; fd < maxInherited; fd++ {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = syscall.Close(fd)
		}
	}
}
