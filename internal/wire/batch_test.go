package wire_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/wire"
)

// dialed returns both ends of a WebSocket.
func dialed(t *testing.T) (near wire.Conn, far *wire.Client) {
	accepted := make(chan *wire.Client, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := wire.Accept(w, r)
		if err != nil {
			t.Error(err)
			return
		}
		accepted <- c
	}))
	t.Cleanup(s.Close)
	near, err := wire.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	far = <-accepted
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return near, far
}

// TestBatches: messages that are written together arrive one by one, whatever their size.
func TestBatches(t *testing.T) {
	near, far := dialed(t)
	var msgs [][]byte
	for i, size := range []int{30, 125, 126, 200, 65535, 65536, 200_000, 40, 20_000, 20_000, 20_000, 20_000, 50} {
		msgs = append(msgs, message(i, size))
	}
	written := make(chan error, 1)
	go func() { written <- far.WriteAll(msgs) }()
	for i, want := range msgs {
		if got, err := near.Read(); err != nil || string(got) != string(want) {
			t.Fatalf("message %d: %d bytes, %v; want %d", i, len(got), err, len(want))
		}
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
}

// TestWholeFrame: whether a frame has come whole is told from what is buffered, for each form of the length.
func TestWholeFrame(t *testing.T) {
	frame := func(opcode byte, size int) []byte {
		head := []byte{0x80 | opcode}
		switch {
		case size < 126:
			head = append(head, 0x80|byte(size))
		case size < 1<<16:
			head = binary.BigEndian.AppendUint16(append(head, 0x80|126), uint16(size))
		default:
			head = binary.BigEndian.AppendUint64(append(head, 0x80|127), uint64(size))
		}
		return append(head, make([]byte, 4+size)...)
	}
	for _, size := range []int{0, 1, 125, 126, 4_000, 1<<16 - 1, 1 << 16, 100_000} {
		whole := frame(1, size)
		for _, have := range []int{0, 1, 2, 3, 5, 9, 13, len(whole) - 1, len(whole), len(whole) + 3} {
			in := bufio.NewReaderSize(bytes.NewReader(append(bytes.Clone(whole), 0, 0, 0)[:min(have, len(whole)+3)]), 1<<18)
			_, _ = in.Peek(1 << 18) // reads all there is
			if got, want := wire.WholeFrame(in), have >= len(whole); got != want {
				t.Errorf("%d of %d bytes: %v", have, len(whole), got)
			}
		}
	}
	ping := bufio.NewReader(bytes.NewReader(frame(9, 4)))
	_, _ = ping.Peek(1)
	if wire.WholeFrame(ping) {
		t.Error("a ping is no message")
	}
}
