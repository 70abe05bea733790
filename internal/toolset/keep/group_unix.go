//go:build unix

package keep

import (
	"os/exec"
	"syscall"
)

// own puts the program into a process group of its own, so that what it starts can be
// ended with it: npx starts a shell that starts the server. A Ctrl-C in the terminal
// does not reach it then; its standard input closes when usher ends.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll ends the group.
func killAll(cmd *exec.Cmd) {
	// Where nothing is left of it there is nothing to end.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
