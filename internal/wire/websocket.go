package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coder/websocket"
)

// keepBuffer is the largest size, in bytes, of the read buffer kept between messages.
const keepBuffer = 256 << 10

type socket struct {
	conn   *websocket.Conn
	ctx    context.Context // the connection's own: ends with Close
	cancel context.CancelFunc
	buf    bytes.Buffer
	heard  atomic.Int64 // when something was read last, in nanoseconds since 1970
}

// Dial connects to a browser's WebSocket endpoint, such as
// ws://127.0.0.1:9222/devtools/browser/…, with extra request headers if a has some; nil for nothing special.
// ctx bounds the handshake only. Errors name the address as [Shown] does.
func Dial(ctx context.Context, url string, a *Access) (Conn, error) {
	c, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient:      a.Client(),
		HTTPHeader:      a.header(),
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		err = withoutURL(err)
		if resp != nil {
			return nil, &HandshakeError{URL: Shown(url), Status: resp.StatusCode, Err: err}
		}
		return nil, fmt.Errorf("dial browser %s: %w", Shown(url), err)
	}
	return newSocket(c), nil
}

// HandshakeError is the error when an HTTP server answered at the address and refused the WebSocket handshake.
type HandshakeError struct {
	URL    string // as Shown returns it
	Status int    // HTTP status
	Err    error
}

func (e *HandshakeError) Error() string {
	return fmt.Sprintf("dial browser %s: HTTP %d: %v", e.URL, e.Status, e.Err)
}

// Unwrap returns the library's error.
func (e *HandshakeError) Unwrap() error { return e.Err }

// Final reports whether a retry will not help: the endpoint does not exist, or access is denied.
func (e *HandshakeError) Final() bool {
	return e.Status >= 400 && e.Status < 500 && e.Status != http.StatusRequestTimeout && e.Status != http.StatusTooManyRequests
}

// Refused reports whether a connection failed because nothing listens at its port.
func Refused(err error) bool {
	const windowsRefused = 10061 // WSAECONNREFUSED, which package syscall does not name
	var number syscall.Errno
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &number) && number == windowsRefused
}

func newSocket(c *websocket.Conn) *socket {
	c.SetReadLimit(-1) // the limits are collector's, which reads on behind a message that is too large
	ctx, cancel := context.WithCancel(context.Background())
	return &socket{conn: c, ctx: ctx, cancel: cancel}
}

func (s *socket) Read() ([]byte, error) {
	_, r, err := s.conn.Reader(s.ctx)
	if err != nil {
		return nil, s.readError(err)
	}
	r = &heard{r, s}
	s.buf.Reset()
	if _, err := s.buf.ReadFrom(io.LimitReader(r, keepBuffer)); err != nil {
		return nil, s.readError(err)
	}
	if s.buf.Len() < keepBuffer {
		return bytes.Clone(s.buf.Bytes()), nil
	}
	var msg collector
	msg.add(s.buf.Bytes())
	for piece := make([]byte, readBuffer); ; {
		n, err := r.Read(piece)
		msg.add(piece[:n])
		if errors.Is(err, io.EOF) {
			return msg.bytes(), nil
		}
		if err != nil {
			return nil, s.readError(err)
		}
	}
}

// heard notes when something came.
type heard struct {
	io.Reader
	on *socket
}

func (r *heard) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.on.heard.Store(time.Now().UnixNano())
	return n, err
}

// Heard returns when something of a message was read last: a large one takes its time. It is zero before the first.
func (s *socket) Heard() time.Time {
	if at := s.heard.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

// readError turns an orderly end into io.EOF so that callers treat every
// transport alike.
func (s *socket) readError(err error) error {
	switch websocket.CloseStatus(err) {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway:
		return io.EOF
	}
	if s.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}

func (s *socket) Write(msg []byte) error {
	return s.conn.Write(s.ctx, websocket.MessageText, msg)
}

func (s *socket) Capabilities() Capabilities {
	return Capabilities{Contexts: true, Downloads: true, BrowserOutlives: true}
}

func (s *socket) Close() error {
	s.cancel()
	return s.conn.CloseNow()
}
