package mount

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/toolset/keep"
)

// session is the connection to a running server. It implements [keep.Conn].
type session struct {
	client        *mcp.ClientSession
	program       *keep.Program   // nil for a server over HTTP
	http          *http.Transport // nil for a program
	done          chan struct{}   // closed when the connection has ended
	listChanged   chan struct{}   // capacity 1: the server announced a change of its tools
	pingRequested chan struct{}   // capacity 1: the server did not answer a call in time
	stop          context.CancelFunc
	goroutines    sync.WaitGroup

	mu       sync.Mutex
	cause    error                   // guarded by mu: why usher ended the connection; nil if it did not
	lost     error                   // guarded by mu: how the connection ended
	progress map[string]func(string) // guarded by mu: by token
	tokens   int                     // guarded by mu
}

// maxMessage bounds one message of a server, in bytes.
const maxMessage = 16 << 20

// open starts the server, connects, and lists its tools.
func (m *Mount) open(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, m.server.StartTimeout)
	defer cancel()
	s := &session{done: make(chan struct{}), listChanged: make(chan struct{}, 1), pingRequested: make(chan struct{}, 1), progress: map[string]func(string){}}
	transport, err := m.transport(s)
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "usher", Version: m.version}, &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { signal(s.listChanged) },
		ProgressNotificationHandler: s.onProgress,
	})
	s.client, err = client.Connect(ctx, transport, nil)
	if err != nil {
		return nil, m.startFailed(ctx, s, fmt.Errorf("connect: %w", err))
	}
	if err := m.list(ctx, s.client); err != nil {
		_ = s.client.Close() // the connection failed; its error is returned
		return nil, m.startFailed(ctx, s, err)
	}
	life, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.goroutines.Go(func() {
		defer close(s.done)
		err := s.client.Wait()
		s.closeIdle()
		s.mu.Lock()
		s.lost = err
		s.mu.Unlock()
	})
	s.goroutines.Go(func() { m.maintain(life, s) })
	return s, nil
}

// transport returns the transport to the server: its standard streams, or HTTP.
func (m *Mount) transport(s *session) (mcp.Transport, error) {
	if m.server.URL != "" {
		s.http = http.DefaultTransport.(*http.Transport).Clone()
		return &mcp.StreamableClientTransport{Endpoint: m.server.URL, MaxEventSize: maxMessage,
			HTTPClient: &http.Client{Transport: &headers{m.server.Headers, s.http}, CheckRedirect: checkRedirect}}, nil
	}
	program, err := keep.Launch(m.server)
	if err != nil {
		return nil, fmt.Errorf("start it: %w", err)
	}
	s.program = program
	return &stdio{mcp.IOTransport{Reader: program.Stdout, Writer: program.Stdin, MaxLineLength: maxMessage}, program}, nil
}

// stdio is a transport to a program that may stop reading: a write ends with its context.
type stdio struct {
	mcp.IOTransport
	program *keep.Program
}

// Connect implements [mcp.Transport].
func (p *stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := p.IOTransport.Connect(ctx)
	return &stdioConn{c, p.program}, err
}

type stdioConn struct {
	mcp.Connection
	program *keep.Program
}

// Write implements [mcp.Connection].
func (c *stdioConn) Write(ctx context.Context, m jsonrpc.Message) error {
	return c.program.Write(ctx, func() error { return c.Connection.Write(context.WithoutCancel(ctx), m) })
}

// headers adds the configured headers to every request.
type headers struct {
	values    map[string]string
	transport *http.Transport
}

func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h.values {
		r.Header.Set(name, value)
	}
	return h.transport.RoundTrip(r)
}

// maxRedirects bounds the HTTP redirects of one request.
const maxRedirects = 5

// checkRedirect follows redirects only within the configured origin, because the headers contain keys for it.
func checkRedirect(next *http.Request, via []*http.Request) error {
	from := via[0].URL
	if next.URL.Host != from.Host || next.URL.Scheme != from.Scheme {
		return fmt.Errorf("it redirects to %s://%s, which is not followed: configure that address if it is the right one", next.URL.Scheme, next.URL.Host)
	}
	if len(via) > maxRedirects {
		return errors.New("it redirects in a loop")
	}
	return nil
}

// startFailed ends a server that did not start, and returns err, for a program with its exit status and error output.
func (m *Mount) startFailed(ctx context.Context, s *session, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it was not ready within %s", m.server.StartTimeout)
	}
	if s.program == nil {
		s.closeIdle()
		return err
	}
	defer s.program.Close()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return s.program.WaitExitError(err)
}

