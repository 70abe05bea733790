package chrome

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"time"
)

// program is a process of a browser and the goroutine that waits for it.
type program struct {
	executable string
	cmd        *exec.Cmd
	group      group
	stderr     *tail
	done       chan struct{} // closed when the process has ended; exit is set before
	exit       Exit
}

// newProgram returns a program that has not started, without a command.
func newProgram(executable string) program {
	return program{executable: executable, stderr: new(tail), done: make(chan struct{})}
}

// start starts the process of cmd. After an error the waiting goroutine has ended too.
func (p *program) start(cmd *exec.Cmd) error {
	p.cmd = cmd
	p.cmd.Stderr, p.cmd.WaitDelay = p.stderr, stderrDrain
	started := make(chan error)
	go p.run(started)
	err := <-started
	if err != nil {
		<-p.done
	}
	return err
}

// run starts the process and waits for it on one thread, because the parent-death signal follows the starting thread,
// not the process. The wait would occupy a thread anyway, so the lock costs nothing.
func (p *program) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	g, err := newGroup(p.cmd.Process)
	if err != nil {
		err = errors.Join(fmt.Errorf("group the browser's processes: %w", err), p.cmd.Process.Kill())
	}
	p.group = g
	started <- err
	// The error repeats ProcessState, or reports that a child still held standard error, which does not matter.
	_ = p.cmd.Wait()
	p.exit = describeExit(p.cmd.ProcessState, p.stderr.String())
}

// Done is closed when the browser's main process has ended.
func (p *program) Done() <-chan struct{} { return p.done }

// Exit returns how the browser ended; false while it runs.
func (p *program) Exit() (Exit, bool) {
	select {
	case <-p.done:
		return p.exit, true
	default:
		return Exit{}, false
	}
}

// PID returns the id of the browser's main process.
func (p *program) PID() int { return p.cmd.Process.Pid }

// Executable returns the program that runs: the browser itself, if the distribution's executable is a shell script.
func (p *program) Executable() string { return p.executable }

// kill ends the browser's processes now. Nothing happens when the main process has already been waited for: its number may
// belong to another by then.
func (p *program) kill() {
	select {
	case <-p.done:
	default:
		p.group.kill(p.cmd.Process)
	}
}

// awaitForced waits for the end of a killed process.
func (p *program) awaitForced() error {
	forced := time.NewTimer(forcedExit)
	defer forced.Stop()
	select {
	case <-p.done:
		return nil
	case <-forced.C:
		return fmt.Errorf("end the browser: process %d is still there %v after it was killed", p.PID(), forcedExit)
	}
}
