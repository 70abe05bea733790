package chrome

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Lightpanda is a running Lightpanda, a browser of its own that serves CDP at a port of this machine. It is not Chromium:
// it draws nothing, and implements a part of CDP only.
type Lightpanda struct {
	// URL is the address of its WebSocket.
	URL string

	program
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
	p := &Lightpanda{program: newProgram(path)}
	cmd := exec.Command(path, append([]string{"serve", "--host", "127.0.0.1", "--port", strconv.Itoa(port)}, more...)...)
	cmd.Stdout = p.stderr
	cmd.Env = append(os.Environ(), "LIGHTPANDA_DISABLE_TELEMETRY=true")
	prepareServer(cmd)
	if err := p.start(cmd); err != nil {
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

// Product returns the name of the program.
func (p *Lightpanda) Product() string {
	return strings.TrimSuffix(filepath.Base(p.executable), ".exe")
}

// Close ends it. It keeps nothing, so that there is nothing to wait for.
func (p *Lightpanda) Close() error {
	p.kill()
	return p.awaitForced()
}
