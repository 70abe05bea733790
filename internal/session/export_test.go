package session

import (
	"context"

	"github.com/usher-browser/usher/internal/wire"
)

// Through has the connections to browsers that start from now on go through wrap.
func (r *Registry) Through(wrap func(wire.Conn) wire.Conn) {
	connect := r.connect
	r.connect = func(ctx context.Context, h *host) (wire.Conn, error) {
		c, err := connect(ctx, h)
		if err != nil {
			return nil, err
		}
		return wrap(c), nil
	}
}
