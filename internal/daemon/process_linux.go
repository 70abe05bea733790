package daemon

import (
	"os"

	"golang.org/x/sys/unix"
)

var hangUp = []os.Signal{unix.SIGHUP}

// redirectStdout replaces standard output, the starter's pipe, by the log, so that the starter reads its end and later
// output is not lost.
func redirectStdout() error { return unix.Dup3(2, 1, 0) }
