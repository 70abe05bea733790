// Package app starts apps that are built on Chromium, such as Electron apps, with a debugging port, or finds those that run
// with one. Unlike a browser that usher launches, an app belongs to the person: it goes on running when usher ends, and it
// is only ended on request, and only if it was started here.
package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome"
)

// Options name an app.
type Options struct {
	// Path is the executable: absolute, no directory.
	Path string
	// Args are for an app that is started.
	Args []string
	// Dir is its working directory.
	Dir string
	// Display are variables of its environment, in addition to those of this process.
	Display []string
}

// App is a running app with a debugging port.
type App struct {
	Path string
	PID  int
	// Endpoint is its debugging port: http://127.0.0.1:PORT.
	Endpoint string
	// Started reports whether this process started it.
	Started bool

	cmd    *exec.Cmd     // nil unless Started
	done   chan struct{} // closed when it has ended
	output *output
	said   string // the end of what it printed; set before done is closed
}

// Ended reports whether the process of an app that was started here has ended.
func (a *App) Ended() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

const (
	// Wait is how long a started app may take to open its port.
	Wait     = 30 * time.Second
	interval = 150 * time.Millisecond
	// ask bounds one question to a port.
	ask = 2 * time.Second
	// grace is how long an app may take to end before it is killed.
	grace = 3 * time.Second
)

// Open finds the app among the processes of this machine, if it runs with a debugging port, and starts it otherwise. An app
// that runs without one is not ended: of Chromium another instance is started, with a profile of its own; for other apps the
// error says that it is in the way. Errors: [api.FileNotFound], [api.InvalidArgument], [api.LaunchConflict],
// [api.LaunchFailed], [api.Timeout].
func Open(ctx context.Context, o Options) (*App, error) {
	if err := check(&o); err != nil {
		return nil, err
	}
	running, err := chrome.RunningAs(o.Path)
	if err != nil {
		return nil, api.Errorf(api.LaunchFailed, "look for a running %s: %w", o.Path, err)
	}
	for i := range running {
		if endpoint := endpointOf(ctx, &running[i]); endpoint != "" {
			return &App{Path: o.Path, PID: running[i].PID, Endpoint: endpoint, done: make(chan struct{})}, nil
		}
	}
	if len(running) > 0 && !isBrowser(o.Path) {
		return nil, api.Errorf(api.LaunchConflict, "%s runs already (pid %d) without a debugging port that answers, and it is not ended for you", o.Path, running[0].PID).
			WithHint("Close the app, or start it with --remote-debugging-port=9222; then try again.")
	}
	return start(ctx, &o)
}

// check refuses what cannot be started.
func check(o *Options) error {
	if !filepath.IsAbs(o.Path) {
		return api.Errorf(api.InvalidArgument, "start an app: %q is no absolute path", o.Path).WithHint("Give the whole path of the executable.")
	}
	o.Path = filepath.Clean(o.Path)
	info, err := os.Stat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return api.Errorf(api.FileNotFound, "start an app: there is no %s", o.Path).WithHint("Give the path of the app's executable.")
	case err != nil:
		return api.Errorf(api.FileNotFound, "start an app: %w", err)
	case info.IsDir():
		return api.Errorf(api.InvalidArgument, "start an app: %s is a directory", o.Path).
			WithHint("Give the executable itself; in an app bundle of macOS it is in Contents/MacOS.")
	case !info.Mode().IsRegular():
		return api.Errorf(api.InvalidArgument, "start an app: %s is no file that can be run", o.Path)
	}
	for _, arg := range o.Args {
		if strings.Contains(arg, "remote-debugging-") {
			return api.Errorf(api.InvalidArgument, "start an app: the argument %q is not for you to give: usher chooses the debugging port", arg).
				WithHint("Leave it out; to use an app that runs with a port, connect to that.")
		}
	}
	return nil
}

// endpointOf returns the debugging port of a process, if it answers; "" otherwise.
func endpointOf(ctx context.Context, r *chrome.Running) string {
	port, found := r.Switch("remote-debugging-port")
	if !found {
		return ""
	}
	for _, automated := range []string{"remote-debugging-pipe", "enable-automation"} { // another program's browser, not the person's
		if _, found := r.Switch(automated); found {
			return ""
		}
	}
	address := port
	if port == "0" { // Chromium writes into its profile which one it got
		address, _ = r.Switch("user-data-dir")
	}
	if address == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, ask)
	defer cancel()
	socket, err := chrome.Resolve(ctx, address, nil)
	if err != nil {
		return ""
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(socket, "ws://"), "/")
	return "http://" + host
}

