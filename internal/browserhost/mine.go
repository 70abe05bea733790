package browserhost

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/wire"
)

// Relay is the way to the user's own Chrome, through the extension in it.
type Relay interface {
	// Connect returns a connection with the browser.
	Connect(ctx context.Context) (wire.Conn, error)
	// URL is the address of CDP clients; it has a token.
	URL() string
}

// mine connects to the user's own Chrome.
type mine struct{ relay func() (Relay, error) }

// Traits are those of a browser in which its user works, with their profile.
func (m *mine) Traits() Traits { return Traits{Attached: true, Headed: true, Profile: true} }

func (m *mine) Connect(ctx context.Context) (Browser, error) {
	if m.relay == nil {
		return nil, api.Errorf(api.Internal, "connect to the user's Chrome: there is no relay")
	}
	r, err := m.relay()
	if err != nil {
		return nil, err
	}
	conn, err := r.Connect(ctx)
	if err != nil {
		return nil, api.Errorf(api.AttachFailed, "connect to your Chrome: %w", err).
			WithHint("Open Chrome with usher's extension. The first time: `extension install`, then `extension pair`. `relay status` shows what is connected.")
	}
	return &relayed{relay: r, conn: conn}, nil
}

// relayed is the user's own Chrome.
type relayed struct {
	relay Relay
	conn  wire.Conn
}

func (b *relayed) Conn() wire.Conn                 { return b.conn }
func (b *relayed) Address() string                 { return b.relay.URL() }
func (b *relayed) Process() Process                { return Process{} }
func (b *relayed) Rental() Rental                  { return Rental{} }
func (b *relayed) Files() Files                    { return SharedFiles{} }
func (b *relayed) Exit(time.Duration) (Exit, bool) { return Exit{}, false }
func (b *relayed) Close(context.Context) error     { return nil }

// Redial connects again, when the extension is there.
func (b *relayed) Redial(ctx context.Context) (wire.Conn, error) {
	conn, err := b.relay.Connect(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("%w: %w", link.ErrRefused, err)
	}
	return conn, err
}
