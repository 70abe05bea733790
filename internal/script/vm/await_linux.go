package vm

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// awaitTime is how long the code's goroutine waits for an answer by itself, if the last one came in that time. The thread sleeps meanwhile, and
// Go's scheduler does not know: a thread that Go puts to sleep and wakes up takes ten system calls for that.
const awaitTime = 20 * time.Millisecond

// await waits until there is input, for at most limit. No other goroutine runs meanwhile.
func await(limit time.Duration) {
	input := unix.PollFd{Fd: 0, Events: unix.POLLIN}
	most := unix.NsecToTimespec(int64(limit))
	_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&input)), 1, uintptr(unsafe.Pointer(&most)), 0, 0, 0)
}
