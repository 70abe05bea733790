// Package chrome finds, launches and ends Chromium, and finds the debugging address of a browser that already runs.
//
// A launched browser is a [Process]. It is driven over two inherited pipe ends (CDP as JSON texts, each ended by a NUL
// byte). Those are also its parent-death pipe: Chromium exits when its end of the command pipe is closed, and the
// kernel closes it when the owner ends in any way. Three more mechanisms back that up:
//
//	parent-death pipe   closes with the owner          the owner ended or was killed
//	parent signal       kernel signals the browser     the owner was killed while the browser hangs (Linux)
//	group / job         kills the whole process group  Close found it running after two seconds
//	sweep               finds our profile's name       other child processes, and profiles whose owner is gone
//
// Goroutines: one per Process, started by Launch, which starts the program, waits for it on one locked thread and ends
// with it (plus the copier of standard error that os/exec runs inside that wait). Close waits for it.
package chrome

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/chrome/userprofile"
	"github.com/usher-browser/usher/internal/pipe"
)

const (
	// startTimeout bounds the wait for the first reply when the caller's context has no deadline. A cold start takes
	// 0.1-0.4 s; on a machine that swaps it has taken 15.
	startTimeout = 30 * time.Second
	// politeExit is how long Close waits for the browser to end by itself: it took 60-120 ms on Chromium 156.
	closeGrace = 2 * time.Second
	// forcedExit bounds everything Close does after that.
	forcedExit = 5 * time.Second
	// stderrDrain is how long to wait, after the end of the browser, for children that still hold its standard error.
	stderrDrain = 100 * time.Millisecond
)

// Size is a width and height in CSS pixels.
type Size struct{ Width, Height int }

// DefaultViewport is the size of a page in a browser whose window has no size of its own.
var DefaultViewport = Size{1280, 720}

// Options are the options of [Launch]. The zero value is a headless browser with a temporary profile and a viewport of
// [DefaultViewport].
type Options struct {
	// Executable is the browser to run; empty means [Find].
	Executable string
	// Headed opens windows on the display.
	Headed bool
	// ProfileDir is a profile of the user's, created when missing and kept. Empty means a temporary one, removed by Close,
	// or by the next Launch when the owner was killed.
	ProfileDir string
	// Copy is a profile of the user's that is copied into the temporary profile; nil for an empty one. ProfileDir is then
	// empty.
	Copy *userprofile.Profile
	// Args are further command-line switches. They are last, so they take precedence; features named in
	// --enable-features and --disable-features are joined with ours.
	Args []string
	// Extensions are directories of unpacked extensions, which the caller will load over the pipe.
	Extensions []string
	// Proxy is a proxy server (http://host:port, socks5://host:port, ...), ProxyBypass the hosts that go direct, in
	// Chromium's
	// --proxy-bypass-list syntax.
	Proxy, ProxyBypass string
	// Contained keeps all traffic in Proxy, also to loopback addresses: the browser resolves no names and sends no UDP
	// packets. Switches in Args cannot undo it.
	Contained bool
	// IgnoreHTTPSErrors accepts any certificate.
	IgnoreHTTPSErrors bool
	// Authorities is a PEM file of certificate authorities that the browser trusts besides its own; empty for none. Linux, with
	// a temporary profile, only.
	Authorities string
	// AllowFileAccess lets file: pages read other files.
	AllowFileAccess bool
	// HideScrollbars hides scroll bars in the page and in screenshots.
	HideScrollbars bool
	// WebGPU enables WebGPU where Chromium does not by itself: without a supported GPU, in software (SwiftShader).
	WebGPU bool
	// NoWebMCP leaves out WebMCP, an experimental interface by which pages offer tools to agents (document.modelContext).
	NoWebMCP bool
	// NoUTC gives the browser another time zone if this machine's is UTC, which machines of persons rarely have. Windows has
	// no such setting per process.
	NoUTC bool
	// UserAgent replaces the real user agent.
	UserAgent string
	// WindowSize is the outer window; zero means one whose viewport is [DefaultViewport].
	WindowSize Size
	// DebugPort opens a debugging port on 127.0.0.1 for other programs: a number, or 0 for a free one. Empty means none.
	DebugPort string
	// Display replaces this process's [DisplayVariables], as NAME=value: those that are missing are unset. Nil keeps
	// them.
	Display []string
	// Env is added to this process's environment, as NAME=value.
	Env []string
}

// Process is a launched browser with its temporary files. It is safe for concurrent use.
type Process struct {
	program
	product      string
	profile      string
	debugURL     string       // empty without a debugging port
	temp         *tempProfile // nil for a profile of the user's
	in           *os.File     // commands to the browser
	out          *conn        // replies from it
	warnings     []error
	closeTimeout time.Duration // how long Close waits for the browser to end by itself

	closing  sync.Once
	closeErr error
}

// Exit is how a browser ended.
type Exit struct {
	// Code is the exit code, or -1 after a signal.
	Code int
	// Signal is the name of the signal that ended it, or empty.
	Signal string
	// Stderr is the end of what it wrote to standard error, at most 8 KiB.
	Stderr string
}

