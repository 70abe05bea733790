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

type wrappedConn struct {
	browserhost.Browser
	conn wire.Conn
}

func (b wrappedConn) Conn() wire.Conn { return b.conn }

// Wrap wraps the browsers that start from now on.
func (r *Registry) Wrap(wrap func(browserhost.Browser) browserhost.Browser) {
	hostOf := r.newHost
	r.newHost = func(o browserhost.Options) browserhost.Host { return wrappedHost{hostOf(o), wrap} }
}

type wrappedHost struct {
	browserhost.Host
	wrap func(browserhost.Browser) browserhost.Browser
}

func (h wrappedHost) Connect(ctx context.Context) (browserhost.Browser, error) {
	b, err := h.Host.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return h.wrap(b), nil
}
