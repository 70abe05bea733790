package session_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestSlowRequestsOfOthers opens a page with slow requests to its own server and to another one. A command that runs
// meanwhile probes the page's own request, without a body, and not the other.
func TestSlowRequestsOfOthers(t *testing.T) {
	var mu sync.Mutex
	asked := map[string][]string{}
	count := func(host string) []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), asked[host]...)
	}
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			host, _, _ := strings.Cut(r.Host, ":")
			mu.Lock()
			asked[host] = append(asked[host], r.Method)
			mu.Unlock()
			w.Header().Set("Access-Control-Allow-Origin", "*")
			if r.Method == http.MethodGet {
				select {
				case <-over:
				case <-r.Context().Done():
				}
			}
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, port, _ := strings.Cut(r.Host, ":")
		_, _ = w.Write([]byte(`<title>two</title><script>fetch("http://localhost:` + port + `/slow").catch(() => 0); fetch("/slow").catch(() => 0)</script>`))
	}))
	defer server.Close()
	defer close(over)
	c := connect(t)
	c.must(t, "open "+server.URL)
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	defer cancel()
	waited := make(chan error, 1)
	go func() {
		_, err := c.run(ctx, "wait --fn window.never --timeout 5m")
		waited <- err
	}()
	// Both requests have waited equally long and would be probed in the same round. A second slow request to the page's
	// own server shows that a whole round has passed.
	for len(count("127.0.0.1")) < 2 {
		select {
		case err := <-waited:
			t.Fatalf("the page's own server was not asked while a command waits: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	c.must(t, `eval fetch("/slow?again").catch(()=>0),1`)
	for len(count("127.0.0.1")) < 4 {
		select {
		case err := <-waited:
			t.Fatalf("the page's own server was not asked again while a command waits: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	cancel()
	<-waited
	if got := strings.Join(count("localhost"), " "); got != "GET" {
		t.Errorf("the other server was asked %s", got)
	}
	if got := strings.Join(count("127.0.0.1"), " "); got != "GET HEAD GET HEAD" {
		t.Errorf("the page's own server was asked %s", got)
	}
}
