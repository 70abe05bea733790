package daemon

import (
	"os"

	"golang.org/x/sys/unix"
)

var hangUp = []os.Signal{unix.SIGHUP}

// leaveStdout puts the log in the place of the starter's pipe, so that the
// starter sees its end and a stray print has somewhere to go.
func leaveStdout() error { return unix.Dup3(2, 1, 0) }
