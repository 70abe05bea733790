package cdptest

import (
	"bytes"
	"io"
	"sync"

	"github.com/usher-browser/usher/internal/wire"
)

// Memory returns two joined ends: what is written to one is read from the
// other. Writes never block. Closing either end ends both, after what was
// already written has been read.
func Memory() (a, b wire.Conn) {
	ab, ba := newMailbox(), newMailbox()
	return &memory{in: ba, out: ab}, &memory{in: ab, out: ba}
}

type memory struct{ in, out *mailbox }

func (m *memory) Read() ([]byte, error)  { return m.in.take() }
func (m *memory) Write(msg []byte) error { return m.out.put(msg) }
func (m *memory) Close() error           { m.in.close(); m.out.close(); return nil }

// Capabilities returns those of a pipe.
func (m *memory) Capabilities() wire.Capabilities {
	return wire.Capabilities{Contexts: true, Downloads: true}
}

type mailbox struct {
	mu     sync.Mutex
	cond   *sync.Cond
	queue  [][]byte // guarded by mu
	closed bool     // guarded by mu
}

func newMailbox() *mailbox {
	b := &mailbox{}
	b.cond = sync.NewCond(&b.mu)
	return b
}

func (b *mailbox) put(msg []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return wire.ErrClosed
	}
	b.queue = append(b.queue, bytes.Clone(msg))
	b.cond.Signal()
	return nil
}

func (b *mailbox) take() ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) == 0 && !b.closed {
		b.cond.Wait()
	}
	if len(b.queue) == 0 {
		return nil, io.EOF
	}
	msg := b.queue[0]
	b.queue[0] = nil
	b.queue = b.queue[1:]
	return msg, nil
}

func (b *mailbox) close() {
	b.mu.Lock()
	b.closed = true
	b.cond.Broadcast()
	b.mu.Unlock()
}
