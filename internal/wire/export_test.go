package wire

import (
	"fmt"
	"net/http"

	"github.com/coder/websocket"
)

// Accept upgrades an incoming HTTP request to a Conn: the serving side of Dial, which only tests have. On failure the response
// has been written.
func Accept(w http.ResponseWriter, r *http.Request, opts *websocket.AcceptOptions) (Conn, error) {
	c, err := websocket.Accept(w, r, opts)
	if err != nil {
		return nil, fmt.Errorf("accept websocket: %w", err)
	}
	return newSocket(c), nil
}

// ReadBuffer is the size of the pieces that are read, KeepBuffer that up to which a buffer is used again.
const (
	ReadBuffer = readBuffer
	KeepBuffer = keepBuffer
)
