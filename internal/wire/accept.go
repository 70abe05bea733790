package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
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
	return h.out, buffered, nil
}

// frames is the connection of a server. The library writes its control frames to it, each at once, for they are small; data frames are written
// between them.
type frames struct {
	net.Conn
	mu     sync.Mutex
	header [10]byte  // guarded by mu
	parts  [2][]byte // guarded by mu
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
	head := append(f.header[:0], 0x81)
	switch n := len(msg); {
	case n < 126:
		head = append(head, byte(n))
	case n < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 127), uint64(n))
	}
	f.parts = [2][]byte{head, msg}
	buffers := net.Buffers(f.parts[:])
	_, err := buffers.WriteTo(f.Conn)
	f.parts = [2][]byte{}
	return err
}
