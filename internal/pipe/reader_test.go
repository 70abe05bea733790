//go:build unix

package pipe_test

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/pipe"
)

// TestQuick reads what is written to a pipe and to a socket, waits for it, and ends with them.
func TestQuick(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	for name, ends := range map[string]struct {
		r io.ReadCloser
		w io.WriteCloser
	}{"pipe": {r, w}, "socket": {client, server}} {
		in := pipe.Quick(ends.r)
		text := strings.Repeat("0123456789", 100_000)
		go func() {
			time.Sleep(20 * time.Millisecond) // the reader waits
			_, _ = io.WriteString(ends.w, text)
			_ = ends.w.Close()
		}()
		got, err := io.ReadAll(in)
		if err != nil || string(got) != text {
			t.Errorf("%s: read %d bytes of %d: %v", name, len(got), len(text), err)
		}
		if n, err := in.Read(nil); n != 0 || err != nil {
			t.Errorf("%s: read nothing: %d, %v", name, n, err)
		}
		_ = ends.r.Close()
		if _, err := in.Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) && !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: after Close: %v", name, err)
		}
	}
}

// TestQuickEnds: Close ends a Read that waits, and a deadline does.
func TestQuickEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	in := pipe.Quick(r)
	if err := r.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("at the deadline: %v", err)
	}
	if err := r.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := in.Read(make([]byte, 1))
		ended <- err
	}()
	time.Sleep(20 * time.Millisecond)
	_ = r.Close()
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("at the end: %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("Close did not end a Read")
	}
	plain := strings.NewReader("x")
	if pipe.Quick(plain) != io.Reader(plain) {
		t.Error("what is no pipe has another reader")
	}
}
