//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

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
