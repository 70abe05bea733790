package keep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// writer serialises messages to a program and writes each completely. A program that does not read blocks the goroutine
// that writes, never the caller of [Program.Write].
type writer struct {
	slot   chan struct{}  // capacity 1: held while a message is being written
	writes sync.WaitGroup // goroutines that write

	mu       sync.Mutex
	deadline *time.Timer // guarded by mu: ends the program; nil unless the caller of the current message has left
	stalled  bool        // guarded by mu: late has fired
	closed   bool        // guarded by mu: no message may begin
}

// ErrNotStarted is the error of a message of which nothing was written, because the program has not read the one before
// it.
var ErrNotStarted = errors.New("the message was not begun")

// readTimeout is how long a program may leave a message unread after its caller has left. Then the program is ended: a
// partial message cannot be withdrawn, and no other can follow it.
const readTimeout = 5 * time.Second

// Write runs write, which writes one message to Stdin, in a goroutine that Close waits for. It waits until write
// returns or ctx ends, and returns the error of either. After an error of ctx the message may still arrive, unless
// errors.Is(err, [ErrNotStarted]).
func (p *Program) Write(ctx context.Context, write func() error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrNotStarted, context.Cause(ctx))
	}
	select {
	case p.writer.slot <- struct{}{}:
	case <-p.done:
		return io.ErrClosedPipe
	case <-ctx.Done():
		p.startDeadline()
		return fmt.Errorf("%w: %w", ErrNotStarted, context.Cause(ctx))
	}
	written := make(chan error, 1)
	if !p.startWrite(func() {
		err := write()
		p.finishWrite()
		written <- err
	}) {
		return io.ErrClosedPipe
	}
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		p.startDeadline()
		return context.Cause(ctx)
	}
}

// startWrite runs write in a goroutine. It returns false if the program was closed.
func (p *Program) startWrite(write func()) bool {
	p.writer.mu.Lock()
	defer p.writer.mu.Unlock()
	if p.writer.closed {
		<-p.writer.slot
		return false
	}
	p.writer.writes.Go(write)
	return true
}

// finishWrite records the end of a message.
func (p *Program) finishWrite() {
	p.writer.mu.Lock()
	defer p.writer.mu.Unlock()
	if p.writer.deadline != nil {
		p.writer.deadline.Stop()
		p.writer.deadline = nil
	}
	<-p.writer.slot
}

// startDeadline ends the program unless it reads the current message within readTimeout.
func (p *Program) startDeadline() {
	p.writer.mu.Lock()
	defer p.writer.mu.Unlock()
	if p.writer.deadline != nil || p.writer.closed || len(p.writer.slot) == 0 {
		return
	}
	var late *time.Timer
	late = time.AfterFunc(readTimeout, func() {
		p.writer.mu.Lock()
		defer p.writer.mu.Unlock()
		if p.writer.deadline == late { // otherwise it has just been read
			p.writer.stalled = true
			p.Kill()
		}
	})
	p.writer.deadline = late
}

// stalled returns an error if the program was ended because it did not read, and otherwise nil.
func (p *Program) stalled() error {
	p.writer.mu.Lock()
	defer p.writer.mu.Unlock()
	if !p.writer.stalled {
		return nil
	}
	return fmt.Errorf("it is unresponsive: it did not read a message within %s after the write had timed out", readTimeout)
}

// waitWrites waits for the writing goroutines. Stdin must be closed, or the program have ended.
func (p *Program) waitWrites() {
	p.writer.mu.Lock()
	p.writer.closed = true
	p.writer.mu.Unlock()
	p.writer.writes.Wait()
	p.writer.mu.Lock()
	defer p.writer.mu.Unlock()
	if p.writer.deadline != nil {
		p.writer.deadline.Stop()
		p.writer.deadline = nil
	}
}
