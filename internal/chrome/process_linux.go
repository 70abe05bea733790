package chrome

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// setParentDeathSignal makes the kernel signal the browser when the starting thread ends, in case the closed pipe goes
// unnoticed. A browser with a temporary profile is killed; one with a profile of the user's gets the signal on which
// Chromium saves and exits.
func setParentDeathSignal(attr *syscall.SysProcAttr, temporary bool) {
	attr.Pdeathsig = syscall.SIGTERM
	if temporary {
		attr.Pdeathsig = syscall.SIGKILL
	}
}

// processes reads /proc. Processes that end meanwhile, and those of others that hide theirs, are left out.
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list /proc: %w", err)
	}
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		command, err := os.ReadFile("/proc/" + name + "/cmdline")
		if err != nil || len(command) == 0 {
			continue // ended, a zombie, or a kernel thread
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		all = append(all, process{pid: pid, group: groupOf(stat), command: string(command)})
	}
	return all, nil
}

// runs returns the arguments of a process that runs one of the programs. Those of others' processes cannot be told.
func (p *process) runs(programs map[string]bool) (args []string, ok bool) {
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.pid))
	if err != nil || !programs[program] {
		return nil, false
	}
	words := strings.Split(strings.TrimRight(p.command, "\x00"), "\x00")
	return words[1:], true
}

// groupOf reads the third field after the program's name, which is in parentheses and may contain anything.
func groupOf(stat []byte) int {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 3 {
		return 0
	}
	id, err := strconv.Atoi(string(fields[2]))
	if err != nil {
		return 0
	}
	return id
}

// smallSharedMemory reports whether /dev/shm is too small for Chromium's bitmaps: containers often give it 64 MB, and
// pages crash.
func smallSharedMemory() bool {
	var fs syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &fs); err != nil {
		return true // there is none
	}
	return fs.Bavail*uint64(fs.Bsize) < 512<<20
}

// pipeSize is the size of the pipes' buffers, in bytes: the largest that every user may have. With the default, 64 KiB, reader and writer
// of a large message wake each other for every piece.
const pipeSize = 1 << 20

// widen enlarges the buffers of pipes. Without it they work, too.
func widen(pipes ...*os.File) {
	for _, f := range pipes {
		if raw, err := f.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) }) // a user may have used up what is allowed
		}
	}
}
