package exchange

import "syscall"

// checkServer returns an error if the daemon belongs to another user, and otherwise its process id.
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
