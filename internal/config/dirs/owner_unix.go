//go:build unix

package dirs

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

func checkOwner(path string, fi fs.FileInfo) error {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("the socket directory %s belongs to user %d; set USHER_SOCKET_DIR to a directory of your own", path, st.Uid)
	}
	return nil
}