func (e Exit) String() string {
	if e.Signal != "" {
		return "ended by signal: " + e.Signal
	}
	return fmt.Sprintf("exited with code %d", e.Code)
}

// Launch starts a browser and returns when it has answered its first command.
//
// The context bounds the start only; without a deadline 30 s apply. Errors: [*NotFoundError] when there is no browser,
// [*ProfileInUseError], [ErrNoDisplay], and [*StartError] with the end of standard error for all failures of the
// program. After an error nothing is left running. After success the caller owns the process and must call Close, also
// when the browser has ended.
func Launch(ctx context.Context, o Options) (*Process, error) {
	ctx, cancel := withDeadline(ctx, startTimeout)
	defer cancel()

	path, err := Find(o.Executable)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(checkArgs(o.Args), checkPort(&o)); err != nil {
		return nil, err
	}
	if o.Headed && !hasDisplay(o) {
		return nil, ErrNoDisplay
	}
	p := &Process{program: newProgram(unwrap(path)), closeTimeout: closeGrace}
	agent, err := p.userAgent(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := p.prepareProfile(ctx, &o); err != nil {
		return nil, err
	}
	if o.Authorities != "" && p.temp != nil {
		more, err := p.temp.trust(ctx, o.Authorities)
		if err != nil {
			return nil, errors.Join(err, p.release())
		}
		o.Env = append(more, o.Env...)
	}
	if err := p.startPiped(switches(o, p.profile, agent), p.environment(o)); err != nil {
		return nil, errors.Join(err, p.release())
	}
	// The browser needs some 100 ms to answer: time to clear up after owners that were killed.
	if _, err := SweepProfiles(ctx); err != nil {
		p.warnings = append(p.warnings, err)
	}
	err = p.handshake(ctx)
	if err == nil {
		err = p.awaitPort(ctx, &o)
	}
	if err != nil {
		return nil, p.abandon(err, o.ProfileDir)
	}
	if err := cacheVersion(p.executable, p.product); err != nil {
		p.warnings = append(p.warnings, err)
	}
	return p, nil
}

// withDeadline gives ctx a deadline when it has none: nothing here waits without one.
func withDeadline(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// prepareProfile makes the profile directory ready: the user's, or a temporary one, which may be a copy.
func (p *Process) prepareProfile(ctx context.Context, o *Options) error {
	if o.ProfileDir != "" {
		dir, err := openProfile(o.ProfileDir)
		p.profile = dir
		return err
	}
	if o.Copy != nil {
		v, err := version(ctx, p.executable)
		if err == nil {
			err = o.Copy.CheckVersion(p.executable, v)
		}
		if err != nil {
			return err
		}
	}
	t, err := newTempProfile(p.executable)
	if err != nil {
		return err
	}
	p.temp, p.profile = t, t.profileDir()
	if o.Copy != nil {
		if err := o.Copy.CopyTo(ctx, p.profile); err != nil {
			return errors.Join(err, t.remove())
		}
	}
	return nil
}

// environment returns ours, with the temporary files of a temporary profile's browser beside that profile, so that they
// go with it: a killed browser leaves its singleton socket directory in TMPDIR otherwise. Crash reports go into the
// profile, for Chromium on Linux prepares their directory among the user's own settings, even where it makes no
// reports.
func (p *Process) environment(o Options) []string {
	env := append(inherited(o), "BREAKPAD_DUMP_LOCATION="+filepath.Join(p.profile, "Crash Reports"))
	if p.temp != nil && p.temp.ownTemp() {
		env = append(env, "TMPDIR="+p.temp.tempDir())
	}
	if o.NoUTC && inUTC(time.Local) {
		env = append(env, "TZ="+zoneForUTC)
	}
	return append(env, o.Env...)
}

// zoneForUTC is that of the language that Chromium has on a machine without one, en-US.
const zoneForUTC = "America/New_York"

// inUTC reports whether a place has UTC. Others without an offset have another name: GMT, WET.
func inUTC(place *time.Location) bool {
	name, offset := time.Now().In(place).Zone()
	return name == "UTC" && offset == 0
}

// startPiped starts the process with the two pipes of the CDP connection.
func (p *Process) startPiped(args, env []string) error {
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe for the browser: %w", err)
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(fmt.Errorf("make another pipe for the browser: %w", err), theirIn.Close(), ourIn.Close())
	}
	widen(ourIn, ourOut)
	p.in, p.out = ourIn, &conn{File: ourOut, pipe: pipe.Quick(ourOut)}
	cmd := exec.Command(p.executable)
	cmd.Env = env
	prepare(cmd, theirIn, theirOut, p.temp != nil)
	cmd.Args = append(append(cmd.Args, args...), pipeSwitches(theirIn, theirOut)...)

	// The browser has its own copies; ours would keep the pipes open after its end.
	err = errors.Join(p.start(cmd), theirIn.Close(), theirOut.Close())
	if err != nil {
		return &StartError{
			Executable: p.executable, Problem: "cannot be started", Cause: err,
			Cleanup: errors.Join(closeFile(ourIn), closeFile(ourOut)),
		}
	}
	return nil
}

// versionRequest is the first command; its id is one no connection counts up to, so that the reply can never be taken
// for another's.
const versionRequest = `{"id":2147483647,"method":"Browser.getVersion"}` + "\x00"

// handshake sends one command and reads its reply. No domain is enabled yet, so nothing else can arrive; what does
// arrive after the reply stays for the connection.
func (p *Process) handshake(ctx context.Context) error {
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	if _, err := io.WriteString(p.in, versionRequest); err != nil {
		return fmt.Errorf("send the first command: %w", err)
	}
	frame, err := p.out.readFrame()
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("no answer to the first command: %w", context.Cause(ctx))
		}
		return fmt.Errorf("read the first reply: %w", err)
	}
	var reply struct {
		Result struct {
			Product string `json:"product"`
		} `json:"result"`
	}
	if err := json.Unmarshal(frame, &reply); err != nil || reply.Result.Product == "" {
		return fmt.Errorf("first reply is not one of a browser: %.200q", frame)
	}
	p.product = reply.Result.Product
	return nil
}

