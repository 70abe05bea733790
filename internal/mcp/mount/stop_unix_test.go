//go:build unix

package mount

import (
	"os"
	"syscall"
	"testing"
)

// stopSelf stops this process with SIGSTOP, like a server that hangs.
func stopSelf() {
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err == nil {
		select {} // the signal may take a moment
	}
}

// stop stops a process.
func stop(t *testing.T, p *os.Process) {
	t.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}
