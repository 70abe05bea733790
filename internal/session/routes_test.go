package session_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/har"
)

// TestRoutesWithLoginsAndHeaders checks that routes, credentials and extra headers, which share the Fetch domain, work in
// one session: a page behind a login gets the extra header, one of its requests a route's header, another a route's
// answer.
func TestRoutesWithLoginsAndHeaders(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "usher" || password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="in"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(r.Header.Get("X-Extra") + " " + r.Header.Get("X-Route")))
	}))
	defer server.Close()
	c := connect(t)
	c.env["USHER_CREDENTIALS"] = "usher:secret@" + server.URL
	c.must(t, `open --headers {"X-Extra":"1"} `+server.URL+"/")
	if got := c.must(t, "get text body").Text; got != "1" {
		t.Errorf("the page has %q", got)
	}
	c.must(t, "network route **/sent --header X-Route:2")
	c.must(t, "network route **/both --header X-Route:3 --header X-Extra:4")
	c.must(t, "network route **/mocked --body 5")
	got := c.must(t, "eval Promise.all(['/sent','/both','/mocked'].map(u=>fetch(u).then(r=>r.text()))).then(a=>a.join())")
	if got.Text != `"1 2,4 3,5"` {
		t.Errorf("got %s", got.Text)
	}
}

// TestRoutesOverOutage checks that routes and network conditions hold on the connection after a lost one.
func TestRoutesOverOutage(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	c, proxy, _ := attach(t, site.URL("/small"))
	c.must(t, "network route **/mocked --body 5")
	proxy.Refuse()
	eventually(t, "the outage is known", isDown(c, t))
	if err := proxy.Allow(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the connection is back", func() bool { return !isDown(c, t)() })
	if got := c.must(t, "eval fetch('/mocked').then(r=>r.text())").Text; got != `"5"` {
		t.Errorf("got %s", got)
	}
	c.must(t, "network throttle offline")
	proxy.Refuse()
	eventually(t, "the outage is known", isDown(c, t))
	if err := proxy.Allow(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the connection is back", func() bool { return !isDown(c, t)() })
	if _, err := c.run(t.Context(), "open "+site.URL("/small")); err == nil || !strings.Contains(err.Error(), "ERR_INTERNET_DISCONNECTED") {
		t.Errorf("offline after the outage: %v", err)
	}
}

// TestHARSavedOnClose checks that closing the session ends a recording, and that its file is complete and private.
func TestHARSavedOnClose(t *testing.T) {
	t.Parallel()
	site, c := cdptest.NewSite(t), connect(t)
	c.must(t, "open "+site.URL("/small"))
	path := filepath.Join(c.env["HOME"], "closed.har")
	c.must(t, "network har start "+path)
	c.must(t, "open "+site.URL("/echo"))
	c.must(t, "close")
	log, err := har.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(log.Entries, func(e har.Entry) bool { return strings.HasSuffix(e.Request.URL, "/echo") && e.Response.Status == 200 }) {
		t.Errorf("got %d entries", len(log.Entries))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if left, err := filepath.Glob(path + ".*"); err != nil || left != nil {
		t.Errorf("left: %s, %v", left, err)
	}
}

// TestHARSavedAfterACrash: what was recorded before the browser ended is saved, and each command after it tells where.
func TestHARSavedAfterACrash(t *testing.T) {
	t.Parallel()
	site, c := cdptest.NewSite(t), connect(t)
	c.must(t, "open "+site.URL("/small"))
	path := filepath.Join(c.env["HOME"], "crashed.har")
	c.must(t, "network har start "+path)
	c.must(t, "open "+site.URL("/echo"))
	c.crash(t)
	for _, line := range []string{"network har stop", "get title"} {
		if _, err := c.run(t.Context(), line); err == nil || !strings.Contains(err.Error(), "saved as "+path) {
			t.Errorf("%s: %v", line, err)
		}
	}
	log, err := har.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(log.Entries, func(e har.Entry) bool { return strings.HasSuffix(e.Request.URL, "/echo") && e.Response.Status == 200 }) {
		t.Errorf("got %d entries", len(log.Entries))
	}
}
