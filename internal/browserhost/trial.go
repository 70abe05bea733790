package browserhost

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/extension"
	"github.com/usher-browser/usher/internal/relay"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// trial launches a Chromium of its own with usher's extension, loaded and paired, and reaches it as it would the user's Chrome: through
// a relay of its own and the extension.
type trial struct{ options Options }

// Traits are those of the user's Chrome: sessions are to treat it alike.
func (t *trial) Traits() Traits {
	return Traits{Attached: true, Headed: t.options.Headed, Profile: true}
}

func (t *trial) Connect(ctx context.Context) (_ Browser, err error) {
	b := &tried{}
	defer func() {
		if err != nil {
			cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), trialGrace)
			defer cancel()
			err = errors.Join(err, b.Close(cctx))
		}
	}()
	failed := func(err error) error {
		return api.Errorf(api.LaunchFailed, "try the extension: %w", err)
	}
	if b.dir, err = os.MkdirTemp("", "usher-try-"); err != nil {
		return nil, failed(err)
	}
	if b.relay, err = relay.New(relay.Options{Dir: b.dir, Version: t.options.Version, AllowClearing: true, OwnWorld: model.WorldName, OwnPage: model.OwnPagePrefix}); err != nil {
		return nil, failed(err)
	}
	if b.server, err = b.relay.Serve(nil, 0, endpoint.MultiClient); err != nil {
		return nil, failed(err)
	}
	token, err := b.relay.Pairing().Pin(extension.ID())
	if err != nil {
		return nil, failed(err)
	}
	files := filepath.Join(b.dir, extension.DirName)
	address, _, _ := strings.Cut(b.server.URL(), "/devtools/") // ws://127.0.0.1:port
	if err := extension.Write(files, extension.Config{Relay: address + "/extension", Token: token}); err != nil {
		return nil, failed(err)
	}
	o := t.options
	o.Extensions = append(o.Extensions[:len(o.Extensions):len(o.Extensions)], files)
	if b.browser, err = (&launcher{options: o}).Connect(ctx); err != nil {
		return nil, err
	}
	b.pipe = cdp.New(b.browser.Conn(), unheard{})
	root := b.pipe.Browser()
	for _, dir := range o.Extensions {
		if _, err := cdp.Do(ctx, root, extensions.LoadUnpacked, extensions.LoadUnpackedParams{Path: dir}); err != nil {
			return nil, failed(err)
		}
	}
	// Without a window the extension could open none.
	if _, err := cdp.Do(ctx, root, target.CreateTarget, target.CreateTargetParams{URL: "about:blank"}); err != nil {
		return nil, failed(err)
	}
	ready, cancel := context.WithTimeout(ctx, trialStart)
	defer cancel()
	if err := b.relay.Ready(ready); err != nil {
		return nil, failed(err)
	}
	if b.conn, err = b.relay.ConnectOwn(ctx); err != nil {
		return nil, failed(err)
	}
	return b, nil
}

// trialStart is how long the extension may take to start and to list the tabs. On a machine that does nothing else it takes
// less than a second.
const trialStart = 30 * time.Second

// trialGrace is how long the end of a trial that did not start may take.
const trialGrace = 5 * time.Second

// unheard is for a connection whose events nobody needs.
type unheard struct{}

func (unheard) Event(cdp.Event) {}
func (unheard) Flush()          {}
func (unheard) Overflow(string) {}
func (unheard) Closed(error)    {}

// tried is a Chromium with the extension. What of it is nil has not been started.
type tried struct {
	dir     string // with the extension, and the file of the pairing
	relay   *relay.Relay
	server  *endpoint.Server
	browser Browser   // the process
	pipe    *cdp.Conn // to the process, beside the relay
	conn    wire.Conn // through the relay
}

func (b *tried) Conn() wire.Conn  { return b.conn }
func (b *tried) Process() Process { return b.browser.Process() }
func (b *tried) Rental() Rental   { return Rental{} }
func (b *tried) Files() Files     { return SharedFiles{} }

// Address is that of the relay.
func (b *tried) Address() string {
	return b.server.URL()
}

// Redial connects again, when the extension is there.
func (b *tried) Redial(ctx context.Context) (wire.Conn, error) {
	conn, err := b.relay.ConnectOwn(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("%w: %w", link.ErrRefused, err)
	}
	return conn, err
}

func (b *tried) Exit(wait time.Duration) (Exit, bool) { return b.browser.Exit(wait) }

// Close ends relay and browser, and removes all files.
func (b *tried) Close(ctx context.Context) error {
	var errs []error
	if b.relay != nil {
		b.relay.Close()
	}
	if b.server != nil {
		b.server.Close()
	}
	if b.pipe != nil {
		errs = append(errs, b.pipe.Close())
	}
	if b.browser != nil {
		errs = append(errs, b.browser.Close(ctx))
	}
	if b.dir != "" {
		errs = append(errs, os.RemoveAll(b.dir))
	}
	return errors.Join(errs...)
}
