//go:build linux || darwin

package peer

import (
	"fmt"
	"net"
	"os"
)

// User returns the user at the other end, and an error unless it is the user of this process. Root is refused, too: it
// can become the user.
func User(conn *net.UnixConn) (uid int, err error) {
	uid, err = uidOf(conn)
	if err != nil {
		return -1, fmt.Errorf("ask who is at the other end: %w", err)
	}
	return uid, admit(uid, os.Getuid())
}

func admit(uid, own int) error {
	if uid != own {
		return fmt.Errorf("user %d is not user %d", uid, own)
	}
	return nil
}

func control(conn *net.UnixConn, f func(fd int) error) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
	}
	return inner
}
