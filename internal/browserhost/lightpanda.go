package browserhost

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/wire"
)

// lightpanda launches Lightpanda on this machine.
type lightpanda struct{ options Options }

func (l *lightpanda) Traits() Traits { return Traits{} }

func (l *lightpanda) Connect(ctx context.Context) (Browser, error) {
	p, err := chrome.LaunchLightpanda(ctx, l.options.Executable)
	if err != nil {
		var missing *chrome.NotFoundError
		if errors.As(err, &missing) {
			return nil, api.Errorf(api.BrowserNotFound, "%w", err).WithHint("Omit --engine for Chromium.")
		}
		return nil, launchError(err)
	}
	conn, err := wire.Dial(ctx, p.URL, nil)
	if err != nil {
		return nil, errors.Join(api.Errorf(api.LaunchFailed, "%w", err), p.Close())
	}
	return &panda{process: p, conn: alone{conn}}, nil
}

// alone is a connection whose pages end with it, and that says nothing of downloads.
type alone struct{ wire.Conn }

func (alone) Capabilities() wire.Capabilities { return wire.Capabilities{Contexts: true} }

// panda is a launched Lightpanda.
type panda struct {
	process *chrome.Lightpanda
	conn    wire.Conn
}

func (b *panda) Conn() wire.Conn             { return b.conn }
func (b *panda) Rental() Rental              { return Rental{} }
func (b *panda) Files() Files                { return SharedFiles{} }
func (b *panda) Address() string             { return b.process.URL }
func (b *panda) Close(context.Context) error { return b.process.Close() }

func (b *panda) Redial(context.Context) (wire.Conn, error) {
	return nil, fmt.Errorf("%w: its pages end with the connection", link.ErrRefused)
}

func (b *panda) Process() Process {
	return Process{PID: b.process.PID(), Product: b.process.Product(), Executable: b.process.Executable()}
}

func (b *panda) Exit(wait time.Duration) (Exit, bool) { return exitOf(b.process, wait) }
