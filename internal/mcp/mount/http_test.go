package mount

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/config"
)

// remote is an MCP server over HTTP that requires a key.
type remote struct {
	t       *testing.T
	address string
	running *http.Server
	server  *mcp.Server
	over    chan struct{} // closed when the test ends
	gaveUp  chan struct{} // receives when a call was cancelled
}

const remoteKey = "Bearer right"

// start serves at the same address each time; a free port is chosen the first time.
func (r *remote) start() {
	r.t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "remote", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "hello", InputSchema: jsontext.Value(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello from afar"}}}, nil
		})
	s.AddTool(&mcp.Tool{Name: "wait", InputSchema: jsontext.Value(`{"type":"object"}`)},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			select {
			case <-ctx.Done():
				r.gaveUp <- struct{}{}
			case <-r.over:
			}
			return nil, ctx.Err()
		})
	r.server = s
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	listener, err := net.Listen("tcp", r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.address = listener.Addr().String()
	r.running = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Authorization") != remoteKey {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, req)
	})}
	go func() { _ = r.running.Serve(listener) }()
}

func (r *remote) stop() {
	_ = r.running.Close()
	for session := range r.server.Sessions() {
		_ = session.Close()
	}
}

func serveHTTP(t *testing.T) *remote {
	t.Helper()
	r := &remote{t: t, address: "127.0.0.1:0", over: make(chan struct{}), gaveUp: make(chan struct{}, 10)}
	r.start()
	t.Cleanup(func() {
		close(r.over)
		r.stop()
	})
	return r
}

func mountURL(t *testing.T, url, key string) *Mount {
	t.Helper()
	m := New(&config.Server{Name: "far", URL: url, Headers: map[string]string{"Authorization": key}, Timeout: cdptest.Timeout,
		StartTimeout: cdptest.Timeout}, "test", "", func() {})
	t.Cleanup(m.Close)
	return m
}

// TestOverHTTP: a server over HTTP is mounted like a program, and is used again after it was down.
func TestOverHTTP(t *testing.T) {
	t.Parallel()
	server := serveHTTP(t)
	m := mountURL(t, "http://"+server.address, remoteKey)
	if err := m.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}
	res, err := m.run(testContext(t), t, "hello", "{}")
	if err != nil || res.Text != "hello from afar" {
		t.Fatalf("%+v, %v", res, err)
	}
	m.server.Timeout = 300 * time.Millisecond
	if _, err := m.run(testContext(t), t, "wait", "{}"); api.CodeOf(err) != api.Timeout {
		t.Errorf("a call that takes too long: %v", err)
	}
	m.server.Timeout = cdptest.Timeout
	select {
	case <-server.gaveUp:
	case <-time.After(cdptest.Timeout):
		t.Error("the call goes on in the server")
	}

	server.stop()
	if _, err := m.run(testContext(t), t, "hello", "{}"); err == nil {
		t.Error("a server that is away answered")
	}
	server.start()
	wait(t, "it answers again", func() bool {
		res, err := m.run(testContext(t), t, "hello", "{}")
		return err == nil && res.Text == "hello from afar"
	})
}

// TestUnauthorized: the error contains the message of a server that refuses the key.
func TestUnauthorized(t *testing.T) {
	t.Parallel()
	m := mountURL(t, "http://"+serveHTTP(t).address, "Bearer wrong")
	if err := m.Ready(testContext(t)); err == nil || !strings.Contains(err.Error(), "Unauthorized") {
		t.Errorf("with a wrong key: %v", err)
	}
	if err := mountURL(t, "http://127.0.0.1:1/mcp", "x").Ready(testContext(t)); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("where nothing listens: %v", err)
	}
}

// TestCrossOriginRedirect: a redirect to another server is not followed, so that it does not get the keys.
func TestCrossOriginRedirect(t *testing.T) {
	t.Parallel()
	var told atomic.Value
	serve := func(handler http.HandlerFunc) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
		go func() { _ = s.Serve(listener) }()
		t.Cleanup(func() { _ = s.Close() })
		return "http://" + listener.Addr().String()
	}
	other := serve(func(_ http.ResponseWriter, r *http.Request) { told.Store(r.Header.Get("Authorization")) })
	first := serve(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other+"/mcp", http.StatusTemporaryRedirect)
	})
	err := mountURL(t, first, remoteKey).Ready(testContext(t))
	if err == nil || !strings.Contains(err.Error(), "not followed") {
		t.Errorf("redirected: %v", err)
	}
	if got := told.Load(); got != nil {
		t.Errorf("another server was called with %q", got)
	}
}
