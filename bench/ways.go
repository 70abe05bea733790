package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/cdptest/program"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/devtools/join"
	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// way is a way to a browser beside its own port: a client of both sees the same tab.
type way struct {
	name     string
	direct   string // the address of the browser's own port
	endpoint string // the address of usher's
	server   int    // the process that serves it
	bars     map[string]bar
	// extension reports that an extension is on the way.
	extension bool
	close     func()
}

// attachedWay connects usher, in a home of its own, to a browser.
func attachedWay(ctx context.Context, binary string) (*way, error) {
	browser, err := cdptest.Start()
	if err != nil {
		return nil, err
	}
	usher, err := peer.Usher(binary)
	if err != nil {
		browser.Close()
		return nil, fmt.Errorf("%w; run make build", err)
	}
	w := &way{name: "attached: usher connect", bars: proxyBars, direct: browser.WebSocketURL, close: func() { end(usher); browser.Close() }}
	for _, args := range [][]string{{"connect", browser.WebSocketURL}, nameTab, {"get", "cdp-url"}} {
		outcome, err := usher.Run(ctx, args...)
		if err = errors.Join(err, outcome.Failed()); err != nil {
			w.close()
			return nil, err
		}
		w.endpoint = strings.TrimSpace(outcome.Stdout)
	}
	w.server, err = daemonOf(usher)
	if err != nil {
		w.close()
	}
	return w, err
}

// nameTab gives a tab with an empty page the address [benchPage].
var nameTab = []string{"eval", "location.hash = 'bench'"}

// daemonOf returns the process of usher's daemon.
func daemonOf(usher *program.Program) (pid int, err error) {
	own, err := filepath.EvalSymlinks(usher.Path)
	if err != nil {
		return 0, err
	}
	living, err := usher.Processes()
	for _, p := range living {
		if p.Exe == own {
			pid = p.PID
		}
	}
	return pid, err
}

// relayWay starts a browser that usher reaches through its extension only.
func relayWay(ctx context.Context, binary string) (*way, error) {
	usher, err := peer.Usher(binary)
	if err != nil {
		return nil, fmt.Errorf("%w; run make build", err)
	}
	w := &way{name: "relay: the extension", bars: relayBars, extension: true, close: func() { end(usher) }}
	commands := [][]string{
		{"extension", "try", "--headless", "--relay-port", "0", "--args", "--remote-debugging-port=0", "about:blank"},
		nameTab, {"get", "cdp-url"},
	}
	for _, args := range commands {
		outcome, err := usher.Run(ctx, args...)
		if err = errors.Join(err, outcome.Failed()); err != nil {
			w.close()
			return nil, err
		}
		w.endpoint = strings.TrimSpace(outcome.Stdout)
	}
	if w.server, err = daemonOf(usher); err == nil {
		w.direct, err = portOf(usher)
	}
	if err != nil {
		w.close()
	}
	return w, err
}

// portOf returns the address of the debugging port of the browser that usher has started. Chromium writes it to its profile.
func portOf(usher *program.Program) (string, error) {
	living, err := usher.Processes()
	if err != nil {
		return "", err
	}
	for _, p := range living {
		_, rest, found := strings.Cut(p.Command, "--user-data-dir=")
		if !found {
			continue
		}
		dir, _, _ := strings.Cut(rest, " ")
		text, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		if err != nil {
			continue // one of the browser's own processes names another folder
		}
		port, path, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		return "ws://127.0.0.1:" + port + path, nil
	}
	return "", errors.New("the browser has no debugging port")
}

// serveVariable is set in a process of this program that serves the endpoint of a browser; see launchedWay.
const serveVariable = "USHER_BENCH_SERVE"

// launchedWay starts a process that launches a browser as usher does, over a pipe, and serves the endpoint of a session in it. `usher` itself
// does not serve one for a browser with a port.
func launchedWay(ctx context.Context, _ string) (*way, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), serveVariable+"=1")
	child.Stderr = os.Stderr
	stay, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	said, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	w := &way{name: "launched: usher on the pipe", bars: proxyBars, server: child.Process.Pid, close: func() { _ = stay.Close(); _ = child.Wait() }}
	line, err := bufio.NewReader(said).ReadString('\n')
	if _, scanned := fmt.Sscan(line, &w.direct, &w.endpoint); err != nil || scanned != nil {
		w.close()
		return nil, fmt.Errorf("serve the endpoint of a launched browser: %q, %w", line, errors.Join(err, scanned))
	}
	return w, nil
}

// serveEndpoint is the main of that process. It ends with its standard input.
func serveEndpoint(ctx context.Context) error {
	path, err := cdptest.Path()
	if err != nil {
		return err
	}
	process, err := chrome.Launch(ctx, chrome.Options{Executable: path, Args: cdptest.Arguments(), DebugPort: "0"})
	if err != nil {
		return err
	}
	defer process.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nobody is left to tell
	direct, err := process.DebugURL()
	if err != nil {
		return err
	}
	b := supervisor.New(wire.Pipe(process.Conn()), supervisor.Options{Script: "1"})
	defer b.Close() //nolint:errcheck // the measuring is over
	var made struct {
		Context model.ContextID `json:"browserContextId"`
		Target  string          `json:"targetId"`
	}
	if err := b.Session("").Call(ctx, "Target.createBrowserContext", nil, &made); err != nil {
		return err
	}
	if err := b.Session("").Call(ctx, "Target.createTarget", map[string]any{"url": benchPage, "browserContextId": made.Context}, &made); err != nil {
		return err
	}
	server, err := endpoint.Serve(b.Done(), endpoint.Options{
		Browser: join.New(b, made.Context, join.Options{Downloads: func() string { return "" }}), Token: endpoint.NewToken(),
	}, 0)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Println(direct, server.URL())
	_, err = bufio.NewReader(os.Stdin).ReadString('\n')
	if ctx.Err() == nil {
		return nil // the bench has ended
	}
	return err
}

// resident returns the memory of a process in MB, 0 if it is not known.
func resident(pid int) float64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kb / 1024
		}
	}
	return 0
}
