package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost/app/installed"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/config/dirs"
)

// LaunchOptions say how an app is started with a profile of its own.
type LaunchOptions struct {
	App *installed.App
	// Args are the caller's arguments; see [CheckArgs].
	Args []string
	// Display are variables of its environment, in addition to those of this process.
	Display []string
	// Session and Namespace are for the record; TargetType is page, webview or any.
	Session, Namespace, TargetType string
	// Timeout is how long the app may take until its debugging port answers; 0 for [LaunchWait]. More than [LongestWait] is taken for
	// that.
	Timeout time.Duration
}

const (
	// LaunchWait and LongestWait are those of pi-agent-browser-native.
	LaunchWait  = 15 * time.Second
	LongestWait = 120 * time.Second
	// poll is how often the profile is looked at.
	poll = 100 * time.Millisecond
)

// The reasons for which a launch fails: the member reason of the error's data.
const (
	Aborted        = "aborted"                  // the caller cancelled it
	PolicyBlocked  = "policy-blocked"           // the caller's rules forbid the app
	NotElectron    = "non-electron-target"      // it is no app built on Electron
	SpawnError     = "spawn-error"              // the system could not start it
	SingleInstance = "single-instance-conflict" // it ended at once and well: another instance took over
	PortNotFound   = "port-not-found"           // it ended otherwise, or opened no debugging port
	TimedOut       = "timeout"                  // its debugging port did not answer in time
)

// Diagnostics say how far a launch came that failed: the member diagnostics of the error's data.
type Diagnostics struct {
	PID        int    `json:"pid,omitzero"`
	PIDAlive   bool   `json:"pidAlive"`
	ExitCode   *int   `json:"exitCode,omitempty"`   // absent while it runs, and after a signal
	ExitSignal string `json:"exitSignal,omitempty"` // the name of the signal that ended it
	// UserDataDir is the profile, which the failed launch has removed.
	UserDataDir string `json:"userDataDir"`
	// DevToolsActivePort is the file in the profile in which Chromium says which port it opened.
	DevToolsActivePort ActivePort `json:"devToolsActivePort"`
	CDPVersionReached  bool       `json:"cdpVersionReached"` // the port answered
	ElapsedMs          int64      `json:"elapsedMs"`
	TimeoutMs          int64      `json:"timeoutMs"`
	OutputCaptured     bool       `json:"outputCaptured"`
	// Output is the end of what the app printed, in one line.
	Output string `json:"output,omitempty"`
}

// ActivePort is what the file DevToolsActivePort said.
type ActivePort struct {
	Found bool   `json:"found"`
	Path  string `json:"path"`
	Port  int    `json:"port,omitzero"`
	Error string `json:"error,omitempty"`
}

// CheckArgs refuses arguments that would take the profile or the debugging port from usher. The error is [api.InvalidArgument].
func CheckArgs(args []string) error {
	for _, arg := range args {
		if OwnArg(arg) {
			return api.Errorf(api.InvalidArgument, "launch an app: the argument %q is not for you to give: usher chooses the profile and the debugging port", arg).
				WithHint("Leave it out. To use the app's own profile, start the app with --remote-debugging-port yourself, and `connect` to the port.")
		}
	}
	return nil
}

// OwnArg reports whether an argument of an app is usher's to give: those for the profile and the debugging port, and -- which ends the
// switches.
func OwnArg(arg string) bool {
	name, _, _ := strings.Cut(strings.ToLower(arg), "=")
	if name == "--" {
		return true
	}
	switch strings.TrimPrefix(strings.TrimPrefix(name, "-"), "-") {
	case "user-data-dir", "remote-debugging-port", "remote-debugging-address", "remote-debugging-pipe":
		return strings.HasPrefix(name, "-")
	}
	return runtime.GOOS == "windows" && OwnArg("--"+strings.TrimPrefix(name, "/")) && strings.HasPrefix(name, "/")
}

