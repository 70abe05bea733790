package warm

import (
	"os"
	"syscall"
	"unsafe"
)

const ioctlGetTermios = syscall.TIOCGETA

// xucred is struct xucred of sys/ucred.h.
type xucred struct {
	version uint32
	uid     uint32
	ngroups int16
	_       [2]byte
	groups  [16]uint32
}

func checkServer(fd int) error {
	const solLocal, localPeercred = 0, 1 // sys/un.h
	var cred xucred
	size := uint32(unsafe.Sizeof(cred))
	_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, uintptr(fd), solLocal, localPeercred,
		uintptr(unsafe.Pointer(&cred)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return errno
	}
	if int(cred.uid) != os.Getuid() {
		return ErrForeign
	}
	return nil
}

func executable() (string, error) { return os.Executable() }
