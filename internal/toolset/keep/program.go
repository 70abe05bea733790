package keep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/children"
	"github.com/usher-browser/usher/internal/config"
)

// Program is the process of a helper. Its standard output is limited in rate. The end of its standard error is kept for
// the error message after its exit.
type Program struct {
	// Stdin and Stdout are usher's ends of the pipes. Write to Stdin with [Program.Write] only.
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	cmd    *exec.Cmd
	meter  *limitedReader
	stderr *tail
	writer writer
	done   chan struct{}
	err    error // the exit error; valid after done is closed
}

// Launch starts the program of a configured server or plugin. The caller calls [Program.Close].
func Launch(s *config.Server) (*Program, error) {
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir, cmd.Env = s.Dir, environment(s.Env)
	children.Group(cmd)
	p := &Program{cmd: cmd, stderr: &tail{}, writer: writer{slot: make(chan struct{}, 1)}, done: make(chan struct{})}
	cmd.Stderr = p.stderr
	// A child process may keep standard error open; do not wait for it.
	cmd.WaitDelay = time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = write
	err = cmd.Start()
	_ = write.Close() // the program has its own descriptor
	if err != nil {
		_ = read.Close()
		return nil, err // it names the program and the cause
	}
	p.meter = &limitedReader{r: read}
	p.Stdin, p.Stdout = stdin, p.meter
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
		// Read what the program has left. A child that keeps the output open after that is ignored. Where pipes have no
		// deadlines, reading goes on until Close.
		_ = read.SetReadDeadline(time.Now().Add(drainTimeout))
	}()
	return p, nil
}

// drainTimeout is how long the remaining output of an ended program is read.
const drainTimeout = time.Second

// Done is closed when the process has ended.
func (p *Program) Done() <-chan struct{} { return p.done }

// PID returns the process id.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// closeGrace is how long a program may take to exit after its standard input was closed.
const closeGrace = 2 * time.Second

// Close closes the program's standard input, kills it with its child processes if it does not exit within closeGrace,
// and waits.
func (p *Program) Close() {
	// An error means that the program has ended already.
	_ = p.Stdin.Close()
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
	children.Kill(p.cmd)
	<-p.done
	_ = p.meter.r.Close()
	p.waitWrites()
}

// Kill kills the program and its child processes, without waiting.
func (p *Program) Kill() { children.Kill(p.cmd) }

// WaitExitError is [Program.ExitError] for a program whose pipe has closed. It waits up to a second for the exit,
// because the exit status is a better message than the closed pipe.
func (p *Program) WaitExitError(cause error) error {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
	return p.ExitError(cause)
}

// ExitError returns the error of a program that failed: the cause, unless that is only the end of the stream, the exit
// status, and the end of its standard error.
func (p *Program) ExitError(cause error) error {
	var what []string
	if cause != nil && !errors.Is(cause, io.EOF) && p.meter.Err() == nil {
		what = append(what, cause.Error())
	}
	select {
	case <-p.done:
		end := "it ended"
		var exit *exec.ExitError
		if errors.As(p.err, &exit) {
			end += " with " + exit.String()
		}
		what = append(what, end)
	default:
	}
	if err := p.meter.Err(); err != nil {
		what = append(what, err.Error())
	}
	if err := p.stalled(); err != nil {
		what = []string{err.Error()} // usher killed it for this reason, so omit the exit status
	}
	if len(what) == 0 {
		what = append(what, "it closed its standard output")
	}
	if said := p.stderr.String(); said != "" {
		what = append(what, "it said: "+said)
	}
	return errors.New(strings.Join(what, "; "))
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// maxTail bounds the end of standard error in an error message, in bytes.
const maxTail = 600

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b[max(0, len(b)-maxTail):]...)
	t.buf = t.buf[max(0, len(t.buf)-maxTail):]
	return len(b), nil
}

// String returns it as one line without control characters.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.ToValidUTF8(string(t.buf), "")
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == ' ' }), " ")
}

// Limits of a program's output within one window. A result of the maximum size, or hundreds of notifications per
// second, are below them.
const (
	window   = 5 * time.Second
	maxBytes = 64 << 20
	maxLines = 2000
)

// limitedReader counts what is read, and fails above the limits.
type limitedReader struct {
	r io.ReadCloser

	mu    sync.Mutex
	since time.Time // guarded by mu: start of the window
	bytes int       // guarded by mu
	lines int       // guarded by mu
	err   error     // guarded by mu
}

func (m *limitedReader) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); now.Sub(m.since) > window {
		m.since, m.bytes, m.lines = now, 0, 0
	}
	m.bytes += n
	for _, c := range b[:n] {
		if c == '\n' {
			m.lines++
		}
	}
	if m.bytes > maxBytes || m.lines > maxLines {
		m.err = fmt.Errorf("it sent too much: %d lines with %d bytes within %s", m.lines, m.bytes, window)
		return 0, m.err
	}
	return n, err
}

// Err returns an error if the program exceeded a limit.
func (m *limitedReader) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

func (m *limitedReader) Close() error { return m.r.Close() }

// environment returns a program's environment: variables that most programs need, and the configured ones. The rest of
// the user's environment may contain keys and is not passed on.
func environment(extra map[string]string) []string {
	var out []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if inherited(strings.ToUpper(name)) {
			out = append(out, pair)
		}
	}
	for name, value := range extra {
		out = append(out, name+"="+value)
	}
	return out
}

func inherited(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "PWD",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "USERPROFILE", "USERNAME":
		return true
	}
	return strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_")
}
