package reader

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestReadyProcess: a conversion leaves a process for the next, which one takes even if it was killed meanwhile, and which
// ends when none is wanted any more.
func TestReadyProcess(t *testing.T) {
	stop := KeepReady()
	var last int
	for i, kill := range []bool{false, true, false} {
		p, err := Convert(t.Context(), "http://a.test/", fmt.Sprintf("<p>some text %d", i))
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("some text %d", i); p.Text != want {
			t.Errorf("got %q, want %q", p.Text, want)
		}
		next := awaitReady(t)
		if next == last {
			t.Errorf("process %d was kept for the next document after it had one", next)
		}
		if last = next; kill {
			if err := syscall.Kill(next, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if err := unix.Waitid(unix.P_PID, next, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	stop()
	if err := syscall.Kill(last, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", last, err)
	}
}

// awaitReady waits for the process that is to be ready, and returns its id.
func awaitReady(t *testing.T) int {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		ready.Lock()
		c := ready.next
		ready.Unlock()
		if c != nil {
			return c.cmd.Process.Pid
		}
	}
	t.Fatal("no process became ready")
	return 0
}
