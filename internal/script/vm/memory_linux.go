package vm

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// trim gives back the pages of the program's file that its start has read, most of which this process never needs again: 17 MB
// of 23 MB. What it does need comes back from the page cache, in less than 1 ms. No failure matters.
func trim() {
	path, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		// 00400000-00e6a000 r-xp 00000000 fe:00 1234  /usr/bin/usher
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[5] != path || strings.Contains(fields[1], "w") {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		begin, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		if err1 == nil && err2 == nil && end > begin {
			_ = unix.Madvise(unsafe.Slice((*byte)(at(uintptr(begin))), int(end-begin)), unix.MADV_DONTNEED)
		}
	}
}

// peak returns the most memory that this process has had, in bytes.
func peak() int64 {
	var use unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &use) != nil {
		return 0
	}
	return use.Maxrss << 10
}
