// Package proxy is the filtering forward proxy of sessions with allowed domains: every connection of their browser goes
// through it, and it connects to hosts of the list only.
//
// It listens on loopback and speaks HTTP: CONNECT for everything encrypted and for WebSockets, whole addresses for plain
// HTTP. It does not decrypt TLS. Names are resolved here, not in the browser. It needs no credentials, because a program of
// this machine reaches nothing through it that it could not reach itself; so it never holds the credentials of another
// proxy.
//
// Goroutines: that of the listener, and those of its connections. Close ends them and waits.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/usher-browser/usher/internal/policy"
)

// Limits of connections.
const (
	dialLimit   = 20 * time.Second
	headerLimit = 30 * time.Second
	idleLimit   = 90 * time.Second
	// mostRefusals is how many refusals are kept.
	mostRefusals = 200
)

// Refusal is a request that was not sent.
type Refusal struct {
	Seq  uint64 // counts the refusals of the proxy from 1
	Host string // with the port, if it is not that of HTTP or HTTPS
}

// Upstream is a proxy behind this one.
type Upstream struct {
	// Server is its address without credentials: http, https or socks5. Empty means none.
	Server string
	// Bypass has the hosts to reach without it, separated by commas.
	Bypass string
}

// Filter is a running proxy. It is safe for concurrent use.
type Filter struct {
	listener net.Listener
	server   *http.Server
	relay    *httputil.ReverseProxy
	through  func(*url.URL) (*url.URL, error)
	done     sync.WaitGroup

	mu       sync.Mutex
	allowed  *policy.Domains      // guarded by mu
	tunnels  map[*tunnel]struct{} // guarded by mu: open ones
	refusals []Refusal            // guarded by mu: the newest
	count    uint64               // guarded by mu: of all refusals
	closed   bool                 // guarded by mu
}

// Listen starts a proxy on a free port of 127.0.0.1. The caller closes it.
func Listen(allowed *policy.Domains, up Upstream) (*Filter, error) {
	f := &Filter{allowed: allowed, tunnels: map[*tunnel]struct{}{}}
	if err := f.route(up); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the proxy for allowed domains: %w", err)
	}
	f.listener = l
	transport := &http.Transport{
		Proxy:              func(r *http.Request) (*url.URL, error) { return f.through(r.URL) },
		DialContext:        dialDirect,
		DisableCompression: true, MaxIdleConnsPerHost: 6, IdleConnTimeout: idleLimit,
	}
	quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	f.relay = &httputil.ReverseProxy{Rewrite: f.unchanged, Transport: transport, ErrorHandler: unreachable, ErrorLog: quiet, FlushInterval: -1}
	f.server = &http.Server{Handler: f, ReadHeaderTimeout: headerLimit, IdleTimeout: idleLimit, ErrorLog: quiet}
	f.server.RegisterOnShutdown(transport.CloseIdleConnections)
	f.done.Go(func() {
		_ = f.server.Serve(l) // it ends with Close
		transport.CloseIdleConnections()
	})
	return f, nil
}

// route sets how hosts are reached: directly, or through another proxy.
func (f *Filter) route(up Upstream) error {
	f.through = func(*url.URL) (*url.URL, error) { return nil, nil } //nolint:nilnil // no proxy
	if up.Server == "" {
		return nil
	}
	server := up.Server
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%q is not the address of a proxy", up.Server)
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return fmt.Errorf("a proxy with %s: cannot be used together with allowed domains: use http, https or socks5", u.Scheme)
	}
	var direct []string
	for host := range strings.FieldsFuncSeq(up.Bypass, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
		if !strings.HasPrefix(host, "<") { // Chromium's rules for local names
			direct = append(direct, strings.TrimPrefix(host, "*"))
		}
	}
	config := &httpproxy.Config{HTTPProxy: u.String(), HTTPSProxy: u.String(), NoProxy: strings.Join(direct, ",")}
	f.through = config.ProxyFunc()
	return nil
}

// Address returns where the proxy listens, as http://127.0.0.1:PORT.
func (f *Filter) Address() string { return "http://" + f.listener.Addr().String() }

// Allowed returns the list in force.
func (f *Filter) Allowed() *policy.Domains {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.allowed
}

// Allow replaces the list. Connections to hosts that it does not have are closed.
func (f *Filter) Allow(d *policy.Domains) {
	f.mu.Lock()
	f.allowed = d
	var over []*tunnel
	for t := range f.tunnels {
		if !d.Allows(t.host, t.port) {
			over = append(over, t)
		}
	}
	f.mu.Unlock()
	for _, t := range over {
		t.close()
	}
}

// Refused returns the newest refusals after a number, oldest first, and the number of the last one.
func (f *Filter) Refused(after uint64) (list []Refusal, last uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.refusals {
		if r.Seq > after {
			list = append(list, r)
		}
	}
	return list, f.count
}

