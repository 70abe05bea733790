package fastpath

import (
	"os"
	"syscall"
)

const ioctlGetTermios = syscall.TIOCGETA

func executable() (string, error) { return os.Executable() }
