package relay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
)

// TestDownloads: a client gets a copy of a file where it asked for one, whether it asked for events or not, and the events in the session in which it
// did.
func TestDownloads(t *testing.T) {
	r := newRig(t)
	for i, x := range []struct {
		name, method string
		events       bool
		session      func(t *testing.T, c *cdp.Conn, page *cdp.Session) *cdp.Session
	}{
		{"first session", "Browser.setDownloadBehavior", true, func(_ *testing.T, c *cdp.Conn, _ *cdp.Session) *cdp.Session { return c.Browser() }},
		{"further session", "Browser.setDownloadBehavior", true, func(t *testing.T, c *cdp.Conn, _ *cdp.Session) *cdp.Session {
			var made struct {
				ID string `json:"sessionId"`
			}
			if err := c.Browser().Call(deadline(t), "Target.attachToBrowserTarget", nil, &made); err != nil {
				t.Fatal(err)
			}
			return c.Session(made.ID)
		}},
		{"session of a page", "Browser.setDownloadBehavior", true, func(_ *testing.T, _ *cdp.Conn, page *cdp.Session) *cdp.Session { return page }},
		{"no events", "Browser.setDownloadBehavior", false, func(_ *testing.T, c *cdp.Conn, _ *cdp.Session) *cdp.Session { return c.Browser() }},
		{"old command", "Page.setDownloadBehavior", false, func(_ *testing.T, _ *cdp.Conn, page *cdp.Session) *cdp.Session { return page }},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, seen := r.client(t)
			path := fmt.Sprint("/popup?", i)
			target := r.open(t, path) // Chrome asks the user about the second download of a tab
			pageAt(t, c, path)
			page := attachTo(t, c, target)
			dir := t.TempDir()
			params := map[string]any{"behavior": "allow", "downloadPath": dir}
			if x.events {
				params["eventsEnabled"] = true
			}
			session := x.session(t, c, page)
			if err := session.Call(deadline(t), x.method, params, nil); err != nil {
				t.Fatal(err)
			}
			becomes(t, page, "document.querySelector('#d') ? 1 : 0", "1")
			mustBe(t, page, "document.querySelector('#d').click(), 1", "1")
			if x.events {
				seen.await(t, 0, "Browser.downloadWillBegin", "f.txt")
				seen.await(t, 0, "Browser.downloadProgress", `"completed"`, filepath.Join(dir, "f.txt"))
				if of := seen.sessionOf("Browser.downloadProgress"); of != session.ID() {
					t.Errorf("the events came in session %q, not in %q", of, session.ID())
				}
			}
			for limit := deadline(t); ; {
				if got, err := os.ReadFile(filepath.Join(dir, "f.txt")); err == nil && string(got) == "file content" {
					break
				} else if limit.Err() != nil {
					t.Fatalf("no copy: %q, %v", got, err)
				}
				time.Sleep(5 * time.Millisecond)
			}
			if !x.events && strings.Contains(strings.Join(seen.list(), "\n"), "Browser.download") {
				t.Error("events that nobody asked for")
			}
			_ = c.Close()
		})
	}
}

// TestDownloadsElsewhere: a client gets the end and the copy of a download whose tab closed before that, and of one that was
// redirected.
func TestDownloadsElsewhere(t *testing.T) {
	r := newRig(t)
	for i, link := range []string{"#n", "#m"} {
		c, seen := r.client(t)
		path := fmt.Sprint("/popup?", i)
		target := r.open(t, path)
		pageAt(t, c, path)
		page := attachTo(t, c, target)
		dir := t.TempDir()
		if err := c.Browser().Call(deadline(t), "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.Browser().Call(deadline(t), "Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": dir, "eventsEnabled": true}, nil); err != nil {
			t.Fatal(err)
		}
		becomes(t, page, "document.querySelector('"+link+"') ? 1 : 0", "1")
		click := map[string]any{"expression": "document.querySelector('" + link + "').click()", "userGesture": true}
		if err := page.Call(deadline(t), "Runtime.evaluate", click, nil); err != nil {
			t.Fatal(err)
		}
		seen.await(t, 0, "Browser.downloadWillBegin", "f.txt", `"frameId":"`+target) // of the page that opened a tab for it
		seen.await(t, 0, "Browser.downloadProgress", `"completed"`, filepath.Join(dir, "f.txt"))
		if got, err := os.ReadFile(filepath.Join(dir, "f.txt")); err != nil || string(got) != "file content" {
			t.Errorf("%s: the copy is %q, %v", link, got, err)
		}
		_ = c.Close()
	}
}

// TestDownloadsOfOneAddress: of downloads from one address that follow one another each is told, once, also those for which the page opened a tab that
// Chrome closed before the debugger was attached to it.
func TestDownloadsOfOneAddress(t *testing.T) {
	r := newRig(t)
	c, seen := r.client(t)
	dir := t.TempDir()
	if err := c.Browser().Call(deadline(t), "Browser.setDownloadBehavior", map[string]any{"behavior": "allowAndName", "downloadPath": dir, "eventsEnabled": true}, nil); err != nil {
		t.Fatal(err)
	}
	of := func(method string, parts ...string) (n int) {
		for _, e := range seen.list() {
			has := strings.HasPrefix(e, method+" ")
			for _, part := range parts {
				has = has && strings.Contains(e, part)
			}
			if has {
				n++
			}
		}
		return n
	}
	const times = 8
	for i := range times {
		path := fmt.Sprint("/popup?", i)
		target := r.open(t, path) // Chrome asks the user about the second download of a tab
		pageAt(t, c, path)
		page := attachTo(t, c, target)
		becomes(t, page, "document.querySelector('#n') ? 1 : 0", "1")
		click := map[string]any{"expression": "n.href = '/download', n.click()", "userGesture": true}
		must(t, page, "Runtime.evaluate", click)
		seen.await(t, 0, "Browser.downloadWillBegin", `"frameId":"`+target)
	}
	for limit := deadline(t); of("Browser.downloadProgress", `"completed"`) < times && limit.Err() == nil; {
		time.Sleep(20 * time.Millisecond)
	}
	if begun, ended := of("Browser.downloadWillBegin"), of("Browser.downloadProgress", `"completed"`); begun != times || ended != times {
		t.Errorf("of %d downloads %d were told of, and the end of %d", times, begun, ended)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != times {
		t.Errorf("there are %d copies: %v", len(files), err)
	}
}
