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

// protocolVersion is the version of the plugin protocol.
const protocolVersion = 1

// maxLine bounds a line of the protocol, in bytes.
const maxLine = 16 << 20

// message is a line in either direction. Type determines which members are used; the comments list the types.
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

// manifest lists the tools of a plugin.
type manifest struct {
	Description string         `json:"description,omitzero"`
	Tools       []manifestTool `json:"tools,omitzero"`
}

// manifestTool is a tool in a manifest.
type manifestTool struct {
	Name        string         `json:"name"`
	Title       string         `json:"title,omitzero"`
	Description string         `json:"description,omitzero"`
	InputSchema jsontext.Value `json:"inputSchema"`
	ReadOnly    bool           `json:"readOnly,omitzero"`
	Destructive bool           `json:"destructive,omitzero"`
	Idempotent  bool           `json:"idempotent,omitzero"`
	OpenWorld   bool           `json:"openWorld,omitzero"`
}

func (d *manifestTool) traits() (out tool.Traits) {
	for trait, is := range map[tool.Traits]bool{tool.ReadOnly: d.ReadOnly, tool.Destructive: d.Destructive,
		tool.Idempotent: d.Idempotent, tool.OpenWorld: d.OpenWorld} {
		if is {
			out |= trait
		}
	}
	return out
}

// conn is the connection to a running plugin. It implements [keep.Conn]. One goroutine reads, and one per cancelled
// call sends the cancellation; Close waits for them.
type conn struct {
	program *keep.Program
	ready   chan struct{} // closed after the first manifest
	done    chan struct{} // closed when reading has ended
	readErr error         // why reading ended; valid after done is closed

	cancels sync.WaitGroup // goroutines that send cancellations

	mu       sync.Mutex
	lastID   int              // guarded by mu: the id of the last call
	calls    map[int]*pending // guarded by mu: calls without an answer, by id
	cause    error            // guarded by mu: why usher ends the plugin
	deadline *time.Timer      // guarded by mu: ends a silent plugin; nil while it answers
	// closing is guarded by mu: no more cancellations are sent.
	closing bool
}

// pending is a call without an answer.
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
	c := &conn{program: program, ready: make(chan struct{}), done: make(chan struct{}), calls: map[int]*pending{}}
	go c.read(p)
	ctx, cancel := context.WithTimeout(ctx, p.conf.StartTimeout)
	defer cancel()
	if err := c.write(ctx, &message{Type: "hello", Protocol: protocolVersion, Usher: p.version}); err != nil && ctx.Err() == nil {
		c.Close()
		return nil, c.Err()
	}
	select {
	case <-c.ready:
		return c, nil
	case <-c.done:
		err = c.Err()
	case <-ctx.Done():
		err = fmt.Errorf("it sent no manifest within %s", p.conf.StartTimeout)
	}
	c.Close()
	return nil, err
}

// write sends a message as one line; see [keep.Program.Write].
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

// read handles the program's lines until the end, or a line that is not a message.
func (c *conn) read(p *Plugin) {
	defer close(c.done)
	defer fault.Recover(func(e *fault.Error) { c.readErr = e; c.program.Kill() })
	lines := bufio.NewScanner(c.program.Stdout)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		var m message
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			c.readErr = fmt.Errorf("it sent a line that is not a protocol message: %.100q", lines.Bytes())
			return
		}
		if err := c.handle(p, &m); err != nil {
			c.readErr = err
			return
		}
	}
	c.readErr = lines.Err()
	if errors.Is(c.readErr, bufio.ErrTooLong) {
		c.readErr = fmt.Errorf("it sent a line of more than %d MB", maxLine>>20)
	}
}

func (c *conn) handle(p *Plugin, m *message) error {
	c.mu.Lock()
	if c.deadline != nil { // the plugin is not silent
		c.deadline.Stop()
		c.deadline = nil
	}
	call := c.calls[m.ID]
	if m.Type == "result" || m.Type == "error" {
		delete(c.calls, m.ID)
	}
	c.mu.Unlock()
	switch m.Type {
	case "manifest":
		if m.Protocol != protocolVersion {
			return fmt.Errorf("it speaks version %d of the protocol; this usher speaks %d", m.Protocol, protocolVersion)
		}
		p.setManifest(&m.manifest)
		select {
		case <-c.ready:
			p.changed()
		default:
			close(c.ready)
		}
	case "progress":
		if call != nil && call.progress != nil {
			call.progress(toolset.Truncate(m.Text, 200))
		}
	case "result", "error":
		if call != nil { // nil: the call was cancelled
			call.answer <- m
		}
	default:
		return fmt.Errorf("it sent a message of the unknown type %.40q", m.Type)
	}
	return nil
}

// errDisconnected is the error of a call whose program has ended.
var errDisconnected = errors.New("the plugin is gone")

// call sends a call and waits for the answer. If ctx ends first, it sends a cancellation.
func (c *conn) call(ctx context.Context, h *tool.Host, name string, args jsontext.Value) (*message, error) {
	wait := &pending{answer: make(chan *message, 1), progress: h.Progress}
	c.mu.Lock()
	c.lastID++
	id := c.lastID
	c.calls[id] = wait
	c.mu.Unlock()
	err := c.write(ctx, &message{Type: "call", ID: id, Tool: name, Arguments: args, Session: h.Session, Cwd: h.Cwd})
	switch {
	case ctx.Err() != nil:
	case err != nil: // the pipe is broken
		c.endBrokenPipe(err)
		select {
		case <-c.done:
			return nil, errDisconnected
		case <-ctx.Done():
		}
	default:
		select {
		case m := <-wait.answer:
			return m, nil
		case <-c.done:
			return nil, errDisconnected
		case <-ctx.Done():
		}
	}
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
	if !errors.Is(err, keep.ErrNotStarted) {
		c.cancel(id)
	}
	return nil, ctx.Err()
}

// endBrokenPipe ends a plugin whose pipe is broken. It first waits for the program's exit, because the exit status is
// the better error.
func (c *conn) endBrokenPipe(cause error) {
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

// cancel sends the cancellation of a call, without waiting for it.
func (c *conn) cancel(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return
	}
	c.cancels.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), responseTimeout)
		defer cancel()
		// If it cannot be sent, the plugin is about to be ended.
		_ = c.write(ctx, &message{Type: "cancel", ID: id})
	})
}

// responseTimeout is how long a plugin that exceeded a call's deadline may send nothing before it counts as hanging.
const responseTimeout = 5 * time.Second

// endUnlessResponsive ends a plugin that exceeded a call's deadline, unless it sends something within responseTimeout.
func (c *conn) endUnlessResponsive(limit time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deadline != nil || c.closing {
		return
	}
	c.deadline = time.AfterFunc(responseTimeout, func() {
		c.mu.Lock()
		c.cause = fmt.Errorf("it is unresponsive: no answer to a call within %s, and nothing within %s after its cancellation", limit, responseTimeout)
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
	return c.program.WaitExitError(c.readErr)
}

// Close implements [keep.Conn].
func (c *conn) Close() {
	c.mu.Lock()
	c.closing = true
	if c.deadline != nil {
		c.deadline.Stop()
	}
	c.mu.Unlock()
	c.program.Close()
	c.cancels.Wait()
	<-c.done
}
