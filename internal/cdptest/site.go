// Package cdptest has the fixtures of tests with a browser: a site of pages on loopback, and real Chromium processes
// that end with the test.
package cdptest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Site is a running fixture server: the same pages over http and https, and a record of the requests.
type Site struct {
	port       int
	securePort int
	dir        string
	authority  *authority
	servers    []*http.Server
	served     sync.WaitGroup
	ended      chan struct{} // closed by Close: handlers that never answer return

	mu       sync.Mutex // guards requests
	requests []Request
}

// NewSite starts a site that ends with the test.
func NewSite(t testing.TB) *Site {
	t.Helper()
	site, err := Open()
	if err != nil {
		t.Fatalf("start the fixture site: %v", err)
	}
	t.Cleanup(site.Close)
	return site
}

// Open starts a site on free ports. The caller ends it with Close.
func Open() (*Site, error) { return OpenAt(0) }

// OpenAt is Open with the http port chosen by the caller; 0 takes a free one. The https port is always a free one.
func OpenAt(port int) (*Site, error) {
	dir, err := os.MkdirTemp("", "cdptest-site-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the site's certificates: %w", err)
	}
	s := &Site{dir: dir, ended: make(chan struct{})}
	if s.authority, err = newAuthority(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.listen(port); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Site) listen(port int) error {
	if err := os.WriteFile(s.CAFile(), s.authority.certificatePEM, 0o600); err != nil {
		return fmt.Errorf("write the site's authority: %w", err)
	}
	plain, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("listen for http: %w", err)
	}
	secure, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(fmt.Errorf("listen for https: %w", err), plain.Close())
	}
	// Pages contain both: an old browser on the same machine may send a request before the address is published.
	s.port, s.securePort = plain.Addr().(*net.TCPAddr).Port, secure.Addr().(*net.TCPAddr).Port
	s.serve(plain)
	s.serve(tls.NewListener(secure, &tls.Config{
		GetCertificate: s.authority.certificateFor,
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
	}))
	return nil
}

func (s *Site) serve(on net.Listener) {
	server := &http.Server{
		Handler:           s.recorded(s.routes()),
		ReadHeaderTimeout: 30 * time.Second,
		// Many tests have a browser that rejects our certificate, or disconnects: net/http must not log that.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	s.servers = append(s.servers, server)
	s.served.Add(1)
	go func() {
		defer s.served.Done()
		_ = server.Serve(on) // always ErrServerClosed, or the listener's end, both of which Close causes
	}()
}

// Close ends the site, pages that never finish included, and waits for every handler's connection to be gone.
func (s *Site) Close() {
	close(s.ended)
	for _, server := range s.servers {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // a browser keeps connections open; they are cut
		}
		cancel()
	}
	s.served.Wait()
	_ = os.RemoveAll(s.dir)
}

// Port returns the http port.
func (s *Site) Port() int { return s.port }

// URL returns the address of path (with its query, with or without a leading slash) at the site's first name, 127.0.0.1.
func (s *Site) URL(path string) string { return address("http", "127.0.0.1", s.port, path) }

// Cross returns the same page under another site, localhost: a frame of it inside a page of URL has its own process.
func (s *Site) Cross(path string) string { return address("http", "localhost", s.port, path) }

// Named returns the same page at name.localhost, one more site per name. Chromium resolves it; a Go client may not.
func (s *Site) Named(name, path string) string {
	return address("http", name+".localhost", s.port, path)
}

// Secure returns the same page over https at 127.0.0.1. Browsers refuse it unless they trust CAFile or ignore certificates.
func (s *Site) Secure(path string) string { return address("https", "127.0.0.1", s.securePort, path) }

// CAFile returns the path of the PEM certificate that signs the site's https certificates. It was made for this site alone.
func (s *Site) CAFile() string { return filepath.Join(s.dir, "authority.pem") }

func address(scheme, host string, port int, path string) string {
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(port)) + "/" + strings.TrimPrefix(path, "/")
}
