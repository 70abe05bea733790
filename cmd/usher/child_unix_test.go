//go:build unix

package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api/frame"
)

// TestChildDoesNotConnect starts the process that reads documents where a daemon listens: it does its work, and does
// not ask the daemon for anything. The program under its own name does, which shows that the listener would notice.
func TestChildDoesNotConnect(t *testing.T) {
	home, err := os.MkdirTemp("", "child") // short, for the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	run := filepath.Join(home, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(run, frame.SocketName), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func(input string, argv ...string) *bytes.Buffer {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Args = argv
		cmd.Env = append(os.Environ(), "USHER_HOME="+home, "USHER_SOCKET_DIR="+run)
		cmd.Stdin = strings.NewReader(input)
		out := new(bytes.Buffer)
		cmd.Stdout = out
		_ = cmd.Run() // the one under its own name is hung up on
		return out
	}
	const order = `{"type":"text/plain","header":"text/plain","from":"http://a.test/","size":5}` + "\n\x00\x00\x00\x05words\x00\x00\x00\x00"
	if out := start(order, "usher-reader"); !strings.HasSuffix(out.String(), "\nwords") {
		t.Errorf("the process that reads said %q", out)
	}
	// Connections are taken in the order in which they were made: ours has to be the first.
	mine, err := net.Dial("unix", filepath.Join(run, frame.SocketName))
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	if _, err := mine.Write([]byte("mine")); err != nil {
		t.Fatal(err)
	}
	first, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	var said [4]byte
	if n, err := first.Read(said[:]); err != nil || string(said[:n]) != "mine" {
		t.Errorf("the process that reads asked the daemon first: %q, %v", said[:n], err)
	}
	asked := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			err = conn.Close()
		}
		asked <- err
	}()
	_ = start("", "usher", "session", "list")
	listener.Close()
	if err := <-asked; err != nil {
		t.Errorf("the program under its own name did not ask either: %v", err)
	}
}
