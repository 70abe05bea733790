//go:build !unix

package keep

import "os/exec"

func own(*exec.Cmd) {}

// killAll ends the program. What it started ends when its standard input closes.
func killAll(cmd *exec.Cmd) {
	// One that has ended cannot be ended.
	_ = cmd.Process.Kill()
}
