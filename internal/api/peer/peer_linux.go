package peer

import (
	"net"

	"golang.org/x/sys/unix"
)

func uidOf(conn *net.UnixConn) (int, error) {
	uid := -1
	err := control(conn, func(fd int) error {
		cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil {
			uid = int(cred.Uid)
		}
		return err
	})
	return uid, err
}
