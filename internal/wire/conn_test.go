package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pairs are two joined ends of each transport.
func pairs(t *testing.T) map[string]func(t *testing.T) (a, b wire.Conn) {
	return map[string]func(t *testing.T) (a, b wire.Conn){
		"memory": func(*testing.T) (wire.Conn, wire.Conn) { return cdptest.Memory() },
		"pipe": func(t *testing.T) (wire.Conn, wire.Conn) {
			r1, w1, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r2, w2, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			return wire.Pipe(r1, w2), wire.Pipe(r2, w1)
		},
		"websocket": func(t *testing.T) (wire.Conn, wire.Conn) { return dialed(t) },
	}
}

func TestMessagesArriveWholeAndInOrder(t *testing.T) {
	for name, join := range pairs(t) {
		t.Run(name, func(t *testing.T) {
			a, b := join(t)
			defer a.Close()
			defer b.Close()
			// Sizes around the read buffer and the limit of kept buffers; 30 MB last, what is larger is TestOversize.
			sizes := []int{2, 1000, wire.ReadBuffer - 1, wire.ReadBuffer, wire.ReadBuffer + 1, wire.KeepBuffer, wire.KeepBuffer + 1, 3 << 20, 30 << 20, 10}
			sent := make(chan error, 1)
			go func() {
				for i, n := range sizes {
					if err := a.Write(message(i, n)); err != nil {
						sent <- err
						return
					}
				}
				sent <- nil
			}()
			var kept [][]byte
			for i, n := range sizes {
				msg, err := b.Read()
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(msg, message(i, n)) {
					t.Fatalf("message %d of %d bytes came as %d bytes, %.40q", i, n, len(msg), msg)
				}
				if n < 1<<20 {
					kept = append(kept, msg)
				}
			}
			for i, msg := range kept { // the caller owns what it read
				if i < 8 && !bytes.Equal(msg, message(i, sizes[i])) && i != 7 {
					t.Errorf("message %d changed after later ones were read", i)
				}
			}
			if err := <-sent; err != nil {
				t.Error(err)
			}
		})
	}
}

// message returns the i-th test message, of n bytes.
func message(i, n int) []byte {
	msg := bytes.Repeat([]byte{byte('a' + i)}, n)
	msg[0], msg[n-1] = '{', '}'
	return msg
}

func TestManyWriters(t *testing.T) {
	for name, join := range pairs(t) {
		t.Run(name, func(t *testing.T) {
			a, b := join(t)
			defer a.Close()
			defer b.Close()
			const writers, each = 8, 200
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					for i := range each {
						if err := a.Write(fmt.Appendf(nil, `{"writer":%d,"i":%d,"pad":"%s"}`, w, i, strings.Repeat("x", i*7))); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			next := [writers]int{}
			for range writers * each {
				msg, err := b.Read()
				if err != nil {
					t.Fatal(err)
				}
				var w, i int
				if _, err := fmt.Sscanf(string(msg), `{"writer":%d,"i":%d,`, &w, &i); err != nil || next[w] != i || !bytes.HasSuffix(msg, []byte(`"}`)) {
					t.Fatalf("%.60q is not message %d of its writer: %v", msg, next[w], err)
				}
				next[w]++
			}
			wg.Wait()
		})
	}
}

func TestKeptEnds(t *testing.T) {
	for name, join := range pairs(t) {
		t.Run(name, func(t *testing.T) {
			a, b := join(t)
			reading := make(chan error, 1)
			go func() {
				_, err := a.Read()
				reading <- err
			}()
			if err := b.Write([]byte("{}")); err != nil { // a has begun to read when this arrives
				t.Fatal(err)
			}
			if err := <-reading; err != nil {
				t.Fatal(err)
			}
			go func() {
				_, err := a.Read()
				reading <- err
			}()
			if err := a.Close(); err != nil && name != "websocket" {
				t.Errorf("close: %v", err)
			}
			select {
			case err := <-reading:
				if err == nil {
					t.Error("a read after Close brought a message")
				}
			case <-time.After(10 * time.Second):
				t.Fatal("Close left a reader blocked")
			}
			a.Close() // twice is harmless
			if _, err := b.Read(); err == nil {
				t.Error("the other side does not notice the end")
			}
			if err := a.Write([]byte("{}")); err == nil {
				t.Error("a write after Close succeeds")
			}
			b.Close()
		})
	}
}

func TestEndIsEOF(t *testing.T) {
	a, b := cdptest.Memory()
	if err := a.Write([]byte("{}")); err != nil {
		t.Fatal(err)
	}
	a.Close()
	if msg, err := b.Read(); err != nil || string(msg) != "{}" {
		t.Errorf("what was written before the end is %q, %v", msg, err)
	}
	if _, err := b.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("memory ends with %v", err)
	}

	r, w := io.Pipe()
	p := wire.Pipe(r, nopCloser{io.Discard})
	defer p.Close()
	go func() {
		w.Write([]byte("{\"a\":1}\x00{\"cut"))
		w.Close()
	}()
	if msg, err := p.Read(); err != nil || string(msg) != `{"a":1}` {
		t.Errorf("read %q, %v", msg, err)
	}
	if msg, err := p.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("half a message is %q, %v", msg, err)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestDialErrors(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	url := "ws" + strings.TrimPrefix(s.URL, "http") + "/devtools/browser/x"
	if _, err := wire.Dial(t.Context(), url, nil); err == nil || !strings.Contains(err.Error(), "HTTP 404") || !strings.Contains(err.Error(), url) {
		t.Errorf("dial of a page that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := wire.Dial(ctx, url, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("dial with an ended context: %v", err)
	}
}
