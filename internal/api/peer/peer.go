// Package peer tells who is at the other end of a Unix socket. Both ends ask: the daemon, so that nobody else commands it,
// and its clients, so that nobody else answers in its place.
package peer

import (
	"fmt"
	"net"
)

// Check refuses a connection whose other end belongs to another user. It knows Unix sockets only.
func Check(conn net.Conn) error {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("it is no Unix socket but %T", conn)
	}
	_, err := User(c)
	return err
}
