package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// attach returns a session in a browser behind a proxy, with a page.
func attach(t *testing.T, page string) (*client, *cdptest.Proxy, *cdptest.Browser) {
	t.Helper()
	chromium := cdptest.Launch(t)
	proxy := cdptest.NewProxy(t, chromium.Port)
	c := connect(t)
	c.must(t, fmt.Sprintf("open %s --cdp %d", page, proxy.Port))
	return c, proxy, chromium
}

// isDown reports whether the session's connection is lost.
func isDown(c *client, t *testing.T) func() bool {
	return func() bool {
		data := fields(t, c.must(t, "session info"))
		link, _ := data["connection"].(map[string]any)
		return link["state"] == "reconnecting"
	}
}

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !cond(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited until %s", what)
		}
	}
}

// TestCommandsOverOutage: the results of commands before, during and after an outage.
func TestCommandsOverOutage(t *testing.T) {
	site := cdptest.NewSite(t)
	c, proxy, _ := attach(t, site.URL("/forms"))
	c.must(t, "eval console.log('before');1")
	shot := c.must(t, "snapshot -i")
	ref := "@" + strings.TrimSuffix(strings.SplitN(strings.SplitN(shot.Text, "ref=", 2)[1], "]", 2)[0], ",")
	tabs := c.must(t, "tab").Text
	downloads := c.must(t, "console").Text

	inFlight := make(chan error, 1)
	go func() {
		_, err := c.run(t.Context(), "eval new(Promise)(()=>{}) --timeout 20s")
		inFlight <- err
	}()
	time.Sleep(300 * time.Millisecond) // so that it is under way; were it not, it would wait and fail all the same
	began := time.Now()
	proxy.Refuse()
	eventually(t, "the outage is known", isDown(c, t))
	if err := <-inFlight; api.CodeOf(err) != api.ConnectionLost || time.Since(began) > 5*time.Second {
		t.Errorf("in flight, after %v: %v", time.Since(began), err)
	} else if !strings.Contains(api.AsError(err).NextStep(), "repeat") {
		t.Errorf("its hint is %q", api.AsError(err).NextStep())
	}

	// Commands that need no renderer succeed, with a notice.
	for _, line := range []string{"console", "errors", "network requests", "dialog status"} {
		res := c.must(t, line)
		if !strings.Contains(res.Warning, "connection to the browser was lost") {
			t.Errorf("%s: the warning is %q", line, res.Warning)
		}
	}
	if got := c.must(t, "console").Text; got != downloads {
		t.Errorf("the console is %q, was %q", got, downloads)
	}
	// Commands that need the browser wait, up to their deadline.
	began = time.Now()
	_, err := c.run(t.Context(), "get title --timeout 700ms")
	if took := time.Since(began); api.CodeOf(err) != api.ConnectionLost || took < 700*time.Millisecond || took > 4*time.Second {
		t.Errorf("get title after %v: %v", took, err)
	}
	waited := make(chan error, 1)
	go func() {
		_, err := c.run(t.Context(), "get title --timeout 20s")
		waited <- err
	}()
	// Changed options are applied after the outage.
	if _, err := c.run(t.Context(), "console --viewport 700x500"); err != nil {
		t.Errorf("an option during the outage: %v", err)
	}
	if err := proxy.Allow(); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Errorf("the command that waited: %v", err)
	}
	if got := c.must(t, "tab").Text; got != tabs {
		t.Errorf("tabs are %q, were %q", got, tabs)
	}
	if got := c.must(t, "console").Text; got != downloads {
		t.Errorf("the console is %q, was %q", got, downloads)
	}
	c.must(t, "get text "+ref)
	if got := c.must(t, "eval innerWidth").Text; got != "700" {
		t.Errorf("the viewport is %s wide", got)
	}
	c.must(t, "eval console.log('after');1")
	if got := c.must(t, "console").Text; got != downloads+"\n[log] after" {
		t.Errorf("the console is %q", got)
	}
}

