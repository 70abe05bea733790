package reader

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// process is a child process that converts documents.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startProcess starts a process. It waits for its order, and ends when its input is closed. One that is started ahead reads a sample
// until then, which halves the time of `read` (measured: 56 ms became 26).
func startProcess(ahead bool) (*process, error) {
	path, err := self()
	if err != nil {
		return nil, fmt.Errorf("start a process that reads it: %w", err)
	}
	cmd := exec.Command(path)
	cmd.Args[0] = childName
	cmd.Env = bareEnvironment()
	if ahead {
		cmd.Env = append(cmd.Env, startedAhead+"=1")
	}
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a process that reads it: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a process that reads it: %w", err), in.Close())
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a process that reads it: %w", err)
	}
	return &process{cmd: cmd, in: in, out: bufio.NewReader(out)}, nil
}

// kill ends the process. It may have ended already.
func (c *process) kill() { _ = c.cmd.Process.Kill() }

// end kills the process and waits for that.
func (c *process) end() {
	c.kill()
	_ = c.cmd.Wait() // it was killed
}

// bareEnvironment returns what the process is given of the daemon's: nothing that it could give away.
func bareEnvironment() []string {
	env := []string{"GOMAXPROCS=2", "GOTRACEBACK=none"}
	if runtime.GOOS == "windows" { // without it the system's libraries are not found
		env = append(env, "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return env
}

// readyTime is how long a process waits for the next document before it is ended.
const readyTime = 15 * time.Second

// ready is the process for the next document. Starting one takes longer than most conversions.
var ready struct {
	sync.Mutex
	keep  bool // whether there is to be one
	next  *process
	timer *time.Timer // ends next
}

// KeepReady makes conversions leave a process for the next one, for some seconds. A program that lives long calls it; stop
// ends the process and the habit.
func KeepReady() (stop func()) {
	ready.Lock()
	defer ready.Unlock()
	ready.keep = true
	return func() {
		ready.Lock()
		ready.keep = false
		ready.Unlock()
		dropProcess(nil)
	}
}

// takeProcess gives the order to the process that is ready, or to a new one.
func takeProcess(o order) (*process, error) {
	line, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	line = append(line, '\n')
	ready.Lock()
	c := ready.next
	if ready.next = nil; c != nil {
		ready.timer.Stop()
	}
	ready.Unlock()
	if c != nil {
		if _, err := c.in.Write(line); err == nil {
			return c, nil
		}
		c.end() // something else ended it
	}
	if c, err = startProcess(false); err != nil {
		return nil, err
	}
	if _, err := c.in.Write(line); err != nil {
		c.end()
		return nil, fmt.Errorf("%w: %w", errChild, err)
	}
	return c, nil
}

// keepProcess makes a process that takes another document the one that is ready. It reports false if none is wanted, or
// there is one.
func keepProcess(c *process) bool {
	ready.Lock()
	defer ready.Unlock()
	if !ready.keep || ready.next != nil {
		return false
	}
	holdProcess(c)
	return true
}

// holdProcess is keepProcess with the lock held.
func holdProcess(c *process) {
	ready.next = c
	ready.timer = time.AfterFunc(readyTime, func() { dropProcess(c) })
}

// prepareProcess starts the process for the next document, if there is to be one. A failure is left to the next
// conversion, which starts its own and reports why it cannot.
func prepareProcess() {
	ready.Lock()
	defer ready.Unlock()
	if !ready.keep || ready.next != nil {
		return
	}
	c, err := startProcess(true)
	if err != nil {
		return
	}
	holdProcess(c)
}

// dropProcess ends the process that is ready if it is c, or any for nil.
func dropProcess(c *process) {
	ready.Lock()
	defer ready.Unlock()
	if ready.next == nil || c != nil && ready.next != c {
		return
	}
	ready.timer.Stop()
	ready.next.end()
	ready.next = nil
}
