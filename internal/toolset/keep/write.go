package keep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// pen lets one message at a time be written to a program, whole. A program that does not read holds up the message that is
// being written, never the one who sent it.
type pen struct {
	slot   chan struct{}  // capacity 1: held while a message is written
	writes sync.WaitGroup // messages that are being written

	mu      sync.Mutex
	late    *time.Timer // guarded by mu: ends the program; nil while nobody gave up on the message that is being written
	stalled bool        // guarded by mu: that has happened
	closed  bool        // guarded by mu: nothing is written any more
}

// ErrNotBegun is the error of a message of which the program was sent nothing: it has not read yet what it was sent before.
var ErrNotBegun = errors.New("the message was not begun")

// readWithin is how long a program may leave a message unread after somebody gave up on that. It is ended then: half a message
// cannot be taken back, and nothing can follow it.
const readWithin = 5 * time.Second

// Write has write put one message into Stdin, in a goroutine that Close waits for, and waits until that is done or ctx ends.
// The error is that of write, or ctx's: then the message may still arrive, unless the error is [ErrNotBegun], too.
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

// begin writes a message, unless the program was closed.
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

// taken ends a message.
func (p *Program) taken() {
	p.pen.mu.Lock()
	defer p.pen.mu.Unlock()
	if p.pen.late != nil {
		p.pen.late.Stop()
		p.pen.late = nil
	}
	<-p.pen.slot
}

// doubt gives the program up unless it soon reads the message that is being written.
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
		if p.pen.late == late { // else it has been read in the last moment
			p.pen.stalled = true
			p.Kill()
		}
	})
	p.pen.late = late
}

// stalled says why the program was ended, nil if it was not for this.
func (p *Program) stalled() error {
	p.pen.mu.Lock()
	defer p.pen.mu.Unlock()
	if !p.pen.stalled {
		return nil
	}
	return fmt.Errorf("it is unresponsive: it did not read a message within %s after the write had timed out", readWithin)
}

// putDown waits until nothing is written any more; Stdin is closed, or the program gone.
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
