package wire_test

import (
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/wire"
)

// TestLimitedSocket: a client that was accepted behind Limit is written to as the socket that it is, each frame with one call.
func TestLimitedSocket(t *testing.T) {
	listener := listen(t, 4)
	accepted := make(chan *wire.Client, 1)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := wire.Accept(w, r)
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-ended })
	near, err := wire.Dial(t.Context(), "ws://"+listener.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	far := <-accepted
	defer far.Close()
	if !wire.Direct(far) {
		t.Error("the client's connection hides its socket: a frame takes two calls")
	}
	if err := far.Write([]byte("text")); err != nil {
		t.Fatal(err)
	}
	if got, err := near.Read(); err != nil || string(got) != "text" {
		t.Errorf("read %q, %v", got, err)
	}
}

// TestLimit lets a second connection wait for the end of the first, and one that waits end with the listener.
func TestLimit(t *testing.T) {
	listener := listen(t, 1)
	accepted := make(chan net.Conn)
	ended := make(chan error, 1)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- c
		}
	}()
	for range 3 {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first := <-accepted
	select {
	case <-accepted:
		t.Fatal("a second connection was accepted beside the first")
	case <-time.After(100 * time.Millisecond):
	}
	for range 2 { // what is closed twice frees one place
		if err := first.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Fatal(err)
		}
	}
	second := <-accepted
	defer second.Close()
	select {
	case <-accepted:
		t.Fatal("a third connection was accepted beside the second")
	case <-time.After(100 * time.Millisecond):
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept ended with %v", err)
	}
}

func listen(t *testing.T, n int) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l = wire.Limit(l, n)
	t.Cleanup(func() { _ = l.Close() })
	return l
}
