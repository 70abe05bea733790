package cdptest

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// Proxy stands between a client and a browser's port and does to the bytes what networks do: it cuts connections, between
// messages or in the middle of one, delays, holds back and lets all come at once, and refuses new ones.
type Proxy struct {
	// Port is where it listens, on 127.0.0.1.
	Port int

	target string
	copies sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener  // guarded by mu: nil while it refuses
	pairs    []*pair       // guarded by mu: in the order they were made
	delay    time.Duration // guarded by mu
	gate     chan struct{} // guarded by mu: closed while bytes may pass
	budget   int           // guarded by mu: bytes from the browser until all is cut; 0 for no end
	closed   bool          // guarded by mu
}

// pair is a connection through the proxy.
type pair struct {
	client, browser net.Conn
	cut             chan struct{}
	once            sync.Once
}

func (p *pair) end() {
	p.once.Do(func() {
		close(p.cut)
		for _, c := range []net.Conn{p.client, p.browser} {
			_ = c.(*net.TCPConn).SetLinger(0) // as a broken network would: no orderly end
			_ = c.Close()
		}
	})
}

// NewProxy opens a proxy to a port of this machine for a test.
func NewProxy(t testing.TB, port int) *Proxy {
	t.Helper()
	p, err := OpenProxy(port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// OpenProxy is NewProxy for programs: the caller ends it with Close.
func OpenProxy(port int) (*Proxy, error) {
	p := &Proxy{target: fmt.Sprintf("127.0.0.1:%d", port), gate: make(chan struct{})}
	close(p.gate)
	if err := p.listen(); err != nil {
		return nil, err
	}
	return p, nil
}

// Through returns a WebSocket address that leads through the proxy.
func (p *Proxy) Through(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	u.Host = fmt.Sprintf("127.0.0.1:%d", p.Port)
	return u.String()
}

func (p *Proxy) listen() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil || p.closed {
		return nil
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", p.Port))
	if err != nil {
		return fmt.Errorf("open a proxy: %w", err)
	}
	if p.listener = l; p.Port == 0 { // it stays the same, and others read it
		p.Port = l.Addr().(*net.TCPAddr).Port
	}
	p.copies.Add(1)
	go p.accept(l)
	return nil
}

func (p *Proxy) accept(l net.Listener) {
	defer p.copies.Done()
	for {
		client, err := l.Accept()
		if err != nil {
			return // it was closed
		}
		browser, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close() // so the client gets the end of its connection
			continue
		}
		c := &pair{client: client, browser: browser, cut: make(chan struct{})}
		p.mu.Lock()
		p.pairs = append(p.pairs, c)
		closed := p.closed
		p.mu.Unlock()
		if closed {
			c.end()
		}
		p.copies.Add(2)
		go p.copy(c, browser, client, false)
		go p.copy(c, client, browser, true)
	}
}

// copy moves bytes one way until either end is gone.
func (p *Proxy) copy(c *pair, to, from net.Conn, fromBrowser bool) {
	defer p.copies.Done()
	defer p.forget(c)
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		gate, delay := p.gate, p.delay
		p.mu.Unlock()
		select {
		case <-gate:
		case <-c.cut:
			return
		}
		if delay > 0 {
			select {
			case <-time.After(delay):
			case <-c.cut:
				return
			}
		}
		last := false
		if fromBrowser {
			n, last = p.spend(n)
		}
		if _, werr := to.Write(buffer[:n]); err != nil || werr != nil {
			return
		}
		if last {
			p.Cut()
			return
		}
	}
}

// spend takes bytes from the budget, and returns how many may pass and whether they are the last.
func (p *Proxy) spend(n int) (pass int, last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.budget == 0 {
		return n, false
	}
	if n < p.budget {
		p.budget -= n
		return n, false
	}
	n, p.budget = p.budget, 0
	return n, true
}

func (p *Proxy) forget(c *pair) {
	c.end()
	p.mu.Lock()
	p.pairs = slices.DeleteFunc(p.pairs, func(o *pair) bool { return o == c })
	p.mu.Unlock()
}

// Cut breaks every connection.
func (p *Proxy) Cut() {
	p.mu.Lock()
	pairs := slices.Clone(p.pairs)
	p.mu.Unlock()
	for _, c := range pairs {
		c.end()
	}
}

// CutOldest breaks the oldest connection.
func (p *Proxy) CutOldest() {
	p.mu.Lock()
	var oldest *pair
	if len(p.pairs) > 0 {
		oldest = p.pairs[0]
	}
	p.mu.Unlock()
	if oldest != nil {
		oldest.end()
	}
}

// Connections returns how many there are.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pairs)
}

// Truncate cuts everything after so many more bytes from the browser, wherever in a message that is.
func (p *Proxy) Truncate(bytes int) {
	p.mu.Lock()
	p.budget = max(1, bytes)
	p.mu.Unlock()
}

// Delay holds each piece up for a time; 0 for none.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	p.delay = d
	p.mu.Unlock()
}

// Hold lets nothing pass until Release, as if neither side read. What is buffered meanwhile then arrives at once.
func (p *Proxy) Hold() {
	p.mu.Lock()
	p.gate = make(chan struct{})
	p.mu.Unlock()
}

// Release ends Hold.
func (p *Proxy) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gate:
	default:
		close(p.gate)
	}
}

// Refuse ends the listening, so that new connections are refused, and cuts the present ones.
func (p *Proxy) Refuse() {
	p.mu.Lock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	p.mu.Unlock()
	p.Cut()
}

// Allow listens again at the same port.
func (p *Proxy) Allow() error { return p.listen() }

// Close ends the proxy and waits for what it runs.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.Release()
	p.Refuse()
	p.copies.Wait()
}
