package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/proxy"
)

func htmlEscape(s string) string { return html.EscapeString(s) }

// dialThrough connects to an address through a proxy.
func dialThrough(ctx context.Context, up *url.URL, address string) (net.Conn, error) {
	direct := &net.Dialer{}
	if up.Scheme == "socks5" || up.Scheme == "socks5h" {
		d, err := proxy.SOCKS5("tcp", up.Host, nil, direct)
		if err != nil {
			return nil, err
		}
		return d.(proxy.ContextDialer).DialContext(ctx, "tcp", address)
	}
	at := up.Host
	if up.Port() == "" {
		at = net.JoinHostPort(up.Hostname(), map[string]string{"http": "80", "https": "443"}[up.Scheme])
	}
	conn, err := direct.DialContext(ctx, "tcp", at)
	if err != nil {
		return nil, fmt.Errorf("connect to the proxy: %w", err)
	}
	if up.Scheme == "https" {
		conn = tls.Client(conn, &tls.Config{ServerName: up.Hostname(), MinVersion: tls.VersionTLS12})
	}
	through, err := connectThrough(ctx, conn, address)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return through, nil
}

// connectThrough asks a proxy for a tunnel.
func connectThrough(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	if until, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(until); err != nil {
			return nil, err
		}
	}
	ask := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if err := ask.Write(conn); err != nil {
		return nil, fmt.Errorf("ask the proxy for %s: %w", address, err)
	}
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, ask)
	if err != nil {
		return nil, fmt.Errorf("ask the proxy for %s: %w", address, err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the proxy answered %s for %s", res.Status, address)
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	return &readAhead{Conn: conn, r: r}, nil
}

// readAhead is a connection of which some bytes have been read already.
type readAhead struct {
	net.Conn
	r *bufio.Reader
}

func (c *readAhead) Read(p []byte) (int, error) { return c.r.Read(p) }
