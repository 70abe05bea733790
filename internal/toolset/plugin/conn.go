package plugin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/toolset/keep"
)

// protocol is the version of the protocol.
const protocol = 1

// maxLine bounds a line of the protocol, in bytes.
const maxLine = 16 << 20

// message is a line in either direction; which of the members count depends on Type.
type message struct {
	Type      string         `json:"type"`
	Protocol  int            `json:"protocol,omitzero"`  // hello, manifest
	Usher     string         `json:"usher,omitzero"`     // hello
	ID        int            `json:"id,omitzero"`        // call, cancel, progress, result, error
	Tool      string         `json:"tool,omitzero"`      // call
	Arguments jsontext.Value `json:"arguments,omitzero"` // call
	Session   string         `json:"session,omitzero"`   // call
	Cwd       string         `json:"cwd,omitzero"`       // call
	Text      string         `json:"text,omitzero"`      // progress, result
	Data      jsontext.Value `json:"data,omitzero"`      // result
	Message   string         `json:"message,omitzero"`   // error
	manifest  `json:",inline"`
}

// manifest says what a plugin has.
type manifest struct {
	Description string     `json:"description,omitzero"`
	Tools       []declared `json:"tools,omitzero"`
}

// declared is a tool in a manifest.
type declared struct {
	Name        string         `json:"name"`
	Title       string         `json:"title,omitzero"`
	Description string         `json:"description,omitzero"`
	InputSchema jsontext.Value `json:"inputSchema"`
	ReadOnly    bool           `json:"readOnly,omitzero"`
	Destructive bool           `json:"destructive,omitzero"`
	Idempotent  bool           `json:"idempotent,omitzero"`
	OpenWorld   bool           `json:"openWorld,omitzero"`
}

func (d *declared) traits() (out tool.Traits) {
	for trait, is := range map[tool.Traits]bool{tool.ReadOnly: d.ReadOnly, tool.Destructive: d.Destructive,
		tool.Idempotent: d.Idempotent, tool.OpenWorld: d.OpenWorld} {
		if is {
			out |= trait
		}
	}
	return out
}

// conn is the conversation with a plugin that runs. It implements [keep.Conn]. One
// goroutine reads, and one tells the plugin of each call that was given up; Close waits for them.
type conn struct {
	program *keep.Program
	greeted chan struct{} // closed at the first manifest
	done    chan struct{} // closed when nothing more is read
	lost    error         // why; valid once done is closed

	cancels sync.WaitGroup // plugins are told that nobody waits any more

	mu    sync.Mutex
	last  int              // guarded by mu: the id of the newest call
	calls map[int]*pending // guarded by mu: those that wait for an answer
	cause error            // guarded by mu: why it is given up
	late  *time.Timer      // guarded by mu: gives it up when it fires; nil while it answers
	// closing is guarded by mu: nothing more is told.
	closing bool
}

// pending is a call that waits.
type pending struct {
	answer   chan *message // capacity 1
	progress func(string)
}

// open starts the program and waits for its manifest.
func (p *Plugin) open(ctx context.Context) (*conn, error) {
	if p.conf.Command == "" {
		return nil, errors.New("a plugin is a command; a url is for MCP servers")
	}
	program, err := keep.Launch(p.conf)
	if err != nil {
		return nil, fmt.Errorf("start it: %w", err)
	}
	c := &conn{program: program, greeted: make(chan struct{}), done: make(chan struct{}), calls: map[int]*pending{}}
	go c.read(p)
	ctx, cancel := context.WithTimeout(ctx, p.conf.StartTimeout)
	defer cancel()
	if err := c.write(ctx, &message{Type: "hello", Protocol: protocol, Usher: p.version}); err != nil && ctx.Err() == nil {
		c.Close()
		return nil, c.Err()
	}
	select {
	case <-c.greeted:
		return c, nil
	case <-c.done:
		err = c.Err()
	case <-ctx.Done():
		err = fmt.Errorf("it sent no manifest within %s", p.conf.StartTimeout)
	}
	c.Close()
	return nil, err
}

// write writes a line; see [keep.Program.Write].
func (c *conn) write(ctx context.Context, m *message) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return c.program.Write(ctx, func() error {
		_, err := c.program.Stdin.Write(append(raw, '\n'))
		return err
	})
}

