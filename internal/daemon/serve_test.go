//go:build linux || darwin

package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/frame"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counter answers with the length of the script it is given.
type counter struct{ idle time.Duration }

func (counter) Handle(_ context.Context, _ *api.Request, call *verb.Call, s *Streams) int {
	_, _ = io.WriteString(s.Out, strconv.Itoa(len(call.Str("script"))))
	return 0
}
func (counter) Sessions() []string           { return nil }
func (c counter) IdleTimeout() time.Duration { return c.idle }
func (counter) Close(context.Context) error  { return nil }

// start serves until the test ends, and returns the socket and the end.
func start(t *testing.T, h Handler) (socket string, ended <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	dir := filepath.Join(t.TempDir(), "run")
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- Serve(ctx, Options{RunDir: dir, Table: program.Table(), Build: "b", Version: "v", Log: slog.New(slog.DiscardHandler),
			NewHandler: func() (Handler, error) { return h, nil }, Ready: func() { close(ready) }})
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		if err, ok := <-done; ok && err != nil {
			t.Error(err)
		}
	})
	select {
	case <-ready:
	case err := <-done:
		t.Fatal("did not start:", err)
	}
	return filepath.Join(dir, frame.SocketName), done
}

func sendText(t *testing.T, socket, text string) string {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// ask returns a request of the daemon's own build, as it travels.
func ask(t *testing.T, op string, argv ...string) string {
	t.Helper()
	raw, bad, ok := frame.AppendRequest(nil, &frame.Request{V: frame.Version, Op: op, Build: "b", Argv: argv})
	if !ok {
		t.Fatalf("%s cannot travel", bad)
	}
	return string(raw)
}

// describeFrames writes an answer down: its frames one behind the other, each a letter with what belongs to it.
func describeFrames(t *testing.T, answer string) string {
	t.Helper()
	var text strings.Builder
	for reader := frame.NewReader(strings.NewReader(answer), 64); ; {
		f, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatalf("%v in %q", err, answer)
		}
		text.WriteByte(byte(f.Kind))
		switch f.Kind {
		case frame.Out, frame.Err:
			err = reader.Copy(&text, f.Size)
		case frame.Exit:
			text.WriteString(strconv.Itoa(f.Status))
		case frame.Refused:
			text.WriteString(f.Code)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestConversations(t *testing.T) {
	socket, _ := start(t, counter{time.Hour})
	if got := describeFrames(t, sendText(t, socket, ask(t, frame.OpRun, "eval", strings.Repeat("x", 10<<20)))); got != "o10485760x0" {
		t.Errorf("10 MB: %.200q", got)
	}
	for text, code := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n":                            "invalid_request",
		"{\"v\":1,\"op\":\"run\"}\n":                        "invalid_request",
		ask(t, "fly"):                                       "invalid_request",
		"r\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x09": "invalid_request", // a field of 9 bytes that has none
		"r\xff\xff\xff\xff\xff\xff\xff\xff":                 "invalid_request",
		"r\x00\x00\x00\x00\x7f\xff\xff\xff":                 "too_large",
	} {
		if got := describeFrames(t, sendText(t, socket, text)); got != "f"+code {
			t.Errorf("%q: %q", text, got)
		}
	}
	// After all that, an ordinary one.
	if got := describeFrames(t, sendText(t, socket, ask(t, frame.OpRun, "eval", "abc"))); got != "o3x0" {
		t.Errorf("%q", got)
	}
}

func TestSecondDaemonIsRefused(t *testing.T) {
	socket, _ := start(t, counter{time.Hour})
	err := Serve(context.Background(), Options{RunDir: filepath.Dir(socket), Log: slog.New(slog.DiscardHandler)})
	if !errors.Is(err, ErrRunning) {
		t.Errorf("a second daemon: %v", err)
	}
}

func TestIdleEnds(t *testing.T) {
	_, ended := start(t, counter{time.Millisecond})
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestWatch(t *testing.T) {
	form := func(f frame.Frame) string { return string(frame.Append(nil, f)) }
	for text, want := range map[string]struct {
		code  api.Code
		input string
	}{
		"":                                    {api.Cancelled, ""},
		form(frame.Frame{Kind: frame.Cancel}): {api.Cancelled, ""},
		form(frame.Frame{Kind: frame.Input, Size: 3}) + "abc" + form(frame.Frame{Kind: frame.InputEnd}): {api.Cancelled, "abc"},
		form(frame.Frame{Kind: frame.Input, Size: 9}) + "abc":                                           {api.Cancelled, "abc"},
		"nonsense\n": {api.InvalidRequest, ""},
	} {
		in := newInput()
		err := watchClient(frame.NewReader(strings.NewReader(text), 64), in)
		if api.CodeOf(err) != want.code || string(in.data) != want.input {
			t.Errorf("%q: %v, %q", text, err, in.data)
		}
	}
}

func TestStreamsCollect(t *testing.T) {
	var sent bytes.Buffer
	s := newStreams(&sent)
	for _, part := range []string{"a", "b"} {
		_, _ = io.WriteString(s.Out, part)
	}
	_, _ = io.WriteString(s.Err, "c")
	if err := s.exit(1); err != nil {
		t.Fatal(err)
	}
	if got := describeFrames(t, sent.String()); got != "oabecx1" {
		t.Errorf("%q", got)
	}
}

// endlessWriter writes until nobody takes it any more.
type endlessWriter struct {
	counter
	begun chan struct{}
}

func (f endlessWriter) Handle(_ context.Context, _ *api.Request, _ *verb.Call, s *Streams) int {
	piece := make([]byte, 1<<20)
	for once := true; ; once = false {
		if _, err := s.Out.Write(piece); err != nil {
			return 1
		}
		if once {
			close(f.begun)
		}
	}
}

// TestClientThatDoesNotRead is one stopped at its terminal.
func TestClientThatDoesNotRead(t *testing.T) {
	f := endlessWriter{counter{time.Hour}, make(chan struct{})}
	socket, ended := start(t, f)
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, ask(t, frame.OpRun, "eval", "x")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 2<<20)); err != nil { // then no more
		t.Fatal(err)
	}
	<-f.begun
	if got := describeFrames(t, sendText(t, socket, ask(t, frame.OpStop))); !strings.HasSuffix(got, "x0") {
		t.Errorf("%q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// slowHandler takes longer than the daemon may be silent.
type slowHandler struct{ counter }

func (slowHandler) Handle(ctx context.Context, _ *api.Request, _ *verb.Call, s *Streams) int {
	select {
	case <-time.After(frame.AliveEvery * 5 / 2):
		return 0
	case <-ctx.Done():
		return 1
	}
}

func TestAlive(t *testing.T) {
	socket, _ := start(t, slowHandler{counter{time.Hour}})
	const want = "aax0"
	if got := describeFrames(t, sendText(t, socket, ask(t, frame.OpRun, "eval", "x"))); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