// closeIdle closes idle connections to a server over HTTP.
func (s *session) closeIdle() {
	if s.http != nil {
		s.http.CloseIdleConnections()
	}
}

// list requests the tools of the server.
func (m *Mount) list(ctx context.Context, client *mcp.ClientSession) error {
	var tools []*mcp.Tool
	size := 0
	for t, err := range client.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list its tools: %w", err)
		}
		tools = append(tools, t)
		if size += len(t.Description); len(tools) > 4*toolset.MaxTools || size > maxMessage {
			return fmt.Errorf("list its tools: there are more than %d", len(tools)-1)
		}
	}
	m.setTools(tools)
	m.saveCache(tools)
	return nil
}

// relistDelay is how long after an announcement without another one the tools are listed again: some servers announce
// each of many changes.
const relistDelay = 200 * time.Millisecond

// pingTimeout is how long a server may take to answer a ping after it did not answer a call in time.
const pingTimeout = 5 * time.Second

// maintain runs while the server is connected. It lists the tools again after an announcement, and pings the server
// after a call that was not answered in time.
func (m *Mount) maintain(ctx context.Context, s *session) {
	timer := time.NewTimer(relistDelay)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.done:
			return
		case <-s.listChanged:
			timer.Reset(relistDelay)
		case <-timer.C:
			m.relist(ctx, s)
		case <-s.pingRequested:
			within, cancel := context.WithTimeout(ctx, pingTimeout)
			_, err := s.client.ListTools(within, nil)
			timedOut := within.Err() != nil && ctx.Err() == nil
			cancel()
			if err != nil && timedOut {
				s.disconnect(fmt.Errorf("it is unresponsive: no answer to a ping within %s", pingTimeout))
				return
			}
		}
	}
}

// relist lists the tools again.
func (m *Mount) relist(ctx context.Context, s *session) {
	ctx, cancel := context.WithTimeout(ctx, m.server.StartTimeout)
	defer cancel()
	if err := m.list(ctx, s.client); err != nil {
		if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
			s.disconnect(err)
		}
		return
	}
	m.changed()
}

// disconnect ends the connection with a cause.
func (s *session) disconnect(cause error) {
	s.mu.Lock()
	if s.cause == nil {
		s.cause = cause
	}
	s.mu.Unlock()
	if s.program != nil {
		s.program.Close() // first, because a hanging program delays the closing of the connection
	}
	_ = s.client.Close() // the connection is abandoned
}

// requestPing requests a ping of the server.
func (s *session) requestPing() { signal(s.pingRequested) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// disconnected reports whether a call failed because the connection ended, and not because the server refused it. It
// waits up to a second for the end of the connection.
func (s *session) disconnected(err error) bool {
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		return false
	}
	timer := time.NewTimer(time.Second) // the call may fail before done is closed
	defer timer.Stop()
	select {
	case <-s.done:
		return true
	case <-timer.C:
		return false // the response could not be decoded
	}
}

// Done implements [keep.Conn].
func (s *session) Done() <-chan struct{} { return s.done }

// Err implements [keep.Conn].
func (s *session) Err() error {
	s.mu.Lock()
	cause, lost := s.cause, s.lost
	s.mu.Unlock()
	if cause == nil && s.program != nil {
		return s.program.WaitExitError(lost)
	}
	switch {
	case cause != nil:
		return cause
	case lost != nil:
		return lost
	}
	return errors.New("it closed the connection")
}

// Close implements [keep.Conn].
func (s *session) Close() {
	s.stop()
	if s.program != nil {
		s.program.Close()
	}
	_ = s.client.Close() // the program has ended; this frees the client's side
	s.goroutines.Wait()
}

// watchProgress passes the call's progress notifications to report, until stop is called.
func (s *session) watchProgress(params *mcp.CallToolParams, report func(string)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens++
	token := "usher-" + strconv.Itoa(s.tokens)
	s.progress[token] = report
	params.SetProgressToken(token)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.progress, token)
	}
}

func (s *session) onProgress(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	token, ok := r.Params.ProgressToken.(string)
	if !ok {
		return
	}
	s.mu.Lock()
	report := s.progress[token]
	s.mu.Unlock()
	if report != nil {
		report(toolset.Truncate(r.Params.Message, 200))
	}
}