// read takes the program's lines until there are no more, or one that is none.
func (c *conn) read(p *Plugin) {
	defer close(c.done)
	defer fault.Recover(func(e *fault.Error) { c.lost = e; c.program.Kill() })
	lines := bufio.NewScanner(c.program.Stdout)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		var m message
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			c.lost = fmt.Errorf("it sent a line that is not a protocol message: %.100q", lines.Bytes())
			return
		}
		if err := c.handle(p, &m); err != nil {
			c.lost = err
			return
		}
	}
	c.lost = lines.Err()
}

func (c *conn) handle(p *Plugin, m *message) error {
	c.mu.Lock()
	if c.late != nil { // it answers after all
		c.late.Stop()
		c.late = nil
	}
	call := c.calls[m.ID]
	if m.Type == "result" || m.Type == "error" {
		delete(c.calls, m.ID)
	}
	c.mu.Unlock()
	switch m.Type {
	case "manifest":
		if m.Protocol != protocol {
			return fmt.Errorf("it speaks version %d of the protocol; this usher speaks %d", m.Protocol, protocol)
		}
		p.take(&m.manifest)
		select {
		case <-c.greeted:
			p.changed()
		default:
			close(c.greeted)
		}
	case "progress":
		if call != nil && call.progress != nil {
			call.progress(toolset.Short(m.Text, 200))
		}
	case "result", "error":
		if call != nil { // the answer to one that was given up is nobody's
			call.answer <- m
		}
	default:
		return fmt.Errorf("it sent a message of the unknown type %.40q", m.Type)
	}
	return nil
}

// errGone is the error of a call whose program is gone.
var errGone = errors.New("the plugin is gone")

// call sends a call and waits. When ctx ends before the answer comes, the plugin is told.
func (c *conn) call(ctx context.Context, h *tool.Host, name string, args jsontext.Value) (*message, error) {
	wait := &pending{answer: make(chan *message, 1), progress: h.Progress}
	c.mu.Lock()
	c.last++
	id := c.last
	c.calls[id] = wait
	c.mu.Unlock()
	err := c.write(ctx, &message{Type: "call", ID: id, Tool: name, Arguments: args, Session: h.Session, Cwd: h.Cwd})
	switch {
	case ctx.Err() != nil:
	case err != nil: // the pipe is broken
		c.deaf(err)
		select {
		case <-c.done:
			return nil, errGone
		case <-ctx.Done():
		}
	default:
		select {
		case m := <-wait.answer:
			return m, nil
		case <-c.done:
			return nil, errGone
		case <-ctx.Done():
		}
	}
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
	if !errors.Is(err, keep.ErrNotBegun) {
		c.cancel(id)
	}
	return nil, ctx.Err()
}

// deaf gives a plugin up whose pipe is broken. One that has ended has a moment to be seen to, for how it ended says more.
func (c *conn) deaf(cause error) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-c.done:
		return
	case <-timer.C:
	}
	c.mu.Lock()
	if c.cause == nil {
		c.cause = fmt.Errorf("it accepts no more calls: %w", cause)
	}
	c.mu.Unlock()
	c.program.Kill()
}

// cancel tells the plugin that nobody waits for a call any more; the caller does not wait for that.
func (c *conn) cancel(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return
	}
	c.cancels.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
		defer cancel()
		// Where it cannot be told it is about to be given up.
		_ = c.write(ctx, &message{Type: "cancel", ID: id})
	})
}

// answerWithin is how long a plugin that let a call's time pass may stay silent
// altogether before it is taken to hang.
const answerWithin = 5 * time.Second

// ignored gives a plugin up that let a call's time pass, unless it says something soon.
func (c *conn) ignored(limit time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.late != nil || c.closing {
		return
	}
	c.late = time.AfterFunc(answerWithin, func() {
		c.mu.Lock()
		c.cause = fmt.Errorf("it is unresponsive: no answer to a call within %s, and nothing within %s after its cancellation", limit, answerWithin)
		c.mu.Unlock()
		c.program.Kill()
	})
}

// Done implements [keep.Conn].
func (c *conn) Done() <-chan struct{} { return c.done }

// Err implements [keep.Conn].
func (c *conn) Err() error {
	c.mu.Lock()
	cause := c.cause
	c.mu.Unlock()
	if cause != nil {
		return cause
	}
	<-c.done
	return c.program.WaitExitError(c.lost)
}

// Close implements [keep.Conn].
func (c *conn) Close() {
	c.mu.Lock()
	c.closing = true
	if c.late != nil {
		c.late.Stop()
	}
	c.mu.Unlock()
	c.program.Close()
	c.cancels.Wait()
	<-c.done
}
