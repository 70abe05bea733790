//go:build unix

package mount

import (
	"os"
	"syscall"
	"testing"
)

// stopSelf freezes this process, as a server that hangs with all its threads.
func stopSelf() {
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err == nil {
		select {} // the signal may take a moment
	}
}

// stop freezes a process.
func stop(t *testing.T, p *os.Process) {
	t.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}