// abandon ends a browser that did not start well and turns what happened into one error.
func (p *Process) abandon(cause error, profile string) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	ended := errors.Is(cause, io.EOF) || errors.Is(cause, os.ErrClosed) || isBrokenPipe(cause)
	cleanup := p.Close(ctx)
	if profile != "" {
		// Two launches at the same moment: the browser itself found the lock.
		if err := checkUnused(p.profile); err != nil {
			return errors.Join(err, cleanup)
		}
	}
	exit, _ := p.Exit()
	e := &StartError{Executable: p.executable, Exit: exit, Cause: cause, Cleanup: cleanup}
	if ended {
		e.Problem = exit.String() + " before it answered"
	} else {
		e.Problem = "did not start properly"
	}
	return e
}

// Conn returns the two ends of the CDP connection: replies and events to read, commands to write, each message one JSON
// text followed by a NUL byte. Closing the writer ends the browser.
func (p *Process) Conn() (io.ReadCloser, io.WriteCloser) { return p.out, p.in }

// Product returns the browser's name and version, such as "Chrome/156.0.8078.79".
func (p *Process) Product() string { return p.product }

// ProfileDir returns the profile directory in use.
func (p *Process) ProfileDir() string { return p.profile }

// Warnings returns failures that did not prevent the launch: a version that could not be cached, an abandoned profile
// that could not be removed.
func (p *Process) Warnings() []error { return p.warnings }

// Close ends the browser and removes its processes and its temporary profile. Send Browser.close first where pages
// should get their unload events; Close itself closes the pipe, waits up to 2 s (less if ctx ends), kills the process
// group, and searches for other child processes until three passes find none. It may be called several times; later
// calls return the first result.
func (p *Process) Close(ctx context.Context) error {
	p.closing.Do(func() { p.closeErr = p.close(ctx) })
	return p.closeErr
}

func (p *Process) close(ctx context.Context) error {
	errs := []error{closeFile(p.in)}
	grace := time.NewTimer(p.closeTimeout)
	defer grace.Stop()
	select {
	case <-p.done:
	case <-grace.C:
	case <-ctx.Done():
	}
	p.kill()
	if err := p.awaitForced(); err != nil {
		return errors.Join(append(errs, err)...)
	}
	errs = append(errs, p.group.close(p.profile, p.temp != nil), closeFile(p.out.File), p.release())
	return errors.Join(errs...)
}

// release unlocks the temporary profile.
func (p *Process) release() error {
	if p.temp == nil {
		return nil
	}
	return p.temp.remove()
}

// closeFile closes a pipe end that the connection may have closed before.
func closeFile(f *os.File) error {
	if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("close the browser's pipe: %w", err)
	}
	return nil
}

// conn is the reading end: what the greeting read too much, then the pipe.
type conn struct {
	*os.File
	pipe io.Reader // of the file
	rest []byte
}

func (c *conn) Read(b []byte) (int, error) {
	if len(c.rest) > 0 {
		n := copy(b, c.rest)
		c.rest = c.rest[n:]
		return n, nil
	}
	return c.pipe.Read(b)
}

// WriteTo hides the method of os.File, which would pass the rest by.
func (c *conn) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{c})
}

// maxVersionReply bounds the first reply: a browser's has some 300 bytes.
const maxVersionReply = 64 << 10

// readFrame reads up to the first NUL and buffers what follows.
func (c *conn) readFrame() ([]byte, error) {
	var frame []byte
	buf := make([]byte, 4096)
	for {
		n, err := c.pipe.Read(buf)
		frame = append(frame, buf[:n]...)
		if i := bytes.IndexByte(frame, 0); i >= 0 {
			c.rest = frame[i+1:]
			return frame[:i], nil
		}
		if err != nil {
			return nil, err
		}
		if len(frame) > maxVersionReply {
			return nil, fmt.Errorf("%d bytes without an end", len(frame))
		}
	}
}

// cacheDir returns the directory of cached data about executables.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache directory: %w", err)
	}
	return filepath.Join(dir, "usher"), nil
}
