// Package relay makes the user's own Chrome a browser for CDP clients, through a browser extension that uses chrome.debugger: real
// Playwright, Puppeteer and usher's supervisor connect to it as to Chromium's debugging port.
//
//	clients ─ CDP ─ Relay ─ link (WebSocket) ─ extension ─ chrome.debugger ─ tabs
//
// chrome.debugger allows one CDP session per tab, and one per child of it (a frame in another process, a worker): a [debuggee]. Clients
// get CDP sessions of their own, a [session] each, which share it: what a session enabled, set, added or announced is known for each, and
// ended with it. Tabs are announced without attaching to them. The commands that clients send to every page at once are answered from what is
// known of the tab, and recorded; the first other command attaches, replays the record, and translates the ids of script contexts that the
// relay made (attach.go, document.go).
//
// One lock guards the state. Under it nothing blocks: commands for the extension are queued, and written after it is released.
package relay

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// contextID is the id of the only browser context: that of the user's profile. chrome.debugger does not tell the real one.
const contextID = "USHER0RELAY0DEFAULT0CONTEXT00000"

// Options are the options of a Relay.
type Options struct {
	// Dir is the directory of the file with the pairing and the token of clients.
	Dir string
	// Version is usher's.
	Version string
	// AllowClearing lets clients clear what belongs to the whole profile: all cookies, the cache, the storage of all sites.
	AllowClearing bool
	// OwnWorld is the name of the isolated world of usher's own script, which is shown only to the client that makes it.
	OwnWorld string
	// OwnPage begins the first address of pages that usher opens for itself, which are shown only to its own connection that opens them.
	OwnPage string
}

// Relay is the user's browser. It implements [endpoint.Browser].
type Relay struct {
	options Options
	pairing *link.Pairing
	link    *link.Server

	mu       sync.Mutex
	closed   bool               // guarded by mu
	up       bool               // guarded by mu: an extension is connected, or may come back in a moment
	listed   chan struct{}      // guarded by mu: closed when the tabs are known
	hello    link.Hello         // guarded by mu
	settings Settings           // guarded by mu
	tabs     map[int]*tab       // guarded by mu
	notices  int                // guarded by mu: counts those about tabs
	asked    map[int]bool       // guarded by mu: the new tabs whose target was asked for, and whether they have been closed since
	clients  map[*client]bool   // guarded by mu
	lastID   int64              // guarded by mu: of contexts and scripts that the relay names
	kept     int                // guarded by mu: the size, in bytes, of the messages of all debuggees
	openings []opening          // guarded by mu: of the last seconds
	begun    []*running         // guarded by mu: the last downloads that clients were told of
	owners   map[string]*client // guarded by mu: which client opens a page of usher's own, by its address
	copying  sync.WaitGroup     // files of downloads
}

// New returns a relay without an extension.
func New(o Options) (*Relay, error) {
	p, err := link.OpenPairing(o.Dir)
	if err != nil {
		return nil, err
	}
	r := &Relay{options: o, pairing: p, tabs: map[int]*tab{}, asked: map[int]bool{}, clients: map[*client]bool{}, owners: map[string]*client{}, listed: make(chan struct{})}
	r.link = link.New(p, r, o.Version)
	return r, nil
}

// Serve serves clients at /cdp and the extension at /extension on a port of 127.0.0.1, 0 for a free one. mode is one of [endpoint.MultiClient]
// and [endpoint.SingleActive].
func (r *Relay) Serve(ended <-chan struct{}, port int, mode string) (*endpoint.Server, error) {
	return endpoint.Serve(ended, endpoint.Options{Browser: r, Token: r.pairing.ClientToken(), Mode: mode, Extension: r.link}, port)
}

// Pairing is which extension may connect.
func (r *Relay) Pairing() *link.Pairing { return r.pairing }

// Status describes the relay.
type Status struct {
	Link     link.Status
	Clients  int
	Tabs     int // that clients see
	Attached int // of these, that the debugger is attached to
	Settings Settings
}

