//go:build unix

package chrome

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// prepare gives the browser its pipe ends as descriptors 3 and 4, where Chromium expects them, and a process group of
// its own: a Ctrl-C in the terminal is for us, and the group can be ended as one.
func prepare(cmd *exec.Cmd, in, out *os.File, temporary bool) {
	cmd.ExtraFiles = []*os.File{in, out}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	setParentDeathSignal(cmd.SysProcAttr, temporary)
}

// prepareServer gives a program that serves CDP at a port a process group of its own, and ends it with this process where
// the system can do that.
func prepareServer(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	setParentDeathSignal(cmd.SysProcAttr, true)
}

func pipeSwitches(_, _ *os.File) []string { return []string{"--remote-debugging-pipe"} }

// group is the browser's process group, whose number is that of its main process.
type group struct{ id int }

func newGroup(p *os.Process) (group, error) { return group{p.Pid}, nil }

func (g group) kill(*os.Process) {
	// The only error is that the group is gone already.
	_ = syscall.Kill(-g.id, syscall.SIGKILL)
}

// close ends the remaining child processes. For a profile of the user's only members of our group are ended.
func (g group) close(profile string, temporary bool) error {
	if temporary {
		return killLeftovers(profile, 0)
	}
	return killLeftovers(profile, g.id)
}

// process is one line of the process list. The command line has the arguments separated by a NUL or a space.
type process struct {
	pid, group int
	command    string
}

const (
	quietPasses = 3
	maxPasses   = 100
	passPause   = 5 * time.Millisecond
)

// killLeftovers kills processes that run on the profile until three passes in a row find none: a child may fork while
// its parent is killed. Chromium passes --user-data-dir to its children. With group > 0 only members of that group
// count.
func killLeftovers(profile string, group int) error {
	var left []int
	for quiet, pass := 0, 0; quiet < quietPasses; pass++ {
		all, err := processes()
		if err != nil {
			return fmt.Errorf("look for processes the browser left: %w", err)
		}
		left = left[:0]
		for _, p := range all {
			if p.pid != os.Getpid() && (group == 0 || p.group == group) && usesProfile(p.command, profile) {
				left = append(left, p.pid)
			}
		}
		if len(left) == 0 {
			quiet++
		} else {
			quiet = 0
		}
		for _, pid := range left {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("kill process %d that the browser left: %w", pid, err)
			}
		}
		if pass == maxPasses {
			return fmt.Errorf("kill processes the browser left: %v survive", left)
		}
		time.Sleep(passPause)
	}
	return nil
}

// usesProfile reports whether a command line names exactly this profile directory.
func usesProfile(command, profile string) bool {
	for _, name := range []string{"--user-data-dir=", "--database="} {
		_, after, ok := strings.Cut(command, name+profile)
		if ok && (after == "" || after[0] == 0 || after[0] == ' ' || after[0] == '/') {
			return true
		}
	}
	return false
}

// checkUnused returns a *ProfileInUseError when a browser uses the profile. Chromium's lock is a symbolic link to
// "host-pid", with a socket beside it; the lock stays behind after a kill, so on this machine a browser counts only if
// it still listens.
func checkUnused(dir string) error {
	target, err := os.Readlink(filepath.Join(dir, "SingletonLock"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the lock of profile %s: %w", dir, err)
	}
	i := strings.LastIndexByte(target, '-')
	if i < 0 {
		return nil // not Chromium's; it will replace it
	}
	e := &ProfileInUseError{Dir: dir, Host: target[:i]}
	pid, ok := parsePID(target[i+1:])
	if !ok {
		return nil // as above
	}
	e.PID = pid
	if host, err := os.Hostname(); err == nil && host != e.Host {
		e.Remote = true
		return e
	}
	// Through the link's target, because the path in the profile may be too long for a socket address.
	socket, err := os.Readlink(filepath.Join(dir, "SingletonSocket"))
	if err != nil {
		socket = filepath.Join(dir, "SingletonSocket")
	}
	if !listens(socket) {
		return nil // a stale lock
	}
	return e
}

func parsePID(s string) (pid int, ok bool) {
	pid, err := strconv.Atoi(s)
	return pid, err == nil
}

// listens reports whether a process listens on a Unix socket.
func listens(socket string) bool {
	c, err := net.DialTimeout("unix", socket, time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}

func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// removeLock removes the file before it lets the lock go.
func removeLock(f *os.File) error {
	return errors.Join(os.Remove(f.Name()), f.Close())
}

func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

func describeExit(s *os.ProcessState, stderr string) Exit {
	e := Exit{Stderr: stderr}
	if s == nil {
		return e
	}
	e.Code = s.ExitCode()
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = ws.Signal().String()
	}
	return e
}

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
