package script

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/usher-browser/usher/internal/pipe"
	"github.com/usher-browser/usher/internal/script/message"
	"github.com/usher-browser/usher/internal/script/vm"
)

// process is one process of an engine.
type process struct {
	cmd *exec.Cmd
	// in takes messages, one at a time.
	mu     sync.Mutex
	in     io.WriteCloser
	try    pipe.Writer // of in
	output io.ReadCloser
	// direct, if there is one, is offered every call by the goroutine that reads, and returns whether it took it.
	direct atomic.Pointer[func(*message.Message) bool]
	// out has the messages of the process. It is closed when the process has ended; why says how.
	out chan *message.Message
	why error
	// complaint is what the process wrote about its end.
	complaint tail
	// discarded ends the reading of out.
	discarded chan struct{}
	once      sync.Once
}

// start starts a process and sends it its settings. It is ready when it says so.
func start(o Options) (*process, error) {
	path := o.Executable
	if path == "" {
		var err error
		if path, err = self(); err != nil {
			return nil, err
		}
	}
	p := &process{cmd: exec.Command(path), out: make(chan *message.Message, 64), discarded: make(chan struct{})}
	p.cmd.Args[0] = vm.ChildName
	p.cmd.Env = environment()
	p.cmd.Dir = root
	p.cmd.Stderr = &p.complaint
	p.cmd.WaitDelay = time.Second
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	p.try = pipe.Of(p.in)
	if p.output, err = p.cmd.StdoutPipe(); err != nil {
		return nil, errors.Join(err, p.in.Close())
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(bufio.NewReader(pipe.Quick(p.output))) // ends with the process: see end
	err = p.send(&message.Message{Type: message.Start, Start: &message.Settings{Facade: o.Facade, Memory: o.MemoryLimit, Idle: int64(o.idle), Keep: o.Keep}})
	if err != nil {
		p.end()
		return nil, fmt.Errorf("%w: %w", err, p.why)
	}
	return p, nil
}

// environment returns that of the process: nothing that it could give away, besides the time zone.
func environment() []string {
	env := []string{"GOMAXPROCS=1", "GOTRACEBACK=none"}
	if zone := os.Getenv("TZ"); zone != "" {
		env = append(env, "TZ="+zone)
	}
	if runtime.GOOS == "windows" { // without it the system's libraries are not found
		env = append(env, "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return env
}

// read reads messages until the process has ended.
func (p *process) read(out *bufio.Reader) {
	var err error
	for err == nil {
		var m *message.Message
		if m, err = message.Read(out); err == nil {
			if take := p.direct.Load(); take != nil && m.Type == message.Call && (*take)(m) {
				continue
			}
			select {
			case p.out <- m:
			case <-p.discarded:
				err = io.EOF
			}
		}
	}
	p.kill() // what it says makes no sense, or it is ending
	ended := p.cmd.Wait()
	p.why = explain(err, ended, p.complaint.String())
	close(p.out)
}

// explain says why a process ended.
func explain(read, ended error, complaint string) error {
	if !errors.Is(read, io.EOF) && !errors.Is(read, io.ErrUnexpectedEOF) && !errors.Is(read, os.ErrClosed) {
		return read
	}
	text := "it ended"
	if ended != nil {
		text = ended.Error()
	}
	if complaint = strings.TrimSpace(complaint); complaint != "" {
		text += ": " + complaint
	}
	return errors.New(text)
}

// send sends one message. Its error is that of the message: if the process is gone, its output says so. It waits while the process
// takes no more.
func (p *process) send(m *message.Message) error {
	frame, err := message.Encode(m)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.in.Write(frame)
	return nil
}

// trySend sends one message without waiting, and returns false if that is not possible.
func (p *process) trySend(m *message.Message) bool {
	frame, err := message.Encode(m)
	if err != nil || !p.mu.TryLock() {
		return false
	}
	defer p.mu.Unlock()
	return p.try.Try(frame)
}

// kill kills the process, which may have ended already, and closes the pipes, so that nobody waits for them, whoever else has them.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.in.Close()
	_ = p.output.Close()
}

// end kills the process and waits for its end.
func (p *process) end() {
	p.once.Do(func() { close(p.discarded) })
	p.kill()
	for range p.out { // until it is closed
	}
}

// tail keeps the first bytes that are written to it: a process that fails says why at first.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const maxComplaint = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.Write(b[:min(len(b), max(0, maxComplaint-t.b.Len()))])
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}