// Close closes all connections and waits for their goroutines.
func (f *Filter) Close() error {
	f.mu.Lock()
	f.closed = true
	var open []*tunnel
	for t := range f.tunnels {
		open = append(open, t)
	}
	f.mu.Unlock()
	for _, t := range open {
		t.close()
	}
	err := f.server.Close()
	f.done.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// admits reports whether a host may be reached, and records the refusal otherwise.
func (f *Filter) admits(host, port string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed && f.allowed.Allows(host, port) {
		return true
	}
	name := strings.Trim(host, "[]")
	if port != "80" && port != "443" {
		name = net.JoinHostPort(name, port)
	}
	f.count++
	if len(f.refusals) >= mostRefusals {
		f.refusals = append(f.refusals[:0], f.refusals[1:]...)
	}
	f.refusals = append(f.refusals, Refusal{f.count, name})
	return false
}

// ServeHTTP serves one request of the browser.
func (f *Filter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.done.Add(1)
	defer f.done.Done()
	if r.Method == http.MethodConnect {
		f.connect(w, r)
		return
	}
	if r.URL.Scheme != "http" || r.URL.Host == "" {
		http.Error(w, "this is the proxy of a browser session", http.StatusBadRequest)
		return
	}
	port := r.URL.Port()
	if port == "" {
		port = "80"
	}
	if !f.admits(r.URL.Hostname(), port) {
		refuse(w, r.URL.Host)
		return
	}
	r.Host = r.URL.Host // the address decides, whatever the header says
	f.relay.ServeHTTP(w, r)
}

// unchanged keeps a request as the browser wrote it, where httputil and net/url would change it.
func (f *Filter) unchanged(r *httputil.ProxyRequest) {
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	for _, name := range [...]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
	up, err := f.through(r.In.URL)
	if err != nil || up != nil {
		return // a proxy gets the whole address
	}
	path, _, _ := strings.Cut(strings.TrimPrefix(r.In.RequestURI, "http://"+r.In.URL.Host), "?")
	if strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") {
		r.Out.URL.Opaque = path
	}
}

// connect serves a CONNECT: a tunnel to one host and port.
func (f *Filter) connect(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		http.Error(w, "CONNECT takes a host and a port", http.StatusBadRequest)
		return
	}
	if !f.admits(host, port) {
		refuse(w, r.Host)
		return
	}
	server, err := f.dial(r.Context(), net.JoinHostPort(host, port))
	if err != nil {
		unreachable(w, r, err)
		return
	}
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = server.Close()
		return
	}
	t := &tunnel{host: host, port: port, client: client, server: server}
	f.mu.Lock()
	ok := !f.closed && f.allowed.Allows(host, port)
	if ok {
		f.tunnels[t] = struct{}{}
	}
	f.mu.Unlock()
	defer func() {
		t.close()
		f.mu.Lock()
		delete(f.tunnels, t)
		f.mu.Unlock()
	}()
	if !ok {
		return
	}
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err == nil {
		t.run(buffered.Reader)
	}
}

// tunnel is a connection of the browser to a server.
type tunnel struct {
	host, port     string
	client, server net.Conn
	once           sync.Once
}

func (t *tunnel) close() {
	t.once.Do(func() {
		_ = t.client.Close()
		_ = t.server.Close()
	})
}

// run copies bytes both ways until either end closes its half and the other has been told, or fails. sent has what the
// browser wrote before the tunnel was there.
func (t *tunnel) run(sent io.Reader) {
	var up sync.WaitGroup
	up.Go(func() {
		half(t.server, sent)
		_ = t.server.SetReadDeadline(time.Now().Add(idleLimit)) // the browser has closed its end: the rest must come soon
	})
	half(t.client, t.server)
	up.Wait()
}

// half copies one direction and passes its end on.
func half(to net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	if c, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = c.CloseWrite()
		return
	}
	_ = to.Close()
}

// dial connects to a host, through the other proxy if there is one.
func (f *Filter) dial(ctx context.Context, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	up, err := f.through(&url.URL{Scheme: "https", Host: address})
	if err != nil || up == nil {
		if err != nil {
			return nil, err
		}
		return dialDirect(ctx, "tcp", address)
	}
	return dialThrough(ctx, up, address)
}

// dialDirect connects to a host. Names below localhost are this machine, as in browsers (RFC 6761, section 6.3).
func dialDirect(ctx context.Context, network, address string) (net.Conn, error) {
	if host, port, err := net.SplitHostPort(address); err == nil {
		if name := strings.TrimSuffix(strings.ToLower(host), "."); name == "localhost" || strings.HasSuffix(name, ".localhost") {
			address = net.JoinHostPort("localhost", port)
		}
	}
	return (&net.Dialer{Timeout: dialLimit}).DialContext(ctx, network, address)
}

// refuse answers a request to a host that is not in the list. The page runs no script and has no origin.
func refuse(w http.ResponseWriter, host string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusForbidden)
	name := htmlEscape(host)
	_, _ = fmt.Fprintf(w, "<!doctype html><title>Not allowed: %s</title><h1>Domain '%s' is not in the allowed domains list</h1>"+
		"<p>usher did not send the request: this session may reach the hosts of --allowed-domains only.</p>", name, name)
}

// unreachable answers a request whose server could not be reached.
func unreachable(w http.ResponseWriter, r *http.Request, err error) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusBadGateway)
	_, _ = fmt.Fprintf(w, "<!doctype html><title>Not reachable: %s</title><h1>%s cannot be reached</h1><p>%s</p>",
		htmlEscape(r.Host), htmlEscape(r.Host), htmlEscape(err.Error()))
}
