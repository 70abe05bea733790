//go:build unix

package children

import (
	"os/exec"
	"syscall"
)

// Group puts the program, before it is started, into a process group of its own. Ctrl-C in the terminal does not reach the
// group; its standard input closes when usher ends.
func Group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill kills the started program and its group.
func Kill(cmd *exec.Cmd) {
	// An error means that the group has ended already.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
