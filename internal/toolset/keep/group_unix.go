//go:build unix

package keep

import (
	"os/exec"
	"syscall"
)

// setProcessGroup puts the program into its own process group, so that its children can be ended with it: npx starts a
// shell that starts the server. Ctrl-C in the terminal does not reach the group; its standard input closes when usher
// ends.
func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll kills the process group.
func killAll(cmd *exec.Cmd) {
	// An error means that the group has ended already.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
