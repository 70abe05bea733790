package wire

import (
	"net"
	"sync"
)

// Limit returns a listener that has at most n connections open at once; more wait to be accepted. Unlike those of netutil.LimitListener, its
// connections of TCP are still sockets of the system: [Accept] then writes a frame with one call, where another connection takes two, and the
// other side wakes for each.
func Limit(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	slots   chan struct{} // has an element for each open connection
	closed  chan struct{}
	closing sync.Once
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	release := sync.OnceFunc(func() { <-l.slots })
	if socket, ok := c.(*net.TCPConn); ok {
		return &limitedSocket{socket, release}, nil
	}
	return &limitedConn{c, release}, nil
}

func (l *limited) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedSocket struct {
	*net.TCPConn
	release func()
}

func (c *limitedSocket) Close() error {
	defer c.release()
	return c.TCPConn.Close()
}

type limitedConn struct {
	net.Conn
	release func()
}

func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
