package cdptest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Gateway is an HTTP server before the debugging port of a browser, as services of remote browsers have one: it passes
// requests and WebSockets that it accepts.
type Gateway struct {
	// URL is its address: http://127.0.0.1:PORT. WebSocket is the same of the browser behind it.
	URL, WebSocket string

	mu       sync.Mutex
	accept   func(*http.Request) int // guarded by mu
	requests []*http.Request         // guarded by mu
}

// NewGateway opens a gateway to a browser for a test. accept returns 0 for requests that pass, else the HTTP status of the
// refusal.
func NewGateway(t testing.TB, browser *Browser, accept func(*http.Request) int) *Gateway {
	t.Helper()
	target := &url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", browser.Port)}
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = target.Host
	}}
	g := &Gateway{accept: accept}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.requests = append(g.requests, r.Clone(t.Context()))
		status := g.accept(r)
		g.mu.Unlock()
		if status != 0 {
			http.Error(w, "refused, and your headers were "+fmt.Sprint(r.Header), status)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	g.URL = server.URL
	_, path, _ := strings.Cut(browser.WebSocketURL, "/devtools/")
	g.WebSocket = "ws" + strings.TrimPrefix(g.URL, "http") + "/devtools/" + path
	return g
}

// Accept replaces the decision about requests.
func (g *Gateway) Accept(accept func(*http.Request) int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.accept = accept
}

// Requests returns the requests so far, without their bodies.
func (g *Gateway) Requests() []*http.Request {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]*http.Request(nil), g.requests...)
}
