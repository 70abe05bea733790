//go:build linux || darwin

package cli_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/usher-browser/usher/internal/api/frame"
)

// TestTexts has a running daemon answer what needs none, and nothing else.
func TestTexts(t *testing.T) {
	w := newTestHome(t)
	w.env = append(w.env, "TEST_ANSWERS=1")
	w.want(w.run("usher", "session"), result{out: "local session\n"})
	w.want(w.run("usher", "eval", "echo started"), result{out: "started"})
	for _, c := range []struct {
		line, out string
		exit      int
	}{
		{"usher --help open", "daemon answers help\n", 0},
		{"usher --json help get text", "daemon answers help\n", 0},
		{"usher completion bash", "daemon answers completion\n", 0},
		{"usher session", "daemon answers session\n", 0},
		{"usher config schema", "daemon answers config schema\n", 0},
		{"usher --version --json", "daemon answers version\n", 0},
		{"usher session id", "daemon answers session id\n", 4},
		{"usher profiles", "daemon answers profiles\n", 0},
		// The words are in the line, the command is another one.
		{"usher fill @e1 help", "ok\n", 0},
		{"usher eval -- --help", "", 0},
		// These look at the client's machine, or change it.
		{"usher skills path", "local skills path\n", 0},
		{"usher doctor", "local doctor\n", 0},
	} {
		if got := w.run(strings.Fields(c.line)...); got.out != c.out || got.exit != c.exit || got.err != "" {
			t.Errorf("%s: %+v", c.line, got)
		}
	}
	for _, line := range []string{"usher", "usher help", "agent-browser click --help"} { // the program has these texts itself
		if got := w.run(strings.Fields(line)...); got.exit != 0 || !strings.HasPrefix(got.out, "Usage: ") || got.err != "" {
			t.Errorf("%s: %+v", line, got)
		}
	}
	for _, line := range []string{"usher help nosuch", "usher clik --help"} {
		if got := w.run(strings.Fields(line)...); got.exit == 0 || !strings.HasPrefix(got.err, "✗ ") || got.out != "" {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if got := w.run("usher", "eval", "-h", "panic"); got.out != "daemon answers help\n" {
		t.Errorf("%+v", got)
	}
}

// TestTextsOfAnotherBuild does not end the daemon of another build for the sake of a text, nor takes the text from it.
func TestTextsOfAnotherBuild(t *testing.T) {
	w := newTestHome(t)
	w.env = append(w.env, "TEST_ANSWERS=1")
	daemon := otherDaemon(t, w)
	pid := w.pid()
	for _, line := range []string{"usher --help get", "usher get --json --help", "agent-browser --help get"} {
		if got := w.run(strings.Fields(line)...); got.exit != 0 || !strings.Contains(got.out, "Usage") && !strings.Contains(got.out, "usher get") {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if now := w.pid(); now != pid {
		t.Errorf("the daemon was %d and is %d", pid, now)
	}
	w.want(w.run("usher", "daemon", "stop"), result{out: "The daemon has ended; every session is closed.\n"})
	if err := daemon.Wait(); err != nil {
		t.Error(err)
	}
}

// TestTextsFromOtherPrograms prints each text once and whole, whatever listens in the daemon's place.
func TestTextsFromOtherPrograms(t *testing.T) {
	w := newTestHome(t)
	want := w.run("usher", "completion", "bash")
	if want.exit != 0 || want.out == "" {
		t.Fatalf("%+v", want)
	}
	run := filepath.Join(w.home, "run")
	if err := os.MkdirAll(run, 0o700); err != nil {
		t.Fatal(err)
	}
	part := append(frame.Append(nil, frame.Frame{Kind: frame.Out, Size: 8}), "half of "...)
	for name, answer := range map[string]func(net.Conn){
		"closes at once":   func(c net.Conn) { c.Close() },
		"never answers":    func(net.Conn) {},
		"begins and hangs": func(c net.Conn) { _, _ = c.Write(part) },
		"begins and ends":  func(c net.Conn) { _, _ = c.Write(part); c.Close() },
		"speaks HTTP":      func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n"); c.Close() },
		"refuses": func(c net.Conn) {
			_, _ = c.Write(frame.Append(nil, frame.Frame{Kind: frame.Refused, Code: "invalid_request"}))
		},
		"is alive for ever":    func(c net.Conn) { repeat(c, frame.Append(nil, frame.Frame{Kind: frame.Alive})) },
		"writes without bound": func(c net.Conn) { repeat(c, part) },
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("unix", filepath.Join(run, "usher.sock"))
			if err != nil {
				t.Fatal(err)
			}
			var conns sync.WaitGroup
			done := make(chan struct{})
			conns.Go(func() {
				for {
					c, err := listener.Accept()
					if err != nil {
						return
					}
					conns.Go(func() { answer(c); <-done; c.Close() })
				}
			})
			got := w.run("usher", "completion", "bash")
			close(done)
			listener.Close()
			conns.Wait()
			w.want(got, want)
		})
	}
}

// repeat writes until the other side has left.
func repeat(c net.Conn, p []byte) {
	for {
		if _, err := c.Write(p); err != nil {
			return
		}
	}
}
