package warm

import "syscall"

const ioctlGetTermios = syscall.TCGETS

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

// executable is this process's own file, even if it was replaced on disk.
func executable() (string, error) { return "/proc/self/exe", nil }