// TestHeadersAndDownloadsOverOutage: extra headers and the download directory are set again on the next connection.
func TestHeadersAndDownloadsOverOutage(t *testing.T) {
	site := cdptest.NewSite(t)
	chromium := cdptest.Launch(t)
	proxy := cdptest.NewProxy(t, chromium.Port)
	c := connect(t)
	c.must(t, fmt.Sprintf(`open %s --cdp %d --headers {"X-Probe":"kept"}`, site.URL("/echo"), proxy.Port))
	if got := c.must(t, "get text body").Text; !strings.Contains(got, "kept") {
		t.Fatalf("the page shows %q", got)
	}
	proxy.Refuse()
	eventually(t, "the outage is known", isDown(c, t))
	if err := proxy.Allow(); err != nil {
		t.Fatal(err)
	}
	c.must(t, "reload")
	if got := c.must(t, "get text body").Text; !strings.Contains(got, "kept") {
		t.Errorf("after the outage the page shows %q", got)
	}
	c.must(t, "open "+site.URL("/download"))
	file := filepath.Join(t.TempDir(), "got.csv")
	c.must(t, "download #attachment "+file)
	if got, err := os.ReadFile(file); err != nil || string(got) != cdptest.Attachment {
		t.Errorf("after the outage the download is %.40q, %v", got, err)
	}
}

// TestPermissionsOverOutage: permission policies are set again after an outage, which resets them in the browser.
func TestPermissionsOverOutage(t *testing.T) {
	site := cdptest.NewSite(t)
	chromium := cdptest.Launch(t)
	proxy := cdptest.NewProxy(t, chromium.Port)
	c := connect(t)
	const read = `eval Promise.all(["geolocation","camera"].map(name=>navigator.permissions.query({name}).then(r=>r.state))).then(l=>l.join())`
	c.must(t, fmt.Sprintf(`open %s --cdp %d --permissions geolocation=allow,camera=deny`, site.URL("/small"), proxy.Port))
	if got := c.must(t, read).Text; got != `"granted,denied"` {
		t.Fatalf("the page is told %s", got)
	}
	proxy.Refuse()
	eventually(t, "the outage is known", isDown(c, t))
	if err := proxy.Allow(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it holds again", func() bool { return c.must(t, read).Text == `"granted,denied"` })
}

// TestAttachedBrowserEnds: if its port refuses connections for a while, the browser counts as ended, and commands say so.
func TestAttachedBrowserEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits until the browser is given up")
	}
	site := cdptest.NewSite(t)
	chromium := cdptest.Launch(t)
	c := connect(t)
	c.must(t, fmt.Sprintf("open %s --cdp %d", site.URL("/small"), chromium.Port))
	chromium.Close()
	var err error
	codes := map[api.Code]bool{}
	for end := time.Now().Add(60 * time.Second); api.CodeOf(err) != api.BrowserCrashed; {
		if time.Now().After(end) {
			t.Fatalf("the browser is not said to be gone; the last was %v", err)
		}
		_, err = c.run(t.Context(), "get title --timeout 2s")
		codes[api.CodeOf(err)] = true
		if err == nil {
			t.Fatal("a browser that is gone has a title")
		}
	}
	if !codes[api.ConnectionLost] || len(codes) != 2 {
		t.Errorf("the codes were %v", codes)
	}
	if text := err.Error(); !strings.Contains(text, "not reconnected within") {
		t.Errorf("it says %q", text)
	}
}

// TestTwoAddressesRace: concurrent callers of one session that name different browsers. One succeeds; the other gets the
// error that the session has another browser. Nothing is lost or mixed up.
func TestTwoAddressesRace(t *testing.T) {
	one, two := cdptest.Launch(t), cdptest.Launch(t)
	site := cdptest.NewSite(t)
	c := connect(t)
	for round := range 4 {
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			port := []int{one.Port, two.Port}[i%2]
			all.Go(func() { _, errs[i] = c.run(t.Context(), fmt.Sprintf("open %s --cdp %d", site.URL("/small"), port)) })
		}
		all.Wait()
		served := [2]int{}
		for i, err := range errs {
			switch {
			case err == nil:
				served[i%2]++
			case api.CodeOf(err) != api.LaunchConflict:
				t.Errorf("round %d: %v", round, err)
			}
		}
		if (served[0] == 0) == (served[1] == 0) {
			t.Errorf("round %d: both browsers or none served the session: %v", round, served)
		}
		info := fields(t, c.must(t, "session info"))["browser"].(map[string]any)
		if info["sessions"] != 1.0 {
			t.Errorf("round %d: %v", round, info)
		}
		// After close, the other address works: nothing is carried over.
		c.must(t, "close")
		port := []int{one.Port, two.Port}[round%2]
		ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
		if _, err := c.run(ctx, fmt.Sprintf("open about:blank --cdp %d", port)); err != nil {
			t.Error(err)
		}
		cancel()
		c.must(t, "close")
	}
}
