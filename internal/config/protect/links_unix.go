//go:build unix

package protect

import (
	"io/fs"
	"syscall"
)

// names returns how many names a file has.
func names(_ string, info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}
