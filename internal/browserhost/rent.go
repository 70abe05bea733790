package browserhost

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/provider"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// renter starts browsers at a provider.
type renter struct{ options Options }

func (r *renter) Traits() Traits { return Traits{Rented: true, Remote: true} }

func (r *renter) Connect(ctx context.Context) (Browser, error) {
	at, err := provider.Open(ctx, r.options.Provider)
	if err != nil {
		return nil, err
	}
	b := &rented{at: at}
	if b.socket, err = b.resolve(ctx); err == nil {
		b.conn, err = b.dial(ctx)
	}
	if err != nil {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rentalGrace)
		defer cancel()
		return nil, errors.Join(at.Refused(err), at.Stop(cctx))
	}
	return b, nil
}

// rentalGrace is how long a session that cannot be used may take to stop.
const rentalGrace = 10 * time.Second

// rented is a browser that a provider runs. Its addresses may contain a key.
type rented struct {
	at     *provider.Browser
	socket string // the address of its WebSocket
	conn   wire.Conn
}

func (b *rented) resolve(ctx context.Context) (string, error) {
	access, err := b.at.Access()
	if err != nil {
		return "", err
	}
	return chrome.Resolve(ctx, b.at.Endpoint, access)
}

func (b *rented) dial(ctx context.Context) (wire.Conn, error) {
	access, err := b.at.Access()
	if err != nil {
		return nil, err
	}
	conn, err := wire.Dial(ctx, b.socket, access)
	if err != nil {
		return nil, err
	}
	return remote{conn}, nil
}

func (b *rented) Conn() wire.Conn                 { return b.conn }
func (b *rented) Address() string                 { return "" }
func (b *rented) Process() Process                { return Process{} }
func (b *rented) Rental() Rental                  { return Rental{b.at.Provider, b.at.ID} }
func (b *rented) Files() Files                    { return noFiles{b.at.Provider} }
func (b *rented) Exit(time.Duration) (Exit, bool) { return Exit{}, false }
func (b *rented) Close(ctx context.Context) error { return b.at.Stop(ctx) }

// Redial connects to the same browser again, while the session there goes on.
func (b *rented) Redial(ctx context.Context) (wire.Conn, error) {
	conn, err := b.dial(ctx)
	var answered *wire.HandshakeError
	if errors.As(err, &answered) && answered.Final() {
		return nil, &endedError{fmt.Sprintf("session %s at %s has ended: its address answers HTTP %d", b.at.ID, b.at.Provider, answered.Status)}
	}
	if err != nil {
		return nil, lost(err)
	}
	return conn, nil
}

// endedError is the error when the provider has ended a session. It counts as model.ErrOtherBrowser: no attempt will help.
type endedError struct{ text string }

func (e *endedError) Error() string        { return e.text }
func (e *endedError) Is(target error) bool { return target == model.ErrOtherBrowser } //nolint:errorlint // Is compares

// remote is a connection to a browser on another machine, whose files are not here. Its default context has what the
// provider set up: the profile, the proxy, the recording.
type remote struct{ wire.Conn }

func (remote) Capabilities() wire.Capabilities { return wire.Capabilities{BrowserOutlives: true} }

// noFiles is for a browser that shares no files with this machine.
type noFiles struct{ provider string }

func (f noFiles) Upload(context.Context, []string) ([]string, error) {
	return nil, api.Errorf(api.Unsupported, "the browser runs at %s and cannot read files of this machine", f.provider).
		WithHint("Use a browser of this machine to upload files.")
}

func (f noFiles) Downloads(context.Context, string) (string, error) {
	return "", api.Errorf(api.Unsupported, "the browser runs at %s and cannot save files on this machine", f.provider)
}
