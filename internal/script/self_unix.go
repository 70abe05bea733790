//go:build unix

package script

import (
	"os"
	"runtime"
)

// root is the directory in which processes run.
const root = "/"

// self is this process's own program, even if it was replaced on disk.
func self() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}
