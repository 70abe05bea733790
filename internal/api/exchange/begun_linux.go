package exchange

import (
	"io"
	"syscall"
	"time"

	"github.com/usher-browser/usher/internal/api/frame"
)

// Begun is a conversation whose request has been sent and that somebody else followed until now.
type Begun struct {
	// Socket is the connected socket, with its timeouts; PID the process that listens.
	Socket, PID int
	// Limit is the timeout of the socket. TimedOut reports that the last read met it.
	Limit    time.Duration
	TimedOut bool
	// Unread was received and not used. Rest is what is missing of a frame with raw bytes, if its Size is above zero:
	// then Unread begins with them.
	Unread []byte
	Rest   frame.Frame
}

// Continue copies the output of a conversation until it ends.
func Continue(b Begun, s Streams) Result {
	conn := socket(b.Socket)
	if b.TimedOut {
		return finish(conn, Result{Outcome: Lost, Err: syscall.EAGAIN}, b.PID, b.Limit)
	}
	unread := b.Unread
	if b.Rest.Size > 0 {
		unread = append(frame.Append(nil, b.Rest), unread...)
	}
	reader := frame.NewReader(&resumed{unread, conn}, bufferSize)
	return finish(conn, follow(conn, reader, nil, s), b.PID, b.Limit)
}

// resumed reads what was received before, and then the connection.
type resumed struct {
	unread []byte
	rest   io.Reader
}

func (r *resumed) Read(p []byte) (int, error) {
	if len(r.unread) == 0 {
		return r.rest.Read(p)
	}
	n := copy(p, r.unread)
	r.unread = r.unread[n:]
	return n, nil
}
