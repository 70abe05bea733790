package pipe

import (
	"syscall"
	"unsafe"
)

// canQuick says that read and write do not tell Go's scheduler of the system call. The usual way does, for the call may block; when the program was
// idle, that wakes the runtime's monitor (sysmon), which costs each message that comes some 20 us and two switches of threads.
const canQuick = true

func read(fd uintptr, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return int(n), errno
}

func write(fd uintptr, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return int(n), errno
}
