//go:build unix

package app

import (
	"os/exec"
	"syscall"
)

// detach gives the app a process group of its own, which a Ctrl-C in the terminal of this process does not reach.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the processes of the group to end. The only error is that they have.
func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// kill ends what is left of the group. The only error is that nothing is.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
