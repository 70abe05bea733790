package chrome

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// prepare lets the browser inherit its pipe ends.
func prepare(cmd *exec.Cmd, in, out *os.File, _ bool) {
	handles := []syscall.Handle{syscall.Handle(in.Fd()), syscall.Handle(out.Fd())}
	for _, h := range handles {
		// A failure shows at the start, which refuses handles that cannot be inherited.
		_ = windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags:              windows.CREATE_NEW_PROCESS_GROUP,
		AdditionalInheritedHandles: handles,
	}
}

// prepareServer gives a program that serves CDP at a port a process group of its own; its job ends it with this process.
func prepareServer(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// pipeSwitches names the handles, in decimal: descriptors have no fixed numbers here.
func pipeSwitches(in, out *os.File) []string {
	return []string{"--remote-debugging-pipe", fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", in.Fd(), out.Fd())}
}

// group is a job object that kills its processes when its last handle is closed, which the kernel does when we die.
type group struct{ job windows.Handle }

// newGroup puts the browser into a job some microseconds after its start, long before it has children.
func newGroup(p *os.Process) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{}, fmt.Errorf("create a job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		var h windows.Handle
		h, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid))
		if err == nil {
			err = errors.Join(windows.AssignProcessToJobObject(job, h), windows.CloseHandle(h))
		}
	}
	if err != nil {
		return group{}, errors.Join(fmt.Errorf("put the browser into a job object: %w", err), windows.CloseHandle(job))
	}
	return group{job}, nil
}

func (g group) kill(p *os.Process) {
	if g.job == 0 || windows.TerminateJobObject(g.job, 1) != nil {
		// The only other error is that the process has ended.
		_ = p.Kill()
	}
}

// close ends every process of the job.
func (g group) close(string, bool) error {
	if g.job == 0 {
		return nil
	}
	if err := windows.CloseHandle(g.job); err != nil {
		return fmt.Errorf("close the browser's job object: %w", err)
	}
	return nil
}

// killLeftovers has nothing to do: the job ended the processes with their owner.
func killLeftovers(string, int) error { return nil }

// checkUnused tries to open the lock file that a running Chromium keeps open for itself alone.
func checkUnused(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "lockfile"), os.O_RDWR, 0)
	switch {
	case err == nil:
		return f.Close()
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION):
		return &ProfileInUseError{Dir: dir}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("read the lock of profile %s: %w", dir, err)
}

func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// removeLock closes first: an open file cannot be removed. A sweep that gets in between removes it instead.
func removeLock(f *os.File) error {
	err := f.Close()
	if e := os.Remove(f.Name()); e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}

// ownedByUs returns true because the temporary directory is the user's own.
func ownedByUs(fs.FileInfo) bool { return true }

func describeExit(s *os.ProcessState, stderr string) Exit {
	e := Exit{Stderr: stderr}
	if s != nil {
		e.Code = s.ExitCode()
	}
	return e
}

func isBrokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

func runningAs(string) ([]Running, error) { return nil, nil }

func usingProfile(string) (main, children []int, err error) { return nil, nil, errors.ErrUnsupported }

func smallSharedMemory() bool { return false }

// widen does nothing: the size of a pipe's buffer cannot be chosen here.
func widen(...*os.File) {}
