package exchange

import "syscall"

// checkServer refuses a daemon of another user, and tells its process.
func checkServer(fd int) (pid int, err error) {
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	if int(peer.Uid) != syscall.Getuid() {
		return 0, ErrForeign
	}
	return int(peer.Pid), nil
}
