package cli

import "syscall"

const detachedProcess = 0x00000008 // DETACHED_PROCESS of winbase.h

// detached gives the daemon no console and a group of its own.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}
