package exchange

import (
	"syscall"
	"unsafe"
)

// xucred is struct xucred of sys/ucred.h.
type xucred struct {
	version uint32
	uid     uint32
	ngroups int16
	_       [2]byte
	groups  [16]uint32
}

// checkServer returns an error if the daemon belongs to another user, and otherwise its process id.
func checkServer(fd int) (pid int, err error) {
	const solLocal, localPeercred, localPeerpid = 0, 1, 2 // sys/un.h
	var cred xucred
	size := uint32(unsafe.Sizeof(cred))
	_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, uintptr(fd), solLocal, localPeercred,
		uintptr(unsafe.Pointer(&cred)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return 0, errno
	}
	if int(cred.uid) != syscall.Getuid() {
		return 0, ErrForeign
	}
	var peer int32
	size = uint32(unsafe.Sizeof(peer))
	_, _, errno = syscall.Syscall6(syscall.SYS_GETSOCKOPT, uintptr(fd), solLocal, localPeerpid,
		uintptr(unsafe.Pointer(&peer)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return 0, nil // the process id is used in messages only
	}
	return int(peer), nil
}