// Status returns the state of the relay.
func (r *Relay) Status() Status {
	s := Status{Link: r.link.Status()}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Clients, s.Settings = len(r.clients), r.settings
	for _, t := range r.tabs {
		if t.announced {
			s.Tabs++
		}
		if t.phase == attached {
			s.Attached++
		}
	}
	return s
}

// Close disconnects the extension and the clients.
func (r *Relay) Close() {
	r.mu.Lock()
	r.closed = true
	clients := make([]*client, 0, len(r.clients))
	for c := range r.clients {
		clients = append(clients, c)
	}
	for _, t := range r.tabs {
		t.stopTimers()
	}
	r.mu.Unlock()
	for _, c := range clients {
		_ = c.Close()
	}
	r.link.Close()
	r.copying.Wait()
}

// unlock releases the lock and writes what was queued for the extension under it.
func (r *Relay) unlock() {
	r.mu.Unlock()
	r.link.Flush()
}

// errNoExtension is the error when the browser cannot be reached.
var errNoExtension = errors.New("the browser extension is not connected: open Chrome with the extension; `usher relay status` shows its state")

// await waits until the tabs of the browser are known. A browser that has just started may take a moment.
func (r *Relay) await(ctx context.Context) error {
	r.mu.Lock()
	listed := r.listed
	r.mu.Unlock()
	select {
	case <-listed:
		return nil
	default:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, link.Grace, errNoExtension)
	defer cancel()
	return r.Ready(ctx)
}

// Ready waits until the extension is connected and the tabs of the browser are known, for as long as ctx lasts.
func (r *Relay) Ready(ctx context.Context) error {
	r.mu.Lock()
	listed := r.listed
	r.mu.Unlock()
	select {
	case <-listed:
		return nil
	case <-ctx.Done():
		if cause := context.Cause(ctx); !errors.Is(cause, errNoExtension) {
			return errors.Join(errNoExtension, cause)
		}
		return errNoExtension
	}
}

// Version returns what the browser is.
func (r *Relay) Version(ctx context.Context) (endpoint.Version, error) {
	if err := r.await(ctx); err != nil {
		return endpoint.Version{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return endpoint.Version{Browser: r.hello.Product, Protocol: "1.3", UserAgent: r.hello.UserAgent}, nil
}

// Targets returns the tabs that clients see.
func (r *Relay) Targets(ctx context.Context) ([]endpoint.Target, error) {
	if err := r.await(ctx); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []endpoint.Target{}
	for _, t := range r.announcedTabs(nil) {
		list = append(list, endpoint.Target{ID: t.target, Type: "page", Title: t.info.Title, URL: t.info.URL})
	}
	return list, nil
}

// announcedTabs returns the tabs that a client sees, those that all see for nil, the oldest first. The caller holds mu.
func (r *Relay) announcedTabs(c *client) []*tab {
	var list []*tab
	for _, t := range r.tabs {
		if t.announced && t.shownTo(c) {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *tab) int { return cmp.Compare(a.id, b.id) })
	return list
}

// Connect returns the connection of a new client. It is at the level of the browser.
func (r *Relay) Connect(ctx context.Context) (wire.Conn, error) {
	if err := r.await(ctx); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, wire.ErrClosed
	}
	c := newClient(r)
	r.clients[c] = true
	return c, nil
}

// ConnectOwn is Connect for usher itself, which may open pages that it alone sees. A client of the server may not: what it does is seen by all who keep watch.
func (r *Relay) ConnectOwn(ctx context.Context) (wire.Conn, error) {
	conn, err := r.Connect(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	conn.(*client).own = true
	return conn, nil
}

// newID returns an id as Chromium makes them for targets and CDP sessions.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToUpper(hex.EncodeToString(b[:]))
}

// encode returns the JSON of a value of the relay's own types.
func encode(v any) []byte {
	text, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // only values of own types
	}
	return text
}

// decode reads the JSON of a message; what does not fit is left out.
func decode(text []byte, v any) bool {
	return json.Unmarshal(text, v, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) == nil
}
