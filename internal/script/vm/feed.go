package vm

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/usher-browser/usher/internal/script/message"
)

// feed reads messages: a goroutine, receive, waits for them and puts them into inbox, and while the code waits for an answer that may come at
// once, the goroutine of the code looks for itself, which saves the wake-up of a thread.
type feed struct {
	in      source
	inbox   chan *message.Message
	running *atomic.Pointer[runs]

	mu    sync.Mutex
	bytes []byte // guarded by mu: what was read and is no whole message yet
}

// source is the input. At its end it ends the process.
type source interface {
	// receive calls take with what is there, again and again.
	receive(take func(read func([]byte) int))
	// read reads what is there now, and returns how many bytes.
	read(b []byte) int
}

// maxInbox is how many messages wait for the code.
const maxInbox = 256

// readSize is how much is read at a time, and keepSize how much memory is kept for what follows.
const (
	readSize = 16 << 10
	keepSize = 256 << 10
)

// fill reads once and returns whether anything came. The caller holds mu.
func (f *feed) fill(read func([]byte) int) bool {
	have := len(f.bytes)
	if cap(f.bytes)-have < readSize {
		f.bytes = append(f.bytes, make([]byte, max(readSize, have))...)[:have]
	}
	n := read(f.bytes[have:cap(f.bytes)])
	f.bytes = f.bytes[:have+n]
	return n > 0
}

// next takes one message of what was read; nil if there is none. The caller holds mu.
func (f *feed) next() *message.Message {
	m, size, err := message.Next(f.bytes)
	if err != nil {
		os.Exit(0) // as at the end of the input
	}
	if size == 0 {
		return nil
	}
	f.bytes = f.bytes[:copy(f.bytes, f.bytes[size:])]
	if len(f.bytes) == 0 && cap(f.bytes) > keepSize {
		f.bytes = nil
	}
	return m
}

// receive reads messages, and ends the process at the end of the input.
func (f *feed) receive() {
	f.in.receive(func(read func([]byte) int) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.fill(read) // poll may have read what is there, and have left messages
		for m := f.next(); m != nil; m = f.next() {
			if m.Type != message.Stop {
				f.inbox <- m
			} else {
				f.expire()
			}
		}
	})
}

func (f *feed) expire() {
	if now := f.running.Load(); now != nil {
		now.expire(now.round)
	}
}

// poll returns a message that has come; nil if there is none. It is for the goroutine that reads inbox.
func (f *feed) poll() *message.Message {
	if !f.mu.TryLock() {
		runtime.Gosched() // receive is at work
		return nil
	}
	defer f.mu.Unlock()
	if len(f.inbox) > 0 { // they came before
		return <-f.inbox
	}
	for {
		if m := f.next(); m == nil {
			if !f.fill(f.in.read) {
				return nil
			}
		} else if m.Type != message.Stop {
			return m
		} else {
			f.expire()
			return nil
		}
	}
}

// rest returns a message that poll has read behind another; nil if there is none. It is for the goroutine that reads inbox, before it
// waits there: receive takes what was read only when more comes.
func (f *feed) rest() *message.Message {
	if !f.mu.TryLock() {
		return nil // receive is at work, and takes it
	}
	defer f.mu.Unlock()
	if len(f.inbox) > 0 { // they came before
		return <-f.inbox
	}
	for m := f.next(); m != nil; m = f.next() {
		if m.Type != message.Stop {
			return m
		}
		f.expire()
	}
	return nil
}

// awaitStep is how long the code's goroutine waits before other goroutines have a turn: the one that ends a run whose time is over.
const awaitStep = time.Millisecond

// awaitAnswer waits for the answer to a call for a short time: awaitTime, or until a timer of the code is due.
func (m *machine) awaitAnswer() *message.Message {
	if m.poll == nil || len(m.calls) != 1 || m.took > awaitTime {
		return nil
	}
	end := time.Now().Add(awaitTime)
	if due, have := m.timers.next(); have && due.Before(end) {
		end = due
	}
	brief := m.took < spinTime
	for !m.stop.Load() {
		if a := m.poll(); a != nil {
			return a
		}
		left := time.Until(end)
		if left <= 0 {
			break
		}
		await(min(left, awaitStep), brief)
		brief = false
		runtime.Gosched()
	}
	return nil
}
