//go:build unix

package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

// TestInterruptedEvents follows a session and presses Ctrl-C: the client ends as
// shells expect, and what it followed goes on.
func TestInterruptedEvents(t *testing.T) {
	site := cdptest.NewSite(t)
	chromium := cdptest.Chromium(t)
	p, err := program.New("usher", chromium, "USHER_HOME={home}/u", "USHER_EXECUTABLE_PATH="+chromium)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := p.End(); err != nil {
			t.Errorf("clear up: %v", err)
		}
	})
	command := func(argv ...string) *exec.Cmd {
		cmd := exec.Command("usher", argv...)
		cmd.Env = append(os.Environ(), p.Env...)
		return cmd
	}
	must := func(argv ...string) string {
		t.Helper()
		out, err := command(argv...).CombinedOutput()
		if err != nil {
			t.Fatalf("usher %s: %v\n%s", strings.Join(argv, " "), err, out)
		}
		return string(out)
	}
	must("open", site.URL("/small"))
	must("eval", "window.kept = 'kept'")

	follower := command("events", "-f", "--since", "0")
	var said strings.Builder
	follower.Stderr = &said
	out, err := follower.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := follower.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "/small") { // it follows
	}
	if err := follower.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	// To a shell that is the status 130, and it knows that its user wanted to stop.
	err = follower.Wait()
	if status, ok := follower.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v, saying %q", err, said.String())
	}
	if got := must("eval", "kept"); !strings.Contains(got, "kept") {
		t.Errorf("of the page remains %q", got)
	}
	if got := must("events", "--since", "0", "--types", "tab_closed,browser_closed"); strings.Contains(got, "closed") {
		t.Errorf("something was closed: %s", got)
	}
}

// TestTerminatedServer: clients end a server that they no longer want with SIGTERM. What it has started ends with it, were it deaf to that.
func TestTerminatedServer(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	file := configFile(t, `
mcp_servers:
  deaf: {command: sh, args: ["-c", "trap '' HUP INT TERM; echo $$ >'`+pidFile+`.new'; mv '`+pidFile+`.new' '`+pidFile+`'; while :; do sleep 60; done"]}
toolsets: [todo, deaf]
`)
	p, err := program.New("usher", cdptest.Chromium(t), "USHER_HOME={home}/u")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := p.End(); err != nil {
			t.Errorf("clear up: %v", err)
		}
	})
	server := exec.Command("usher", "--config", file, "mcp")
	server.Env = append(os.Environ(), p.Env...)
	hold, err := server.StdinPipe() // the client has not left
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	for deadline := time.Now().Add(cdptest.Timeout); pid == 0; time.Sleep(5 * time.Millisecond) {
		if raw, err := os.ReadFile(pidFile); err == nil {
			if pid, err = strconv.Atoi(strings.TrimSpace(string(raw))); err != nil {
				t.Fatal(err)
			}
		} else if time.Now().After(deadline) {
			t.Fatal("the mounted server was not started")
		}
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the mounted server lives on: %v", err)
		_ = syscall.Kill(-pid, syscall.SIGKILL) // it is reported above
	}
}
