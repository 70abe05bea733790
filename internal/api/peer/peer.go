// Package peer determines the user at the other end of a Unix socket. The daemon refuses clients of other users, and
// clients refuse a daemon of another user.
package peer

import (
	"fmt"
	"net"
)

// Check returns an error if the other end of a connection belongs to another user, or if it is not a Unix socket.
func Check(conn net.Conn) error {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("it is no Unix socket but %T", conn)
	}
	_, err := User(c)
	return err
}
