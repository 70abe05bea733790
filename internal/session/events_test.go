package session_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/command/run"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// follower is one run of events --follow.
type follower struct {
	lines chan string
	done  chan error
	res   run.Result
}

// follow starts one and waits for its first line.
func (c *client) follow(t *testing.T, ctx context.Context, line string, slow <-chan struct{}) *follower {
	t.Helper()
	f := &follower{lines: make(chan string, 10000), done: make(chan error, 1)}
	go func() {
		var err error
		f.res, err = c.emitting(ctx, line, func(p []byte) error {
			for row := range bytes.Lines(p) {
				f.lines <- strings.TrimSpace(string(row))
			}
			if slow != nil {
				<-slow
			}
			return nil
		})
		close(f.lines)
		f.done <- err
	}()
	if first := <-f.lines; !strings.Contains(first, "stream") && !strings.Contains(first, "has no browser yet") {
		t.Fatalf("it begins with %q", first)
	}
	return f
}

// until reads lines up to one that contains part.
func (f *follower) until(t *testing.T, part string) string {
	t.Helper()
	for l := range f.lines {
		if strings.Contains(l, part) {
			return l
		}
	}
	t.Fatalf("it ended before %q came", part)
	return ""
}

// A follower gets the events of its own session only, and ends with the session.
func TestFollowUntilClosed(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	c.must(t, "open "+site.URL("/keys")+" --session other")
	f := c.follow(t, t.Context(), "events --follow", nil)
	c.must(t, "open "+site.URL("/keys?theirs")+" --session other")
	c.must(t, "open "+site.URL("/dialogs"))
	for l := f.until(t, "navigated to"); !strings.Contains(l, "/dialogs"); l = f.until(t, "navigated to") {
		if strings.Contains(l, "theirs") {
			t.Fatalf("it tells of another session: %s", l)
		}
	}
	c.must(t, "close")
	f.until(t, "— closed after")
	if err := <-f.done; err != nil || !f.res.Streamed {
		t.Errorf("it ended with %v, %+v", err, f.res)
	}
	c.must(t, "get title --session other")
}

// A follower may start before the browser: it reports that it waits, then prints all events. Its time limit includes the
// wait.
func TestFollowBeforeTheBrowser(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	for range 2 { // before the first browser, and between two
		f := c.follow(t, t.Context(), "events --follow", nil)
		c.must(t, "open "+site.URL("/small"))
		f.until(t, "— stream")
		f.until(t, "opened")
		for l := f.until(t, "navigated to"); !strings.Contains(l, "/small"); l = f.until(t, "navigated to") {
		}
		c.must(t, "close")
		f.until(t, "— closed after")
		if err := <-f.done; err != nil {
			t.Errorf("it ended with %v", err)
		}
	}
	f := c.follow(t, t.Context(), "events --follow --timeout 50ms", nil)
	var e *api.Error
	if err := <-f.done; !errors.As(err, &e) || e.Code != api.Timeout || !strings.Contains(e.Message, "got no browser within 50ms") {
		t.Errorf("its limit ended it with %v", err)
	}
	if n := c.registry.Count(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	if _, err := c.run(t.Context(), "events"); !errors.As(err, &e) || e.Code != api.BrowserNotRunning {
		t.Errorf("without --follow: %v", err)
	}
}

// A follower that is interrupted ends at once.
func TestFollowCancelled(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	ctx, cancel := context.WithCancelCause(t.Context())
	f := c.follow(t, ctx, "events --follow", nil)
	cancel(api.Errorf(api.Cancelled, "interrupted"))
	if err := <-f.done; api.CodeOf(err) != api.Cancelled {
		t.Errorf("it ended with %v", err)
	}
}

// A follower does not keep an idle session open.
func TestFollowDoesNotKeepSessionOpen(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small")+" --idle-timeout 2s")
	f := c.follow(t, t.Context(), "events --follow", nil)
	f.until(t, "— closed after") // before the test's deadline
	if err := <-f.done; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// A follower that does not read is dropped with its position, and continues from there. The page was not delayed.
func TestSlowFollowerIsDropped(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	slow := make(chan struct{}, 1000)
	f := c.follow(t, t.Context(), "events --follow --json --types console", slow)
	slow <- struct{}{} // the first line
	c.must(t, "eval console.log('first')")
	f.until(t, "first")
	c.must(t, "eval for(let[i]of[...Array(12000)].entries())console.log(i)")
	if _, err := c.run(t.Context(), "eval 1"); err != nil { // all of it has been seen
		t.Fatal(err)
	}
	close(slow)
	f.until(t, `"type":"dropped"`)
	err := <-f.done
	var lost *api.Error
	if !errors.As(err, &lost) || lost.Code != api.EventsLost || !strings.Contains(lost.Hint, "--since ") {
		t.Fatalf("it ended with %v", err)
	}
	_, since, _ := strings.Cut(lost.Hint, "--since ")
	since, _, _ = strings.Cut(since, "`")
	got := c.must(t, "events --since "+since+" --types console").Text
	if !strings.Contains(got, "events are no longer kept") || !strings.Contains(got, "“11999”") {
		t.Errorf("going on gives %.300s", got)
	}
}
