//go:build linux || darwin

package reader

import (
	"os"
	"runtime"
	"syscall"
)

// confine has the kernel end this process when nothing else does: it takes far too much memory or time. It writes no files.
func confine() {
	for what, most := range map[int]uint64{
		syscall.RLIMIT_DATA:  kernelData,
		syscall.RLIMIT_CPU:   2*uint64((childLimit+keptTime).Seconds()) + 2, // of two processors
		syscall.RLIMIT_FSIZE: 0,
		syscall.RLIMIT_CORE:  0,
	} {
		// What is not limited by the kernel is so by watch.
		_ = syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most})
	}
}

// self is this process's own program, even if it was replaced on disk.
func self() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}
