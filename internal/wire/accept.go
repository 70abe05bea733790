package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"

	nonblocking "github.com/usher-browser/usher/internal/pipe"
)

// Accept answers a WebSocket handshake of a CDP client and returns the connection. It checks no Origin: the caller has. The
// caller's handler must not return before the connection is closed.
func Accept(w http.ResponseWriter, r *http.Request) (*Client, error) {
	out := &frames{}
	options := &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled}
	c, err := websocket.Accept(&hijacker{ResponseWriter: w, out: out}, r, options)
	if err != nil {
		return nil, fmt.Errorf("accept a CDP client: %w", err)
	}
	return &Client{newSocket(c), out}, nil
}

// Client is the connection of a CDP client. Read fails with io.EOF after an orderly end.
type Client struct {
	*socket
	out *frames
}

// Write sends a message, as one frame and without a copy: the library's own way through its buffer costs as much time again as the
// system does, for large messages.
func (c *Client) Write(msg []byte) error {
	if c.ctx.Err() != nil {
		return ErrClosed
	}
	return c.out.text(msg)
}

// WriteAll sends messages, as one frame each, with as few system calls as it can.
func (c *Client) WriteAll(msgs [][]byte) error {
	if len(msgs) == 1 {
		return c.Write(msgs[0])
	}
	if c.ctx.Err() != nil {
		return ErrClosed
	}
	return c.out.texts(msgs)
}

// Try sends a short message and returns true, or nothing and returns false: that would have to wait. It never blocks.
func (c *Client) Try(msg []byte) bool {
	return c.ctx.Err() == nil && c.out.try(msg)
}

// Another reports whether the next message has come whole, so that Read will not wait. It is for the goroutine that reads.
func (c *Client) Another() bool { return wholeFrame(c.out.in) }

// closeReason is the longest reason, in bytes, that a close frame can have (RFC 6455, section 5.5).
const closeReason = 123

// End closes the connection with a reason that the client is told. It waits for the client's answer for a moment.
func (c *Client) End(reason string) { c.EndWith(int(websocket.StatusGoingAway), reason) }

// EndWith is End with a status code of RFC 6455, section 7.4; 4000 to 4999 are for applications.
func (c *Client) EndWith(status int, reason string) {
	if len(reason) > closeReason {
		reason = reason[:closeReason]
	}
	timer := time.AfterFunc(time.Second, c.cancel)
	defer timer.Stop()
	_ = c.conn.Close(websocket.StatusCode(status), reason) // it may have gone already
	c.cancel()
}

// Close ends the connection at once.
func (c *Client) Close() error {
	_ = c.out.Close() // a Write that waits for the client fails with it
	return c.socket.Close()
}

// hijacker puts frames in front of the connection that the library takes over.
type hijacker struct {
	http.ResponseWriter
	out *frames
}

// Hijack takes the connection over from the HTTP server.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.out.Conn = conn
	if s, ok := conn.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			h.out.raw = raw
		}
	}
	left, err := buffered.Peek(buffered.Reader.Buffered())
	if err != nil {
		return nil, nil, err
	}
	h.out.in = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(left), nonblocking.Quick(conn)), readBuffer)
	if _, err := h.out.in.Peek(len(left)); err != nil { // the library takes over what is buffered
		return nil, nil, err
	}
	return h.out, bufio.NewReadWriter(h.out.in, buffered.Writer), nil // the library goes on reading with this reader
}

// frames is the connection of a server. The library writes its control frames to it, each at once, for they are small; data frames are written
// between them.
type frames struct {
	net.Conn
	in     *bufio.Reader   // what the library reads from
	raw    syscall.RawConn // of a socket; nil for another connection
	mu     sync.Mutex
	header [10]byte  // guarded by mu
	parts  [2][]byte // guarded by mu
	joined []byte    // guarded by mu
}

// Write writes a control frame.
func (f *frames) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Conn.Write(p)
}

// text writes a message as a text frame (RFC 6455, section 5.2): final, not masked.
func (f *frames) text(msg []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.raw != nil && len(msg) <= tryLimit {
		f.joined = append(appendHead(f.joined[:0], len(msg)), msg...)
		if n := nonblocking.Some(f.raw, f.joined); n < len(f.joined) {
			_, err := f.Conn.Write(f.joined[n:])
			return err
		}
		return nil
	}
	f.parts = [2][]byte{appendHead(f.header[:0], len(msg)), msg}
	buffers := net.Buffers(f.parts[:])
	_, err := buffers.WriteTo(f.Conn)
	f.parts = [2][]byte{}
	return err
}

// appendHead appends the head of a frame with n bytes of text.
func appendHead(head []byte, n int) []byte {
	head = append(head, 0x81)
	switch {
	case n < 126:
		return append(head, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(head, 126), uint16(n))
	default:
		return binary.BigEndian.AppendUint64(append(head, 127), uint64(n))
	}
}

// joinLimit is the size, in bytes, up to which messages are copied to be written together.
const joinLimit = 64 << 10

// texts writes messages as text frames. Short ones are written together.
func (f *frames) texts(msgs [][]byte) error {
	for len(msgs) > 0 {
		n, size := 0, 0
		for n < len(msgs) && size+len(msgs[n]) <= joinLimit {
			size += len(msgs[n])
			n++
		}
		if n < 2 {
			if err := f.text(msgs[0]); err != nil {
				return err
			}
			msgs = msgs[1:]
			continue
		}
		if err := f.together(msgs[:n]); err != nil {
			return err
		}
		msgs = msgs[n:]
	}
	return nil
}

// tryLimit is the largest size, in bytes, of a message that try sends.
const tryLimit = 4 << 10

// try writes a message as a text frame if nobody else is writing, and there is room. If there is room for a part of it, another goroutine
// writes the rest, before anything else is written.
func (f *frames) try(msg []byte) bool {
	if f.raw == nil || len(msg) > tryLimit || !f.mu.TryLock() {
		return false
	}
	f.joined = append(appendHead(f.joined[:0], len(msg)), msg...)
	switch n := nonblocking.Some(f.raw, f.joined); n {
	case 0:
		f.mu.Unlock()
		return false
	case len(f.joined):
		f.mu.Unlock()
	default:
		go func() {
			defer f.mu.Unlock()
			_, _ = f.Conn.Write(f.joined[n:]) // the next write fails as this one
		}()
	}
	return true
}

func (f *frames) together(msgs [][]byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.joined = f.joined[:0]
	for _, msg := range msgs {
		f.joined = append(appendHead(f.joined, len(msg)), msg...)
	}
	_, err := f.Conn.Write(f.joined)
	return err
}

// wholeFrame reports whether a whole data frame of a client is buffered (RFC 6455, section 5.2).
func wholeFrame(in *bufio.Reader) bool {
	have := in.Buffered()
	head, err := in.Peek(min(have, 10))
	if err != nil || len(head) < 2 || head[0] != 0x81 {
		return false
	}
	const mask = 4
	size, at := uint64(head[1]&0x7f), 2
	switch {
	case size == 126 && len(head) >= 4:
		size, at = uint64(binary.BigEndian.Uint16(head[2:])), 4
	case size == 127 && len(head) >= 10:
		size, at = binary.BigEndian.Uint64(head[2:]), 10
	case size >= 126:
		return false
	}
	return have >= at+mask && size <= uint64(have-at-mask)
}
