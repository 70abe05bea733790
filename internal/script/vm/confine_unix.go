//go:build linux || darwin

package vm

import "syscall"

// confine takes from this process what it does not need. It opens no files, so that the standard streams are all it ever has.
func confine() {
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
