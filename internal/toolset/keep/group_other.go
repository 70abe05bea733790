//go:build !unix

package keep

import "os/exec"

func setProcessGroup(*exec.Cmd) {}

// killAll ends the program. Its child processes must end when their standard input closes.
func killAll(cmd *exec.Cmd) {
	// An error means that it has ended already.
	_ = cmd.Process.Kill()
}