// isBrowser reports whether a program is one of the browsers built on Chromium, which start once more for each profile, and
// open no debugging port for the person's own one.
func isBrowser(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.ContainsFunc([]string{"chrom", "msedge", "microsoft edge", "microsoft-edge", "brave", "vivaldi", "opera"}, func(known string) bool { return strings.Contains(name, known) })
}

// start starts the app and waits for its port.
func start(ctx context.Context, o *Options) (*App, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, api.Errorf(api.LaunchFailed, "start %s: find a free port: %w", o.Path, err)
	}
	args := append([]string{"--remote-debugging-port=" + strconv.Itoa(port)}, o.Args...)
	profile := ""
	if isBrowser(o.Path) {
		args = append(args, "--no-first-run", "--no-default-browser-check", "--use-mock-keychain", "--password-store=basic")
		if !slices.ContainsFunc(o.Args, func(arg string) bool { return strings.Contains(arg, "user-data-dir") }) {
			if profile, err = os.MkdirTemp("", "usher-app-"); err != nil {
				return nil, api.Errorf(api.LaunchFailed, "start %s: %w", o.Path, err)
			}
			args = append(args, "--user-data-dir="+profile)
		}
	}
	a := &App{Path: o.Path, Endpoint: "http://127.0.0.1:" + strconv.Itoa(port), Started: true, done: make(chan struct{})}
	a.cmd = exec.Command(o.Path, args...)
	a.cmd.Dir, a.cmd.Env = o.Dir, append(os.Environ(), o.Display...)
	detach(a.cmd)
	if a.output, err = newOutput(); err == nil {
		a.cmd.Stdout, a.cmd.Stderr = a.output.file, a.output.file
		err = a.cmd.Start()
	}
	if err != nil {
		a.output.close()
		return nil, api.Errorf(api.LaunchFailed, "start %s: %w", o.Path, errors.Join(err, removeProfile(profile)))
	}
	a.PID = a.cmd.Process.Pid
	go a.wait(profile)
	if err := a.await(ctx, strconv.Itoa(port)); err != nil {
		a.Kill()
		return nil, err
	}
	return a, nil
}

// wait waits for the end of the process, and keeps its output short.
func (a *App) wait(profile string) {
	ended := make(chan struct{})
	go a.output.bound(ended)
	_ = a.cmd.Wait() // the state of the process says how it ended
	close(ended)
	a.said = a.output.tail()
	a.output.close()
	_ = removeProfile(profile) // a child that is ending may still write into it; the system clears its directory for temporary files
	close(a.done)
}

func removeProfile(dir string) error {
	if dir == "" {
		return nil
	}
	return os.RemoveAll(dir)
}

func freePort(ctx context.Context) (int, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

// await waits until the port answers.
func (a *App) await(ctx context.Context, port string) error {
	ctx, cancel := context.WithTimeout(ctx, Wait)
	defer cancel()
	began := time.Now()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		once, stop := context.WithTimeout(ctx, ask)
		_, err := chrome.Resolve(once, port, nil)
		stop()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-a.done:
			return a.failed(api.LaunchFailed, "start "+a.Path+": it ended ("+a.cmd.ProcessState.String()+") and offered no debugging port")
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return context.Cause(ctx)
			}
			return a.failed(api.Timeout, fmt.Sprintf("start %s: its debugging port %s did not answer within %v", a.Path, port, time.Since(began).Round(100*time.Millisecond)))
		}
	}
}

// failed returns the error of a start, with the end of what the app printed.
func (a *App) failed(code api.Code, text string) error {
	said := a.said
	if !a.Ended() {
		said = a.output.tail()
	}
	if said != "" {
		text += "; it printed: " + said
	}
	return api.Errorf(code, "%s", text).
		WithHint("The app must be built on Chromium (Electron, CEF, a browser) and take --remote-debugging-port; if it runs already, close it, or start it with that switch.")
}

// Kill ends the processes of an app that was started here, at first by asking them to. Others are left alone.
func (a *App) Kill() {
	if a.cmd == nil || a.Ended() { // then its number may be another's
		return
	}
	terminate(a.cmd)
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-a.done:
	case <-late.C:
	}
	kill(a.cmd)
	<-a.done
}
