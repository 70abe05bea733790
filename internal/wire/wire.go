// Package wire transports Chrome DevTools Protocol messages between usher and a browser without decoding them.
//
// A [Conn] sends and receives whole messages. [Pipe] is the NUL-delimited form of --remote-debugging-pipe, [Dial] is
// WebSocket, [Memory] joins two ends inside one process, [Recorder] records messages and [Replay] reads a recording.
// [Peek] reads the envelope of a message (id, method, session) and leaves the payload undecoded.
package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	nonblocking "github.com/usher-browser/usher/internal/pipe"
)

// Conn is one protocol connection. Read is for one goroutine; Write and Close
// may be called from any. A message is a complete JSON object without a
// trailing delimiter.
type Conn interface {
	// Read returns the next message; for one that is too large, see [MaxReply], its replacement. The caller owns the
	// slice. After the other side has closed it returns io.EOF or a wrapped cause.
	Read() ([]byte, error)
	// Write sends one message. It does not retain msg.
	Write(msg []byte) error
	// Close ends the connection and makes a blocked Read return.
	Close() error
	// Capabilities say what can be done over the connection.
	Capabilities() Capabilities
}

// Trier is a [Conn] that can write a short message without waiting for the other side.
type Trier interface {
	// TryWrite sends the message and returns true, or nothing and returns false: there is no room, another goroutine is writing, or
	// the message is long.
	TryWrite(msg []byte) bool
}

// ErrClosed is returned by a Conn used after its own Close.
var ErrClosed = errors.New("wire: connection closed")

// readBuffer is the size of the buffer in front of a pipe. Chromium writes
// events of a few hundred bytes; 64 KiB is also the capacity of a Linux pipe.
const readBuffer = 64 << 10

type pipe struct {
	r      *bufio.Reader
	rc     io.Closer
	wmu    sync.Mutex
	w      io.WriteCloser
	try    nonblocking.Writer
	buf    []byte // guarded by wmu
	closed sync.Once
}

// Pipe returns a Conn over the two ends of Chromium's debugging pipe: r carries messages from the browser, w to it,
// each ended by a NUL byte. Close closes both; the browser then exits.
func Pipe(r io.ReadCloser, w io.WriteCloser) Conn {
	return &pipe{r: bufio.NewReaderSize(r, readBuffer), rc: r, w: w, try: nonblocking.Of(w)}
}

func (p *pipe) Read() ([]byte, error) {
	chunk, err := p.r.ReadSlice(0)
	if err == nil {
		return bytes.Clone(chunk[:len(chunk)-1]), nil
	}
	var msg collector
	for errors.Is(err, bufio.ErrBufferFull) {
		msg.add(chunk)
		chunk, err = p.r.ReadSlice(0)
	}
	if err != nil {
		return nil, err
	}
	msg.add(chunk[:len(chunk)-1])
	return msg.bytes(), nil
}

func (p *pipe) Write(msg []byte) error {
	p.wmu.Lock()
	defer p.wmu.Unlock()
	p.buf = append(append(p.buf[:0], msg...), 0)
	if p.try.Try(p.buf) {
		return nil
	}
	_, err := p.w.Write(p.buf)
	if cap(p.buf) > 1<<20 {
		p.buf = nil
	}
	return err
}

// TryWrite implements [Trier].
func (p *pipe) TryWrite(msg []byte) bool {
	if len(msg) >= nonblocking.Whole || !p.wmu.TryLock() {
		return false
	}
	defer p.wmu.Unlock()
	p.buf = append(append(p.buf[:0], msg...), 0)
	return p.try.Try(p.buf)
}

func (p *pipe) Capabilities() Capabilities { return Capabilities{Contexts: true, Downloads: true} }

func (p *pipe) Close() error {
	var err error
	p.closed.Do(func() { err = errors.Join(p.w.Close(), p.rc.Close()) })
	return err
}
