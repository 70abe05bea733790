package session

import (
	"context"

	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/wire"
)

// Through wraps the connections to browsers that start from now on.
func (r *Registry) Through(wrap func(wire.Conn) wire.Conn) {
	r.Wrap(func(b browserhost.Browser) browserhost.Browser { return wrappedConn{b, wrap(b.Conn())} })
}

// Kept returns the number of sessions, with and without a browser.
func (r *Registry) Kept() int { return len(r.all()) }

type wrappedConn struct {
	browserhost.Browser
	conn wire.Conn
}

func (b wrappedConn) Conn() wire.Conn { return b.conn }

// Wrap wraps the browsers that start from now on.
func (r *Registry) Wrap(wrap func(browserhost.Browser) browserhost.Browser) {
	hostOf := r.newConnector
	r.newConnector = func(o browserhost.Options) browserhost.Connector { return wrappedConnector{hostOf(o), wrap} }
}

type wrappedConnector struct {
	browserhost.Connector
	wrap func(browserhost.Browser) browserhost.Browser
}

func (h wrappedConnector) Connect(ctx context.Context) (browserhost.Browser, error) {
	b, err := h.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return h.wrap(b), nil
}
