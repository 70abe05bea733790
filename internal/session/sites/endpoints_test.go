package sites

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/usher-browser/usher/internal/policy"
)

// served returns a server's address.
func served(s *httptest.Server) netip.AddrPort {
	return netip.MustParseAddrPort(s.Listener.Addr().String())
}

// TestDebuggers distinguishes debugging endpoints from other servers, whatever those answer.
func TestDebuggers(t *testing.T) {
	t.Parallel()
	answer := func(path, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != path {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write([]byte(body))
		}
	}
	release := make(chan struct{})
	chromium := httptest.NewServer(answer("/json/version", `{"Browser":"Chrome/156.0.1","Protocol-Version":"1.3","webSocketDebuggerUrl":"ws://x/devtools/browser/1"}`))
	defer chromium.Close()
	for name, row := range map[string]struct {
		handler http.HandlerFunc
		secure  bool
		path    string
		want    string // in what it is; empty for no endpoint
	}{
		"Chromium":        {answer("/json/version", `{"Browser":"Chrome/156.0.1","Protocol-Version":"1.3","webSocketDebuggerUrl":"ws://x/devtools/browser/1"}`), false, "/", "Chrome/156.0.1"},
		"over TLS":        {answer("/json/version", `{"Browser":"Chrome/156.0.1","Protocol-Version":"1.3"}`), true, "/", "Chrome/156.0.1"},
		"Node":            {answer("/json/version", `{"Browser":"node.js/v20.1.0","Protocol-Version":"1.1"}`), false, "/x", "node.js"},
		"a socket alone":  {answer("/json/version", `{"webSocketDebuggerUrl":"ws://x"}`), false, "/", "a program"},
		"a list alone":    {answer("/json", `[{"title":"x"},{"devtoolsFrontendUrl":"/devtools/inspector.html"}]`), false, "/", "a program"},
		"names twice":     {answer("/json/version", `{"Browser":"a","Browser":"b","Protocol-Version":"1"}`), false, "/", "b"},
		"control letters": {answer("/json/version", "{\"Browser\":\"x\\u001b[31m\\ny\",\"Protocol-Version\":\"1\"}"), false, "/", "x[31my"},
		"an error status": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte(`{"Protocol-Version":"1.3"}`))
		}, false, "/", "a program"},
		"Metro, a page":   {answer("/json/version", `{"Browser":"Mobile JavaScript","Protocol-Version":"1.1"}`), false, "/index.html", ""},
		"Metro, its list": {answer("/json/version", `{"Browser":"Mobile JavaScript","Protocol-Version":"1.1"}`), false, "/JSON/list", "Mobile JavaScript"},
		"a page for all": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<!doctype html><title>App</title>"))
		}, false, "/", ""},
		"JSON for all":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"version":"1"}`)) }, false, "/", ""},
		"a list of others": {answer("/json", `[{"id":1},null,3]`), false, "/", ""},
		"nothing":          {http.NotFound, false, "/", ""},
		"redirect to one": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, chromium.URL+"/json/version", http.StatusFound)
		}, false, "/", ""},
		"never an answer": {func(_ http.ResponseWriter, r *http.Request) { <-release }, false, "/", ""},
		"never its end":   {func(w http.ResponseWriter, _ *http.Request) { _ = http.NewResponseController(w).Flush(); <-release }, false, "/", ""},
		"hangs up":        {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false, "/", ""},
		"a very long answer": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("[" + strings.Repeat("1,", maxAnswer) + "1]"))
		}, false, "/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewUnstartedServer(row.handler)
			if row.secure {
				s.StartTLS()
			} else {
				s.Start()
			}
			defer s.Close()
			if strings.HasPrefix(name, "never") {
				defer func() { release <- struct{}{} }()
			}
			at := served(s)
			got := new(Endpoints).Describe(t.Context(), policy.Server{Port: at.Port(), Addresses: []netip.Addr{at.Addr()}, Secure: row.secure, Path: row.path})
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("it is %q, wanted %q", got, row.want)
			}
		})
	}
}

// TestDebuggersAreCached: a server that is no endpoint is probed once, one that does not listen each time, and
// servers of other networks never.
func TestDebuggersAreCached(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Add(1); http.NotFound(w, r) }))
	at := served(s)
	var d Endpoints
	to := policy.Server{Port: at.Port(), Addresses: []netip.Addr{at.Addr()}}
	for range 3 {
		if got := d.Describe(t.Context(), to); got != "" {
			t.Error(got)
		}
	}
	if n := asked.Load(); n != 2 { // /json/version and /json
		t.Errorf("asked %d times", n)
	}
	s.Close()
	if e := d.lookup(t.Context(), netip.AddrPortFrom(at.Addr(), freePort(t)), "127.0.0.1", false); e.what != "" || len(d.known) != 1 {
		t.Errorf("nobody is %+v; remembered: %v", e, d.known)
	}
	for _, ip := range []string{"203.0.113.7", "2001:db8::7", "8.8.8.8"} {
		if isLocalOrPrivate(netip.MustParseAddr(ip)) {
			t.Errorf("%s is taken for near", ip)
		}
	}
	for _, ip := range []string{"127.0.0.1", "127.3.4.5", "::1", "0.0.0.0", "::", "10.1.2.3", "192.168.1.4", "172.17.0.1", "fd00::1", "169.254.9.9", "fe80::1"} {
		if !isLocalOrPrivate(netip.MustParseAddr(ip)) {
			t.Errorf("%s is not asked", ip)
		}
	}
}

// TestDebuggerBehindAName: a proxy that routes by host name has an endpoint behind one of its names.
func TestDebuggerBehindAName(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "tools.localhost:") {
			_, _ = w.Write([]byte(`{"Browser":"Chrome/1","Protocol-Version":"1.3"}`))
		}
	}))
	defer s.Close()
	at, d := served(s), new(Endpoints)
	for host, want := range map[string]bool{"tools.localhost": true, "shop.localhost": false, "127.0.0.1": false, "localhost": false} {
		got := d.Describe(t.Context(), policy.Server{Host: host, Port: at.Port(), Addresses: []netip.Addr{at.Addr()}})
		if (got != "") != want {
			t.Errorf("%s: %q", host, got)
		}
	}
}

func freePort(t *testing.T) uint16 {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return uint16(l.Addr().(*net.TCPAddr).Port)
}
