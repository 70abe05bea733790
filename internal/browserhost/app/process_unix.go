//go:build unix

package app

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// detach gives the app a process group of its own, which a Ctrl-C in the terminal of this process does not reach.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the processes of the group to end. The only error is that they have.
func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// kill ends what is left of the group. The only error is that nothing is.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// groupOf returns the process group of an app, which is named by its first process.
func groupOf(cmd *exec.Cmd) int { return cmd.Process.Pid }

// signalOf returns the name of the signal that ended a process; "" for none.
func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}

// exists reports whether there is a process with a number.
func exists(pid int) bool { return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// signal asks a process to end, or ends it. One that has ended is no error.
func signal(pid int, now bool) error {
	with := syscall.SIGTERM
	if now {
		with = syscall.SIGKILL
	}
	if err := syscall.Kill(pid, with); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
