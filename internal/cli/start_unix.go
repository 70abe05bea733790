//go:build unix

package cli

import "syscall"

// detached gives the daemon a session of its own: no terminal, no Ctrl-C, no
// hang-up.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
