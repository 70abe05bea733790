package peer

import (
	"net"

	"golang.org/x/sys/unix"
)

func uidOf(conn *net.UnixConn) (int, error) {
	uid := -1
	err := control(conn, func(fd int) error {
		cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		if err == nil {
			uid = int(cred.Uid)
		}
		return err
	})
	return uid, err
}
