package vm

import (
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// awaitTime is how long the code's goroutine waits for an answer by itself, if the last one came in that time. The thread sleeps meanwhile, and
// Go's scheduler does not know: a thread that Go puts to sleep and wakes up takes ten system calls for that.
const awaitTime = 20 * time.Millisecond

// spinTime is how long the thread looks for input before it sleeps, if the last answer came in that time: to wake it up takes the system a
// tenth of the time that the page needs for a short evaluation. Where there is other work for the processor, that goes first.
const spinTime = time.Millisecond

var canSpin = runtime.NumCPU() > 1

// await waits until there is input, for at most limit. No other goroutine runs meanwhile. brief says that the input is expected within
// spinTime.
func await(limit time.Duration, brief bool) {
	if brief && canSpin {
		for begun := time.Now(); time.Since(begun) < spinTime; {
			if input(0) {
				return
			}
			_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		}
	}
	input(limit)
}

// input reports whether there is input, or comes within limit.
func input(limit time.Duration) bool {
	fd := unix.PollFd{Fd: 0, Events: unix.POLLIN}
	most := unix.NsecToTimespec(int64(limit))
	n, _, _ := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fd)), 1, uintptr(unsafe.Pointer(&most)), 0, 0, 0)
	return n != 0
}
