//go:build unix

package session_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// TestFrozenBrowser stops the browser's process, as a sleeping or swapping machine does. Commands return at most two
// seconds after their deadline (a last probe of the page, on a machine with eight runnable threads for each CPU), and the
// page is intact when the browser continues.
func TestFrozenBrowser(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	info := fields(t, c.must(t, "session info"))
	pid := int(info["browser"].(map[string]any)["pid"].(float64))
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	resume := func() { _ = syscall.Kill(pid, syscall.SIGCONT) } // it is the test's own, and is there until the test ends
	defer resume()
	for _, line := range []string{"click #b", "hover #b", "get text #b", "eval 1", "snapshot", "get title", "open " + site.URL("/keys"), "back", "tab list", "screenshot"} {
		began := time.Now()
		_, err := c.run(t.Context(), line+" --timeout 1s")
		if took := time.Since(began); took > 3*time.Second+500*time.Millisecond {
			t.Errorf("%s took %v with a deadline of 1s: %v", line, took.Round(time.Millisecond), err)
		} else {
			t.Logf("%-12.12s %v: %v", line, took.Round(time.Millisecond), err)
		}
	}
	resume()
	c.must(t, "open "+site.URL("/small"))
	c.must(t, "click #b")
}

// TestFrozenBrowserCloses: a session ends although its browser does not answer. The browser is ended after its last session.
func TestFrozenBrowserCloses(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "--session other open "+site.URL("/small"))
	c.must(t, "open "+site.URL("/small"))
	info := fields(t, c.must(t, "session info"))
	pid := int(info["browser"].(map[string]any)["pid"].(float64))
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	for _, session := range []string{"other", "default"} {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		_, err := c.run(ctx, "--session "+session+" close")
		cancel()
		took := time.Since(began).Round(time.Millisecond)
		if shared := session == "other"; took > 15*time.Second || (api.CodeOf(err) == api.BrowserUnresponsive) != shared || (err != nil) != shared {
			t.Errorf("session %s closed after %v: %v", session, took, err)
		}
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Error("the browser goes on")
	}
}
