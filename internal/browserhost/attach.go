package browserhost

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// attacher connects to a running browser.
type attacher struct{ options Options }

func (a *attacher) Traits() Traits {
	o := &a.options
	return Traits{
		Attached: true, Headed: o.Headed, Profile: o.ProfileDir != "", DebugPort: o.WantsPort(),
		Remote: isRemote(o.CDP), Proxied: proxied(o),
	}
}

// isRemote reports whether the address of a debugging port is on another machine. A port alone is on this one.
func isRemote(endpoint string) bool {
	if !strings.Contains(endpoint, "://") {
		return false
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return true
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err != nil || !ip.Unmap().IsLoopback()
}

func (a *attacher) Connect(ctx context.Context) (Browser, error) {
	if err := mayAttach(ctx, a.options.CDP); err != nil {
		return nil, err
	}
	for until := time.Now().Add(portLimit); ; {
		url, conn, err := a.dial(ctx)
		if err == nil {
			return &attached{host: a, conn: conn, line: line{socket: url, access: &a.options.Access}}, nil
		}
		if a.options.CDP == "" || !wire.Refused(err) || time.Now().After(until) {
			return nil, a.failed(err)
		}
		select {
		case <-ctx.Done():
			return nil, a.failed(err)
		case <-time.After(portInterval):
		}
	}
}

// A browser that was started a moment ago may not have opened its port yet. The limit is agent-browser's.
const (
	portLimit    = 2 * time.Second
	portInterval = 100 * time.Millisecond
)

// mayAttach refuses the address of a cloud's metadata service, whose answer would be an agent's to read.
func mayAttach(ctx context.Context, address string) error {
	scheme, rest, ok := strings.Cut(address, "://")
	switch {
	case !isRemote(address):
		return nil
	case ok && strings.HasPrefix(scheme, "ws"): // ws and wss
		address = "http" + strings.TrimPrefix(scheme, "ws") + "://" + rest
	}
	guard := policy.Sites{Private: true, Resolve: func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}} // of all that it refuses, only the rule below holds for what is attached to
	if refused := guard.Open(ctx, address); refused != nil && refused.Rule == policy.RuleMetadata {
		return api.Errorf(api.URLBlocked, "attach to a browser: %w", refused)
	}
	return nil
}

func (a *attacher) dial(ctx context.Context) (url string, conn wire.Conn, err error) {
	if url, err = a.endpoint(ctx); err != nil {
		return "", nil, err
	}
	conn, err = wire.Dial(ctx, url, &a.options.Access)
	return url, conn, err
}

// failed returns the error of a browser that cannot be reached, without what the headers contain: a server may quote them.
func (a *attacher) failed(err error) error {
	text := hidden(err.Error(), a.options.Access.Header)
	if u, bad := url.Parse(a.options.CDP); bad == nil && u.User != nil {
		password, _ := u.User.Password()
		basic := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		text = hidden(text, http.Header{"": {password, basic}})
	}
	out := api.Errorf(api.AttachFailed, "%w", err)
	if text != err.Error() {
		out = api.Errorf(api.AttachFailed, "%s", text)
	}
	var answer *wire.HandshakeError
	var discovery *chrome.StatusError
	if errors.As(err, &answer) && (answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden) || errors.As(err, &discovery) && discovery.Denied() {
		out.WithHint("The address wants credentials: give them as headers with --cdp-headers (in the environment: USHER_CDP_HEADERS), or as the service says in the address.")
	}
	return out
}

// hidden returns a text without the values of headers.
func hidden(text string, header http.Header) string {
	for _, values := range header {
		for _, v := range values {
			_, token, found := strings.Cut(v, " ") // Bearer TOKEN
			for _, secret := range []string{v, token} {
				if len(secret) > 3 && (found || secret == v) {
					text = strings.ReplaceAll(text, secret, policy.Mark)
				}
			}
		}
	}
	return text
}

// endpoint determines the address of the browser's WebSocket.
func (a *attacher) endpoint(ctx context.Context) (string, error) {
	if a.options.AutoConnect && a.options.CDP == "" {
		return chrome.AutoConnect(ctx, nil)
	}
	return chrome.Resolve(ctx, a.options.CDP, &a.options.Access)
}

// attached is a browser that is connected by a WebSocket, and keeps running when the connection is lost.
type attached struct {
	line
	host *attacher
	conn wire.Conn
}

func (b *attached) Conn() wire.Conn                 { return b.conn }
func (b *attached) Address() string                 { return b.socket }
func (b *attached) Process() Process                { return Process{} }
func (b *attached) Rental() Rental                  { return Rental{} }
func (b *attached) Files() Files                    { return SharedFiles{} }
func (b *attached) Exit(time.Duration) (Exit, bool) { return Exit{}, false }
func (b *attached) Close(context.Context) error     { return nil }

// line is the WebSocket of a browser.
type line struct {
	socket string // its address
	access *wire.Access
}

// Redial connects to the same browser again. The address of its WebSocket contains an id that another browser at the port
// rejects.
func (l line) Redial(ctx context.Context) (wire.Conn, error) {
	conn, err := wire.Dial(ctx, l.socket, l.access)
	if err != nil {
		return nil, lost(err)
	}
	return conn, nil
}

// lost returns the error of a failed attempt to connect again in the terms of package link.
func lost(err error) error {
	var answered *wire.HandshakeError
	switch {
	case errors.As(err, &answered) && answered.Final():
		return fmt.Errorf("%w: %w", model.ErrOtherBrowser, err)
	case wire.Refused(err):
		return fmt.Errorf("%w: %w", link.ErrRefused, err)
	}
	return err
}