// Launch starts an app with a profile and a debugging port of its own, and waits until the port answers. The app's usual profile, and
// instances that use it, are left alone. Errors have reason and diagnostics in their data: [api.LaunchFailed], [api.Timeout],
// [api.Cancelled], [api.InvalidArgument].
func (l *Launches) Launch(ctx context.Context, o *LaunchOptions) (*Record, *App, error) {
	if err := CheckArgs(o.Args); err != nil {
		return nil, nil, err
	}
	timeout := o.Timeout
	if timeout <= 0 {
		timeout = LaunchWait
	}
	timeout = min(timeout, LongestWait)
	r, err := l.prepare(o)
	if err != nil {
		return nil, nil, err
	}
	began := time.Now()
	a, err := l.spawn(r, o)
	if err != nil {
		d := &Diagnostics{UserDataDir: r.UserDataDir, TimeoutMs: timeout.Milliseconds(), DevToolsActivePort: ActivePort{Path: activePortOf(r.UserDataDir)}}
		err = api.Errorf(api.LaunchFailed, "launch %s: %w", r.AppName, err).With("reason", SpawnError).With("diagnostics", d)
		return nil, nil, l.abandon(ctx, r, nil, err)
	}
	if err := l.write(r); err != nil { // now with its process
		return nil, nil, l.abandon(ctx, r, a, err)
	}
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	d := &Diagnostics{PID: r.PID, UserDataDir: r.UserDataDir, TimeoutMs: timeout.Milliseconds(), OutputCaptured: true}
	if err := l.await(waiting, r, a, d); err != nil {
		d.ElapsedMs = time.Since(began).Milliseconds()
		return nil, nil, l.abandon(ctx, r, a, l.failed(ctx, r, a, d, err))
	}
	r.CleanupState = Active
	if err := l.write(r); err != nil {
		return nil, nil, l.abandon(ctx, r, a, err)
	}
	l.keep(r.LaunchID, a)
	return r, a, nil
}

// prepare makes the profile and the record of a launch, before anything runs: so whatever happens later is known.
func (l *Launches) prepare(o *LaunchOptions) (*Record, error) {
	if err := dirs.MakePrivate(l.dir); err != nil {
		return nil, err
	}
	if list, err := l.List(); err == nil {
		if err := l.prune(list); err != nil {
			return nil, api.Errorf(api.FileWriteFailed, "remove old records of launched apps: %w", err)
		}
	}
	target := o.TargetType
	if target == "" {
		target = "page"
	}
	r := &Record{
		Version: 1, LaunchID: idPrefix + uuid(), LaunchedByWrapper: true, AppName: o.App.Name, ExecutablePath: o.App.ExecutablePath,
		AppPath: o.App.AppPath, BundleID: o.App.BundleID, DesktopID: o.App.DesktopID, PackageSource: o.App.PackageSource, Platform: runtime.GOOS,
		SessionName: o.Session, Namespace: o.Namespace, TargetType: target, CreatedAtMs: time.Now().UnixMilli(), CleanupState: Starting,
	}
	r.UserDataDir = l.profileOf(r.LaunchID)
	if err := l.write(r); err != nil {
		return nil, err
	}
	if err := os.Mkdir(r.UserDataDir, 0o700); err != nil {
		return nil, api.Errorf(api.FileWriteFailed, "launch %s: make its profile: %w", r.AppName, errors.Join(err, l.forget(r.LaunchID)))
	}
	return r, nil
}

// uuid returns a random UUID, version 4.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// spawn starts the process of a launch.
func (l *Launches) spawn(r *Record, o *LaunchOptions) (*App, error) {
	args := append(append([]string{}, o.App.Args...), "--user-data-dir="+r.UserDataDir, "--remote-debugging-port=0", "--disable-extensions", "--no-first-run", "--no-default-browser-check")
	if runtime.GOOS == "linux" && os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium refuses to start as root with it
	}
	a := &App{Path: r.ExecutablePath, Started: true, done: make(chan struct{})}
	a.cmd = exec.Command(r.ExecutablePath, append(args, o.Args...)...)
	a.cmd.Dir, a.cmd.Env = filepath.Dir(r.ExecutablePath), append(os.Environ(), o.Display...)
	detach(a.cmd)
	var err error
	if a.output, err = newOutput(); err == nil {
		a.cmd.Stdout, a.cmd.Stderr = a.output.file, a.output.file
		err = a.cmd.Start()
	}
	if err != nil {
		a.output.close()
		return nil, err
	}
	a.PID = a.cmd.Process.Pid
	r.PID, r.ProcessGroupID = a.PID, groupOf(a.cmd)
	go a.wait("")
	return a, nil
}

