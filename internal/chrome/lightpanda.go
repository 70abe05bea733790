package chrome

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Lightpanda is a running Lightpanda, a browser of its own that serves CDP at a port of this machine. It is not Chromium:
// it draws nothing, and implements a part of CDP only.
type Lightpanda struct {
	// URL is the address of its WebSocket.
	URL string

	executable string
	cmd        *exec.Cmd
	group      group
	stderr     *tail
	done       chan struct{} // closed when it has ended; exit is set before
	exit       Exit
}

// lightpandaPages are where to get the program.
const lightpandaPages = "https://lightpanda.io/docs/open-source/installation"

// lightpandaPoll is the interval of the questions whether it serves yet. It starts within some 10 ms.
const lightpandaPoll = 20 * time.Millisecond

// LaunchLightpanda starts Lightpanda and returns when its port answers. executable is a path, or a name in PATH; empty means
// lightpanda. The caller closes it. Errors: [*NotFoundError], [*StartError].
//
// The goroutine that waits for the process ends with it; Close waits for that.
func LaunchLightpanda(ctx context.Context, executable string) (*Lightpanda, error) {
	ctx, cancel := withDeadline(ctx, startTimeout)
	defer cancel()
	name := executable
	if name == "" {
		name = "lightpanda"
	}
	path, err := checkExecutable(name)
	if err != nil {
		return nil, &NotFoundError{Requested: fmt.Sprintf("--engine lightpanda: the program %q", name), Reason: fmt.Errorf("%w (%s has it)", err, lightpandaPages)}
	}
	// Versions that end connections after 10 s without a message have --timeout, whose longest value is a week; others
	// exit because of it.
	p, err := serveLightpanda(ctx, path, "--timeout", "604800")
	if err != nil && ctx.Err() == nil {
		p, err = serveLightpanda(ctx, path)
	}
	return p, err
}

func serveLightpanda(ctx context.Context, path string, more ...string) (*Lightpanda, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	p := &Lightpanda{executable: path, stderr: new(tail), done: make(chan struct{})}
	p.cmd = exec.Command(path, append([]string{"serve", "--host", "127.0.0.1", "--port", strconv.Itoa(port)}, more...)...)
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = p.stderr, p.stderr, stderrDrain
	p.cmd.Env = append(os.Environ(), "LIGHTPANDA_DISABLE_TELEMETRY=true")
	prepareServer(p.cmd)
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		<-p.done
		return nil, &StartError{Executable: path, Problem: "cannot be started", Cause: err}
	}
	if err := p.awaitPort(ctx, port); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// freePort returns a port of this machine on which nothing listens.
func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// run starts the program and waits for it on one thread, as Process.run does.
func (p *Lightpanda) run(started chan<- error) {
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
	_ = p.cmd.Wait() // ProcessState has the result
	p.exit = describeExit(p.cmd.ProcessState, p.stderr.String())
}

// awaitPort waits until the port answers, and sets the address.
func (p *Lightpanda) awaitPort(ctx context.Context, port int) error {
	tick := time.NewTicker(lightpandaPoll)
	defer tick.Stop()
	for {
		url, err := Resolve(ctx, strconv.Itoa(port), nil)
		if err == nil {
			p.URL = url
			return nil
		}
		select {
		case <-p.done:
			return &StartError{Executable: p.executable, Problem: p.exit.String() + " before it served CDP", Exit: p.exit}
		case <-ctx.Done():
			return &StartError{Executable: p.executable, Problem: "does not serve CDP", Exit: Exit{Stderr: p.stderr.String()}, Cause: err}
		case <-tick.C:
		}
	}
}

// PID returns the id of the process.
func (p *Lightpanda) PID() int { return p.cmd.Process.Pid }

// Executable returns the program that runs.
func (p *Lightpanda) Executable() string { return p.executable }

// Product returns the name of the program.
func (p *Lightpanda) Product() string {
	return strings.TrimSuffix(filepath.Base(p.executable), ".exe")
}

// Done is closed when the process has ended.
func (p *Lightpanda) Done() <-chan struct{} { return p.done }

// Exit returns how it ended; false while it runs.
func (p *Lightpanda) Exit() (Exit, bool) {
	select {
	case <-p.done:
		return p.exit, true
	default:
		return Exit{}, false
	}
}

// Close ends it. It keeps nothing, so that there is nothing to wait for.
func (p *Lightpanda) Close() error {
	select {
	case <-p.done:
		return nil
	default:
		p.group.kill(p.cmd.Process)
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(forcedExit):
		return fmt.Errorf("end the browser: process %d is still there %v after it was killed", p.PID(), forcedExit)
	}
}
