package keep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// pen serialises messages to a program and writes each completely. A program that does not read blocks the goroutine that
// writes, never the caller of [Program.Write].
type pen struct {
	slot   chan struct{}  // capacity 1: held while a message is being written
	writes sync.WaitGroup // goroutines that write

	mu      sync.Mutex
	late    *time.Timer // guarded by mu: ends the program; nil unless the caller of the current message has left
	stalled bool        // guarded by mu: late has fired
	closed  bool        // guarded by mu: no message may begin
}

// ErrNotBegun is the error of a message of which nothing was written, because the program has not read the one before it.
var ErrNotBegun = errors.New("the message was not begun")

// readWithin is how long a program may leave a message unread after its caller has left. Then the program is ended: a
// partial message cannot be withdrawn, and no other can follow it.
const readWithin = 5 * time.Second

// Write runs write, which writes one message to Stdin, in a goroutine that Close waits for. It waits until write returns
// or ctx ends, and returns the error of either. After an error of ctx the message may still arrive, unless errors.Is(err,
// [ErrNotBegun]).
func (p *Program) Write(ctx context.Context, write func() error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrNotBegun, context.Cause(ctx))
	}
	select {
	case p.pen.slot <- struct{}{}:
	case <-p.done:
		return io.ErrClosedPipe
	case <-ctx.Done():
		p.doubt()
		return fmt.Errorf("%w: %w", ErrNotBegun, context.Cause(ctx))
	}
	written := make(chan error, 1)
	if !p.begin(func() {
		err := write()
		p.taken()
		written <- err
	}) {
		return io.ErrClosedPipe
	}
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		p.doubt()
		return context.Cause(ctx)
	}
}

// begin runs write in a goroutine. It returns false if the program was closed.
func (p *Program) begin(write func()) bool {
	p.pen.mu.Lock()
	defer p.pen.mu.Unlock()
	if p.pen.closed {
		<-p.pen.slot
		return false
	}
	p.pen.writes.Go(write)
	return true
}

// taken records the end of a message.
func (p *Program) taken() {
	p.pen.mu.Lock()
	defer p.pen.mu.Unlock()
	if p.pen.late != nil {
		p.pen.late.Stop()
		p.pen.late = nil
	}
	<-p.pen.slot
}

// doubt ends the program unless it reads the current message within readWithin.
func (p *Program) doubt() {
	p.pen.mu.Lock()
	defer p.pen.mu.Unlock()
	if p.pen.late != nil || p.pen.closed || len(p.pen.slot) == 0 {
		return
	}
	var late *time.Timer
	late = time.AfterFunc(readWithin, func() {
		p.pen.mu.Lock()
		defer p.pen.mu.Unlock()
		if p.pen.late == late { // otherwise it has just been read
			p.pen.stalled = true
			p.Kill()
		}
	})
	p.pen.late = late
}

// stalled returns an error if the program was ended because it did not read, and otherwise nil.
func (p *Program) stalled() error {
	p.pen.mu.Lock()
	defer p.pen.mu.Unlock()
	if !p.pen.stalled {
		return nil
	}
	return fmt.Errorf("it is unresponsive: it did not read a message within %s after the write had timed out", readWithin)
}

// putDown waits for the writing goroutines. Stdin must be closed, or the program have ended.
func (p *Program) putDown() {
	p.pen.mu.Lock()
	p.pen.closed = true
	p.pen.mu.Unlock()
	p.pen.writes.Wait()
	p.pen.mu.Lock()
	defer p.pen.mu.Unlock()
	if p.pen.late != nil {
		p.pen.late.Stop()
		p.pen.late = nil
	}
}
