package reader

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestReadyProcess: a conversion leaves its process for the next, which takes a new one if it was killed meanwhile, and
// which ends when none is wanted any more.
func TestReadyProcess(t *testing.T) {
	stop := KeepReady()
	var last int
	for i, killed := range []bool{false, false, true, false} {
		if killed {
			end(t, last)
		}
		convertWords(t, fmt.Sprintf("some text %d", i))
		next := awaitReady(t)
		if last != 0 && (next == last) == killed {
			t.Errorf("document %d: process %d after %d, killed %v", i, next, last, killed)
		}
		last = next
	}
	stop()
	if err := syscall.Kill(last, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", last, err)
	}
}

// TestUsedProcess: a process ends after a document that failed, or that took much memory; the next document has a new one.
func TestUsedProcess(t *testing.T) {
	defer KeepReady()()
	for _, c := range []struct{ what, kind, document string }{
		{"large", "text/html", strings.Repeat("<p>"+strings.Repeat("many words ", 100), 10<<10)},
		{"PDF", "application/pdf", string(document("(x) Tj"))},
		{"of no type that has text", "image/png", "x"},
	} {
		convertWords(t, "before")
		first := awaitReady(t)
		p := &Page{Type: c.kind}
		err := p.convertInChild(t.Context(), strings.NewReader(c.document), order{Type: c.kind, Header: c.kind, From: "http://a.test/"})
		if (err != nil) != (c.kind == "image/png") {
			t.Errorf("%s: %v", c.what, err)
		}
		convertWords(t, "after")
		if next := awaitReady(t); next == first {
			t.Errorf("%s: process %d took another document", c.what, next)
		}
	}
}

// convertWords converts a document of a paragraph.
func convertWords(t *testing.T, words string) {
	t.Helper()
	p, err := Convert(t.Context(), "http://a.test/", "<p>"+words)
	if err != nil {
		t.Fatal(err)
	}
	if p.Text != words {
		t.Errorf("got %q, want %q", p.Text, words)
	}
}

// end kills a process and waits for that.
func end(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
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
