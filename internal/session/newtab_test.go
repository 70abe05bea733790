package session_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestTabNewIsSetUp: what the session sets for its tabs holds for the first request and document of `tab new URL`.
func TestTabNewIsSetUp(t *testing.T) {
	t.Parallel()
	asked := make(chan *http.Request, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/favicon.ico" {
			asked <- r
		}
		if user, password, _ := r.BasicAuth(); r.URL.Path == "/login" && (user != "usher" || password != "secret") {
			w.Header().Set("WWW-Authenticate", `Basic realm="in"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>There</title><body><script>document.body.append(String(window.early), ' ', innerWidth)</script>"))
	}))
	defer server.Close()
	c := connect(t)
	c.must(t, "open about:blank")
	c.must(t, `set headers {"X-Extra":"1"}`)
	c.must(t, "set useragent Probe/1")
	c.must(t, "set viewport 640 480")
	c.must(t, "set credentials usher secret")
	c.must(t, "addinitscript window.early=7")
	c.must(t, "network route **/mocked --body mocked")
	for _, path := range []string{"/", "/login"} {
		c.must(t, "tab new "+server.URL+path)
		r := <-asked
		if r.Header.Get("X-Extra") != "1" || r.UserAgent() != "Probe/1" {
			t.Errorf("the first request for %s has X-Extra %q and User-Agent %q", path, r.Header.Get("X-Extra"), r.UserAgent())
		}
		if got := c.must(t, "get text body").Text; got != "7 640" {
			t.Errorf("%s shows %q", path, got)
		}
		for len(asked) > 0 {
			<-asked
		}
	}
	c.must(t, "tab new "+server.URL+"/mocked")
	if got := c.must(t, "get text body").Text; got != "mocked" {
		t.Errorf("/mocked shows %q", got)
	}
	if len(asked) > 0 {
		t.Errorf("the server was asked for %s", (<-asked).URL)
	}
}

// TestTabNewThatIsHeld: the reply of `tab new` tells of a dialog that the page opened, and a tab whose address fails is
// there, with its label.
func TestTabNewThatIsHeld(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	if got := c.must(t, "tab new "+site.URL("/dialog-on-load?kind=confirm")); !strings.Contains(got.Warning, "confirm dialog") {
		t.Errorf("the reply is %+v", got)
	}
	c.must(t, "dialog accept")
	if _, err := c.run(t.Context(), "tab new --label lost http://127.0.0.1:1/"); err == nil || !strings.Contains(err.Error(), "ERR_UNSAFE_PORT") {
		t.Errorf("the error is %v", err)
	}
	if got := c.must(t, "tab list").Text; !strings.Contains(got, "[t3] lost ") {
		t.Errorf("the tabs are\n%s", got)
	}
}
