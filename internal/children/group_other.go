//go:build !unix

package children

import "os/exec"

// Group does nothing here.
func Group(*exec.Cmd) {}

// Kill ends the program. Its child processes must end when their standard input closes.
func Kill(cmd *exec.Cmd) {
	// An error means that it has ended already.
	_ = cmd.Process.Kill()
}