var errEnded = errors.New("it ended")

// await waits until the app has written its port and answers there. d gets what was seen.
func (l *Launches) await(ctx context.Context, r *Record, a *App, d *Diagnostics) error {
	d.DevToolsActivePort.Path = activePortOf(r.UserDataDir)
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		port, socket, err := chrome.ActivePort(r.UserDataDir)
		d.DevToolsActivePort.Found, d.DevToolsActivePort.Error = !errors.Is(err, fs.ErrNotExist), ""
		switch {
		case err == nil:
			d.DevToolsActivePort.Port = port
			r.Port, r.WebSocketDebuggerURL, a.Endpoint = port, socket, fmt.Sprintf("http://127.0.0.1:%d", port)
			if v, err := versionAt(ctx, port); err == nil && v.WebSocketDebuggerURL == socket {
				d.CDPVersionReached = true
				return nil
			}
		case d.DevToolsActivePort.Found:
			d.DevToolsActivePort.Error = err.Error()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if a.Ended() && !l.goesOn(r) { // a script, or the runtime of an AppImage, may end and leave the app running
			return errEnded
		}
	}
}

// goesOn reports whether a process uses the profile of a launch.
func (l *Launches) goesOn(r *Record) bool {
	main, _, err := chrome.UsingProfile(r.UserDataDir)
	return err == nil && len(main) > 0
}

// failed returns the error of a launch.
func (l *Launches) failed(ctx context.Context, r *Record, a *App, d *Diagnostics, err error) error {
	d.PIDAlive = !a.Ended()
	if d.PIDAlive {
		d.Output = a.output.tail()
	} else {
		d.Output = a.said
		if state := a.cmd.ProcessState; state.ExitCode() >= 0 {
			code := state.ExitCode()
			d.ExitCode = &code
		} else {
			d.ExitSignal = signalOf(state)
		}
	}
	fail := func(code api.Code, reason, text, hint string) error {
		if d.Output != "" {
			text += "; it printed: " + d.Output
		}
		return api.Errorf(code, "launch %s: %s", r.AppName, text).With("reason", reason).With("diagnostics", d).WithHint("%s", hint)
	}
	switch {
	case ctx.Err() != nil:
		return fail(api.Cancelled, Aborted, "cancelled", "Nothing of it is left running.")
	case errors.Is(err, errEnded) && d.ExitCode != nil && *d.ExitCode == 0:
		return fail(api.LaunchFailed, SingleInstance, "it ended with status 0 and opened no debugging port: an instance that runs already has probably taken over",
			"Close the running app and try again; or start it with --remote-debugging-port yourself, and `connect` to the port.")
	case errors.Is(err, errEnded):
		return fail(api.LaunchFailed, PortNotFound, "it ended ("+a.cmd.ProcessState.String()+") and opened no debugging port", "See what it printed.")
	case !d.DevToolsActivePort.Found:
		return fail(api.Timeout, PortNotFound, fmt.Sprintf("it runs, but opened no debugging port within %v: there is no %s", time.Duration(d.TimeoutMs)*time.Millisecond, d.DevToolsActivePort.Path),
			"Give it more time with --timeout. An app that removes --remote-debugging-port from its command line cannot be driven.")
	}
	return fail(api.Timeout, TimedOut, fmt.Sprintf("its debugging port %d did not answer within %v", d.DevToolsActivePort.Port, time.Duration(d.TimeoutMs)*time.Millisecond), "Give it more time with --timeout.")
}

// abandon ends what a failed launch has started, and adds to the error what could not be removed; then the record stays.
func (l *Launches) abandon(ctx context.Context, r *Record, a *App, cause error) error {
	if a != nil {
		a.Kill()
	}
	c := l.Cleanup(context.WithoutCancel(ctx), r, CleanupWait)
	if c.Complete {
		if err := l.forget(r.LaunchID); err == nil {
			return cause
		}
	}
	e := api.AsError(cause).With("cleanup", c)
	return e.WithHint("%s Something was left: `app cleanup %s` tries again.", e.Hint, r.LaunchID)
}

func activePortOf(profile string) string { return filepath.Join(profile, "DevToolsActivePort") }
