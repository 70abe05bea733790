package wire_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/wire"
)

// TestQueue: messages come out in order, one by one or several; beyond the limit they are lost, and the reader learns why.
func TestQueue(t *testing.T) {
	q := wire.NewQueue(100)
	for _, m := range []string{"a", "b", "c"} {
		q.Put([]byte(m))
	}
	first, err := q.Read()
	rest, err2 := q.ReadAll()
	if err != nil || err2 != nil || string(first) != "a" || string(bytes.Join(rest, []byte(","))) != "b,c" {
		t.Errorf("%s %q %v %v", first, rest, err, err2)
	}
	q.Put(make([]byte, 200)) // one alone may be larger
	q.End(io.EOF)
	q.Put([]byte("late"))
	if got, err := q.ReadAll(); err != nil || len(got) != 1 || len(got[0]) != 200 {
		t.Errorf("%d messages, %v", len(got), err)
	}
	if _, err := q.Read(); !errors.Is(err, io.EOF) || q.Err() == nil {
		t.Error(err)
	}

	q = wire.NewQueue(100)
	q.Put(make([]byte, 60))
	q.Put(make([]byte, 60))
	select {
	case <-q.Lost():
	default:
		t.Error("nothing was lost")
	}
	if _, err := q.ReadAll(); err == nil {
		t.Error("messages of a queue that was lost")
	}
}

// TestQueueDirect: a message that comes alone goes past the queue, but not past one that waits, or one that the reader is still busy with.
func TestQueueDirect(t *testing.T) {
	q := wire.NewQueue(100)
	var past []string
	accepts := true
	q.Direct(func(m []byte) bool {
		if accepts {
			past = append(past, string(m))
		}
		return accepts
	})
	put := func(m string) {
		time.Sleep(5 * time.Millisecond)
		q.Put([]byte(m))
	}
	read := func(want string) {
		t.Helper()
		if got, err := q.Read(); err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	put("a")
	accepts = false
	put("b")
	accepts = true
	put("c") // b waits
	read("b")
	put("d") // c waits
	read("c")
	read("d")
	put("e") // d may still be being written
	read("e")
	go func() { // it reads again, so e has been written
		time.Sleep(20 * time.Millisecond)
		q.End(io.EOF)
	}()
	if _, err := q.Read(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	q = wire.NewQueue(100)
	q.Direct(func(m []byte) bool { past = append(past, string(m)); return true })
	q.Put([]byte("f"))
	q.Put([]byte("g")) // at once behind f: several are better written together
	read("g")
	if len(past) != 2 || past[0] != "a" || past[1] != "f" {
		t.Errorf("past the queue: %q", past)
	}
}

// TestTry: a client that does not read never blocks an attempt; what was accepted arrives whole and in order.
func TestTry(t *testing.T) {
	near, far := dialed(t)
	msg := func(i int) []byte { return message(i, 3_000) }
	sent := 0
	for ; far.Try(msg(sent)); sent++ {
		if sent > 100_000 {
			t.Fatal("300 MB were accepted")
		}
	}
	if sent == 0 {
		t.Fatal("nothing was accepted")
	}
	if far.Try(make([]byte, 10_000)) {
		t.Error("a long message was accepted")
	}
	written := make(chan error, 1)
	go func() { written <- far.Write(msg(sent)) }()
	for i := range sent + 1 {
		if got, err := near.Read(); err != nil || !bytes.Equal(got, msg(i)) {
			t.Fatalf("message %d of %d: %d bytes, %v", i, sent, len(got), err)
		}
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
}
