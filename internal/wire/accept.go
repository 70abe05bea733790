package wire

import (
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// Accept answers a WebSocket handshake of a CDP client and returns the connection. It checks no Origin: the caller has. The
// caller's handler must not return before the connection is closed.
func Accept(w http.ResponseWriter, r *http.Request) (*Client, error) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil, fmt.Errorf("accept a CDP client: %w", err)
	}
	return &Client{newSocket(c)}, nil
}

// Client is the connection of a CDP client. Read fails with io.EOF after an orderly end.
type Client struct{ *socket }

// closeReason is the longest reason, in bytes, that a close frame can have (RFC 6455, section 5.5).
const closeReason = 123

// End closes the connection with a reason that the client is told. It waits for the client's answer for a moment.
func (c *Client) End(reason string) {
	if len(reason) > closeReason {
		reason = reason[:closeReason]
	}
	timer := time.AfterFunc(time.Second, c.cancel)
	defer timer.Stop()
	_ = c.conn.Close(websocket.StatusGoingAway, reason) // it may have gone already
	c.cancel()
}
