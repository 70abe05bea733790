package mcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/verb"
)

// pluginVariable makes the test binary a plugin that stays connected to that address while it runs, so that the test
// knows which plugins run. It sends its manifest when that connection tells it to.
const pluginVariable = "USHER_TEST_BEACON"

func TestMain(m *testing.M) {
	if address := os.Getenv(pluginVariable); address != "" {
		runPlugin(address)
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

func runPlugin(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		os.Exit(3)
	}
	go func() {
		if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
			fmt.Println(`{"type":"manifest","protocol":1,"tools":[{"name":"hang","inputSchema":{"type":"object"}}]}`)
		}
	}()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); { // standard input is closed to end the plugin
		if strings.Contains(lines.Text(), `"call"`) {
			_, _ = io.WriteString(conn, "called\n") // and never answered
		}
	}
}

// plugins are the running plugins.
type plugins struct {
	listener net.Listener
	came     chan net.Conn
}

func listenForPlugins(t *testing.T) *plugins {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &plugins{listener: l, came: make(chan net.Conn, 1000)}
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			w.came <- c
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-accepting
	})
	return w
}

// waitAll waits until all plugins that connected have ended, and returns how many there were.
func (w *plugins) waitAll(t *testing.T) (n int) {
	t.Helper()
	for {
		select {
		case c := <-w.came:
			w.waitEnd(t, c)
			n++
		default:
			return n
		}
	}
}

// waitEnd waits for the end of a plugin.
func (w *plugins) waitEnd(t *testing.T, c net.Conn) {
	t.Helper()
	stop := context.AfterFunc(testContext(t), func() { _ = c.Close() })
	if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "closed network") {
		t.Error("a plugin is still running")
	}
	stop()
	_ = c.Close()
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	t.Cleanup(cancel)
	return ctx
}

// served is `mcp http` with one plugin configured.
type served struct {
	*HTTP
	t     *testing.T
	env   []string
	where string
	token string
}

func serve(t *testing.T, w *plugins) *served {
	home, self := t.TempDir(), os.Args[0]
	text := fmt.Sprintf("plugins:\n  notes:\n    command: %q\n    env: {%s: %q}\n", self, pluginVariable, w.listener.Addr().String())
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &served{HTTP: &HTTP{Version: "test", StateDir: home, Log: slog.New(slog.DiscardHandler)}, t: t, env: []string{"USHER_HOME=" + home}}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.open()
	return s
}

func (s *served) open() {
	call, err := verb.NewTable(Grammar()).Parse([]string{"mcp", "http"}, verb.Usher)
	if err != nil {
		s.t.Fatal(err)
	}
	data, _, err := s.Open(s.t.Context(), &api.Request{Argv: []string{"mcp", "http"}, Env: s.env, Cwd: s.t.TempDir()}, call)
	if err != nil {
		s.t.Fatal(err)
	}
	now := data.(Listening)
	s.where, s.token = now.URL, now.Token
}

// post sends the first request of a client of a session.
func (s *served) post(session, token string) (status int, body string, err error) {
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.where+"?session="+session, bytes.NewReader([]byte(hello)))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return res.StatusCode, string(raw), err
}

type answer struct {
	status int
	body   string
	err    error
}

// TestSlowPreparation: while the first client waits for its plugin, other clients are served. Two with the same
// query share one preparation. Close does not wait for it: both requests get an error, and the plugin ends.
func TestSlowPreparation(t *testing.T) {
	w := listenForPlugins(t)
	s := serve(t, w)
	first := make(chan answer, 2)
	for range 2 {
		go func() {
			status, body, err := s.post("a", s.token)
			first <- answer{status, body, err}
		}()
	}
	plugin := <-w.came // it sends no manifest
	if status, body, err := s.post("b", "wrong"); status != http.StatusUnauthorized {
		t.Errorf("without the token, meanwhile: %d %s %v", status, body, err)
	}
	if !s.Serving() {
		t.Error("it does not serve")
	}
	select {
	case a := <-first:
		t.Fatalf("the first client did not wait for its plugin, and this test says nothing: %+v", a)
	default:
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if a := <-first; a.err != nil || a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "stops serving agents") || !strings.Contains(a.body, `"jsonrpc"`) {
			t.Errorf("a client that was waiting got %+v", a)
		}
	}
	w.waitEnd(t, plugin)
	if n := w.waitAll(t); n != 0 {
		t.Errorf("%d more plugins were started", n)
	}
}

// TestCloseDuringRequests: whenever Close is called, every request gets an answer or a refused connection, and no
// program is left.
func TestCloseDuringRequests(t *testing.T) {
	w := listenForPlugins(t)
	s := serve(t, w)
	for round := range 12 {
		if round > 0 {
			s.open()
		}
		var asking sync.WaitGroup
		begun := make(chan struct{}, 8)
		for i := range 8 {
			asking.Go(func() {
				for n := range 3 {
					status, body, err := s.post(fmt.Sprintf("s%d", (i+n)%3), s.token)
					if err == nil && status != http.StatusOK && status != http.StatusServiceUnavailable {
						t.Errorf("answered %d %s", status, body)
					}
					if n == 0 {
						begun <- struct{}{}
					}
				}
			})
		}
		if round%3 != 0 { // otherwise Close is called while the plugin starts
			c := <-w.came
			_, _ = io.WriteString(c, "greet\n")
			w.came <- c
			if round%3 == 1 {
				<-begun
			}
		}
		var ending sync.WaitGroup
		for range 2 {
			ending.Go(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		ending.Wait()
		asking.Wait()
		w.waitAll(t)
	}
}

// TestCloseDuringCall: a call without an answer does not block Close.
func TestCloseDuringCall(t *testing.T) {
	w := listenForPlugins(t)
	s := serve(t, w)
	called := make(chan struct{})
	go func() {
		c := <-w.came
		_, _ = io.WriteString(c, "greet\n")
		if _, err := io.ReadFull(c, make([]byte, len("called\n"))); err == nil {
			close(called)
		}
		w.came <- c
	}()
	web := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "web", Version: "1"}, nil).Connect(testContext(t), &mcp.StreamableClientTransport{
		Endpoint: s.where + "?toolsets=notes&token=" + s.token, DisableStandaloneSSE: true, HTTPClient: web, MaxRetries: -1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "hang"})
		ended <- err
	}()
	select {
	case <-called:
	case err := <-ended:
		t.Fatalf("the call ended with %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-ended: // with whatever the client makes of it
	case <-testContext(t).Done():
		t.Error("the call goes on")
	}
	_ = session.Close() // the server is gone, so an error is expected
	if n := w.waitAll(t); n != 1 {
		t.Errorf("%d plugins were started", n)
	}
}
