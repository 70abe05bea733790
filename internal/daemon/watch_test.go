//go:build linux || darwin

package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api/frame"
)

// comesBack waits until the daemon answers at its socket.
func comesBack(t *testing.T, socket string) {
	t.Helper()
	for end := time.Now().Add(10 * watchEvery); ; time.Sleep(watchEvery / 20) {
		if _, err := os.Lstat(socket); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the socket did not come back")
		}
	}
	if got := describeFrames(t, sendText(t, socket, ask(t, frame.OpRun, "eval", "abc"))); got != "o3x0" {
		t.Errorf("%q", got)
	}
}

func TestDeletedSocketComesBack(t *testing.T) {
	socket, _ := start(t, counter{time.Hour})
	if err := os.Remove(socket); err != nil {
		t.Fatal(err)
	}
	// One that a client starts meanwhile waits until the socket is there.
	err := Serve(context.Background(), Options{RunDir: filepath.Dir(socket), Log: slog.New(slog.DiscardHandler)})
	if !errors.Is(err, ErrRunning) {
		t.Errorf("a second daemon: %v", err)
	}
	comesBack(t, socket)
}

func TestDeletedFilesComeBack(t *testing.T) {
	socket, _ := start(t, counter{time.Hour})
	for _, name := range []string{socket, filepath.Join(filepath.Dir(socket), lifeLock), filepath.Join(filepath.Dir(socket), changeLock)} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	comesBack(t, socket)
	err := Serve(context.Background(), Options{RunDir: filepath.Dir(socket), Log: slog.New(slog.DiscardHandler)})
	if !errors.Is(err, ErrRunning) {
		t.Errorf("a second daemon: %v", err)
	}
}

func TestDeletedDirectoryEnds(t *testing.T) {
	socket, ended := start(t, counter{time.Hour})
	dir := filepath.Dir(socket)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * watchEvery):
		t.Fatal("the daemon did not end")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is there again: %v", err)
	}
}

// A daemon that was started in the place of a deleted directory keeps its socket when the former one ends.
func TestReplacedDaemonEnds(t *testing.T) {
	socket, ended := start(t, counter{time.Hour})
	dir := filepath.Dir(socket)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, second := make(chan struct{}), make(chan error, 1)
	go func() {
		second <- Serve(ctx, Options{RunDir: dir, Build: "b", Log: slog.New(slog.DiscardHandler),
			NewHandler: func() (Handler, error) { return counter{time.Hour}, nil }, Ready: func() { close(ready) }})
	}()
	defer func() {
		cancel()
		if err := <-second; err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-ready:
	case err := <-second:
		t.Fatal("the second did not start:", err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * watchEvery):
		t.Fatal("the first did not end")
	}
	if _, err := os.Lstat(socket); err != nil {
		t.Errorf("the second one's socket: %v", err)
	}
}
