//go:build unix

package dirs

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Mine returns an *Insecure error for a file of another user.
func Mine(path string, fi fs.FileInfo) error {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() {
		return &Insecure{Path: path, Why: fmt.Sprintf("belongs to user %d, and not to you (%d)", st.Uid, os.Geteuid())}
	}
	return nil
}
