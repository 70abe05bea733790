// Package mine hosts the relay to the user's own Chrome: it starts with the first session that uses that browser, or with `relay start`, and
// ends with `relay stop` or the daemon.
package mine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/relay"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// Host has the relay of a daemon. Its methods may be called from any goroutine.
type Host struct {
	dir, version string

	mu     sync.Mutex
	closed bool             // guarded by mu
	relay  *relay.Relay     // guarded by mu: nil while there is none
	server *endpoint.Server // guarded by mu: likewise
	port   int              // guarded by mu: likewise
}

// New returns a host without a relay. dir is the directory of the file with the pairing.
func New(dir, version string) *Host { return &Host{dir: dir, version: version} }

// Start starts the relay on a port of 127.0.0.1, if there is none. started reports whether this did. The error is an *api.Error.
func (h *Host) Start(port int, mode string) (started bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return false, api.Errorf(api.DaemonStopping, "the daemon is stopping")
	case h.relay != nil && h.port != port:
		return false, api.Errorf(api.InvalidArgument, "the relay runs on port %d, not %d", h.port, port).WithHint("`relay stop` ends it.")
	case h.relay != nil:
		return false, nil
	}
	r, err := relay.New(relay.Options{Dir: h.dir, Version: h.version, OwnWorld: model.WorldName, OwnPage: model.OwnPagePrefix})
	if err != nil {
		return false, api.Errorf(api.Internal, "start the relay: %w", err)
	}
	server, err := r.Serve(nil, port, mode)
	if err != nil {
		r.Close()
		return false, api.Errorf(api.Internal, "start the relay: %w", err).
			WithHint("Another program uses the port: end it, or choose another with --relay-port, in the extension's popup, too.")
	}
	h.relay, h.server, h.port = r, server, port
	return true, nil
}

// Stop ends the relay. It reports whether there was one.
func (h *Host) Stop() bool {
	h.mu.Lock()
	r, server := h.relay, h.server
	h.relay, h.server = nil, nil
	h.mu.Unlock()
	if r == nil {
		return false
	}
	r.Close()
	server.Close()
	return true
}

// Close ends the relay for good.
func (h *Host) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.Stop()
}

// Running reports whether there is a relay.
func (h *Host) Running() bool { return h.current() != nil }

func (h *Host) current() *relay.Relay {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.relay
}

// Connect returns a connection of usher's with the user's Chrome.
func (h *Host) Connect(ctx context.Context) (wire.Conn, error) {
	r := h.current()
	if r == nil {
		return nil, fmt.Errorf("the relay was stopped; `relay start` starts it")
	}
	return r.ConnectOwn(ctx)
}

// URL is the address of CDP clients, with the token; empty without a relay.
func (h *Host) URL() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.relay == nil {
		return ""
	}
	return fmt.Sprintf("ws://127.0.0.1:%d/cdp?token=%s", h.port, h.relay.Pairing().ClientToken())
}

// Port returns the relay's port; 0 without a relay.
func (h *Host) Port() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.relay == nil {
		return 0
	}
	return h.port
}

// Status returns the state of the relay; ok is false without one.
func (h *Host) Status() (s relay.Status, extension string, ok bool) {
	r := h.current()
	if r == nil {
		return relay.Status{}, "", false
	}
	return r.Status(), r.Pairing().Extension(), true
}

// Pair returns a code with which an extension can pair, and when it ends. The relay must be running.
func (h *Host) Pair() (code string, until time.Time, ok bool) {
	r := h.current()
	if r == nil {
		return "", time.Time{}, false
	}
	code, until = r.Pairing().NewCode()
	return code, until, true
}

// Pin pairs with an extension that usher loads itself, and returns its token. The relay must be running.
func (h *Host) Pin(extension string) (token string, err error) {
	r := h.current()
	if r == nil {
		return "", fmt.Errorf("pair with an extension: the relay is not running")
	}
	return r.Pairing().Pin(extension)
}
