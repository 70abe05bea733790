//go:build linux || darwin

package daemon

import (
	"bufio"
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
	"github.com/usher-browser/usher/internal/api/line"
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
	return line.Socket(dir), done
}

func say(t *testing.T, socket, text string) string {
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

func TestConversations(t *testing.T) {
	socket, _ := start(t, counter{time.Hour})
	request := `{"v":1,"op":"run","build":"b","argv":["eval","` + strings.Repeat("x", 10<<20) + `"],"env":[]}` + "\n"
	if got := say(t, socket, request); got != "{\"out\":8}\n10485760{\"exit\":0}\n" {
		t.Errorf("10 MB: %.200q", got)
	}
	for text, code := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n":     "invalid_request",
		"{]\n":                       "invalid_request",
		"{\"v\":1,\"op\":\"fly\"}\n": "invalid_request",
		"{\"argv\":[\"\\ud8\"]}\n":   "invalid_request",
	} {
		if got := say(t, socket, text); !strings.Contains(got, `{"refused":"`+code+`"`) {
			t.Errorf("%q: %q", text, got)
		}
	}
	// After all that, an ordinary one.
	if got := say(t, socket, `{"v":1,"op":"run","build":"b","argv":["eval","abc"],"env":[]}`+"\n"); got != "{\"out\":1}\n3{\"exit\":0}\n" {
		t.Errorf("%q", got)
	}
}

func TestSecondIsRefused(t *testing.T) {
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
	for text, want := range map[string]struct {
		code  api.Code
		input string
	}{
		"":                                  {api.Cancelled, ""},
		"{\"cancel\":true}\n":               {api.Cancelled, ""},
		"{\"stdin\":3}\nabc{\"stdin\":0}\n": {api.Cancelled, "abc"},
		"{\"stdin\":9}\nabc":                {api.Cancelled, "abc"},
		"nonsense\n":                        {api.InvalidRequest, ""},
	} {
		in := newInput()
		err := watch(bufio.NewReader(strings.NewReader(text)), in)
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
	if got := sent.String(); got != "{\"out\":2}\nab{\"err\":1}\nc{\"exit\":1}\n" {
		t.Errorf("%q", got)
	}
}

// flood writes until nobody takes it any more.
type flood struct {
	counter
	begun chan struct{}
}

func (f flood) Handle(_ context.Context, _ *api.Request, _ *verb.Call, s *Streams) int {
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
	f := flood{counter{time.Hour}, make(chan struct{})}
	socket, ended := start(t, f)
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, `{"v":1,"op":"run","build":"b","argv":["eval","x"],"env":[]}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 2<<20)); err != nil { // then no more
		t.Fatal(err)
	}
	<-f.begun
	if got := say(t, socket, `{"v":1,"op":"stop","argv":[]}`+"\n"); !strings.HasSuffix(got, "{\"exit\":0}\n") {
		t.Errorf("%q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// slow takes longer than the daemon may be silent.
type slow struct{ counter }

func (slow) Handle(ctx context.Context, _ *api.Request, _ *verb.Call, s *Streams) int {
	select {
	case <-time.After(line.AliveEvery * 5 / 2):
		return 0
	case <-ctx.Done():
		return 1
	}
}

func TestAlive(t *testing.T) {
	socket, _ := start(t, slow{counter{time.Hour}})
	const want = "{\"alive\":true}\n{\"alive\":true}\n{\"exit\":0}\n"
	if got := say(t, socket, `{"v":1,"op":"run","build":"b","argv":["eval","x"],"env":[]}`+"\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
