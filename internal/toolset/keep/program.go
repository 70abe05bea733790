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

	"github.com/usher-browser/usher/internal/config"
)

// Program is a helper's process. What it says on standard output is limited in rate;
// the end of what it says on standard error is kept for the message that tells of its
// end.
type Program struct {
	// Stdin and Stdout are its ends of the conversation. What is written to Stdin goes through [Program.Write].
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	cmd    *exec.Cmd
	meter  *meter
	stderr *tail
	pen    pen
	done   chan struct{}
	err    error // how it ended; valid once done is closed
}

// Launch starts the program of a server.
func Launch(s *config.Server) (*Program, error) {
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir, cmd.Env = s.Dir, environment(s.Env)
	own(cmd)
	p := &Program{cmd: cmd, stderr: &tail{}, pen: pen{slot: make(chan struct{}, 1)}, done: make(chan struct{})}
	cmd.Stderr = p.stderr
	// What the program started may hold its standard error open; that is no reason to wait.
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
	_ = write.Close() // the program has its own
	if err != nil {
		_ = read.Close()
		return nil, err // names the program and what is wrong with it
	}
	p.meter = &meter{r: read}
	p.Stdin, p.Stdout = stdin, p.meter
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
		// What it has said is read. Who holds its output open after that is not the program that was configured; where the
		// system knows no deadline for pipes it is read on until Close.
		_ = read.SetReadDeadline(time.Now().Add(lastRead))
	}()
	return p, nil
}

// lastRead is how long what a program that has ended may have left is read.
const lastRead = time.Second

// Done is closed when the process has ended.
func (p *Program) Done() <-chan struct{} { return p.done }

// PID is the process's id.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// grace is how long a program may take to leave after it was told to.
const grace = 2 * time.Second

// Close tells the program to leave by closing its standard input, ends it and all that
// it started if it does not, and waits.
func (p *Program) Close() {
	// Where it cannot be told because it is gone, it need not be.
	_ = p.Stdin.Close()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
	killAll(p.cmd)
	<-p.done
	_ = p.meter.r.Close()
	p.putDown()
}

// Kill ends the program and all that it started, at once, and does not wait.
func (p *Program) Kill() { killAll(p.cmd) }

// WaitExitError is ExitError for a program whose pipe has closed: it waits up to a second for the exit, because the exit
// status is a better message than the closed pipe.
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
		what = []string{err.Error()} // that it was ended then is ours
	}
	if len(what) == 0 {
		what = append(what, "it closed its standard output")
	}
	if said := p.stderr.String(); said != "" {
		what = append(what, "it said: "+said)
	}
	return errors.New(strings.Join(what, "; "))
}

// tail keeps the last of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// maxTail is how much of a program's last words are told, in bytes.
const maxTail = 600

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b[max(0, len(b)-maxTail):]...)
	t.buf = t.buf[max(0, len(t.buf)-maxTail):]
	return len(b), nil
}

// String is one line of plain text.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.ToValidUTF8(string(t.buf), "")
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == ' ' }), " ")
}

// A program that says more than this within a window is taken for one that has lost its
// mind: a result of the greatest size, or hundreds of notices in a second, are below.
const (
	window   = 5 * time.Second
	maxBytes = 64 << 20
	maxLines = 2000
)

// meter reads and counts.
type meter struct {
	r io.ReadCloser

	mu    sync.Mutex
	since time.Time // guarded by mu: the window's beginning
	bytes int       // guarded by mu
	lines int       // guarded by mu
	err   error     // guarded by mu
}

func (m *meter) Read(b []byte) (int, error) {
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

// Err says that the program said too much.
func (m *meter) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

func (m *meter) Close() error { return m.r.Close() }

// environment is what a program gets: what every program needs, and what is configured.
// The rest of the user's environment, with the keys that may be in it, is not its
// business.
func environment(extra map[string]string) []string {
	var out []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if common(strings.ToUpper(name)) {
			out = append(out, pair)
		}
	}
	for name, value := range extra {
		out = append(out, name+"="+value)
	}
	return out
}

func common(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "PWD",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "USERPROFILE", "USERNAME":
		return true
	}
	return strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_")
}
