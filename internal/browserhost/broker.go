package browserhost

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/wire"
)

// Broker is a plugin that provides browsers.
type Broker struct {
	Name string
	// Rent starts a browser. It returns its CDP address, and what has the plugin end it; nil if the plugin asked for nothing.
	Rent func(ctx context.Context) (endpoint string, stop func(context.Context) error, err error)
}

// brokerage gets browsers from a plugin.
type brokerage struct{ broker *Broker }

func (b *brokerage) Traits() Traits { return Traits{Rented: true, Remote: true} }

func (b *brokerage) Connect(ctx context.Context) (Browser, error) {
	endpoint, stop, err := b.broker.Rent(ctx)
	if err != nil {
		return nil, err
	}
	out := &brokered{name: b.broker.Name, stop: stop, local: !isRemote(endpoint)}
	if out.socket, err = chrome.Resolve(ctx, endpoint, nil); err == nil {
		out.conn, err = wire.Dial(ctx, out.socket, nil)
	}
	if err != nil {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rentalGrace)
		defer cancel()
		return nil, errors.Join(api.Errorf(api.AttachFailed, "use the browser of plugin '%s': %w", b.broker.Name, err).With("plugin", b.broker.Name), out.Close(cctx))
	}
	if !out.local {
		out.conn = remote{out.conn}
	}
	return out, nil
}

// brokered is a browser of a plugin. Its address may contain a key: it is shown only if it is on this machine and has no
// query.
type brokered struct {
	name   string
	socket string
	conn   wire.Conn
	local  bool // it runs on this machine
	stop   func(context.Context) error

	ending sync.Once
	ended  error // of stop; valid after ending
}

func (b *brokered) Conn() wire.Conn                 { return b.conn }
func (b *brokered) Address() string                 { return "" }
func (b *brokered) Process() Process                { return Process{} }
func (b *brokered) Rental() Rental                  { return Rental{Provider: b.name} }
func (b *brokered) Exit(time.Duration) (Exit, bool) { return Exit{}, false }

func (b *brokered) Files() Files {
	if b.local {
		return SharedFiles{}
	}
	return noFiles{b.name}
}

func (b *brokered) Redial(ctx context.Context) (wire.Conn, error) {
	conn, err := wire.Dial(ctx, b.socket, nil)
	if err != nil {
		return nil, lost(err)
	}
	return conn, nil
}

// Close has the plugin end the browser, once. Every call waits for that.
func (b *brokered) Close(ctx context.Context) error {
	b.ending.Do(func() {
		if b.stop != nil {
			b.ended = b.stop(ctx)
		}
	})
	return b.ended
}
