// Package endpoint is the front of a browser for CDP clients: HTTP and WebSocket on loopback, with the paths of Chromium's own debugging
// port (https://chromedevtools.github.io/devtools-protocol/, "HTTP Endpoints").
//
//	GET /json/version                  product, protocol, and webSocketDebuggerUrl
//	GET /json, /json/list              the pages
//	GET /client-slot                   who is connected; needs no token
//	    /devtools/browser/TOKEN        WebSocket: CDP with the browser
//	    /devtools/page/TARGET          WebSocket: CDP with one page
//	    /cdp                           WebSocket: CDP with the browser
//
// Whoever connects controls the browser. So each request but /client-slot must have the token: in the path, as ?token=…, or as
// "Authorization: Bearer …". It is compared in constant time, and never a part of an answer to a request that did not have it. The Host must
// name this machine (DNS rebinding), and no web page may call: every Origin is refused. There are no CORS headers.
package endpoint

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/wire"
)

// Version is what a browser is, with the names of /json/version.
type Version struct {
	Browser   string `json:"Browser"`          // Chrome/156.0.8078.79
	Protocol  string `json:"Protocol-Version"` // 1.3
	UserAgent string `json:"User-Agent"`
	V8        string `json:"V8-Version,omitzero"`
}

// Target is a page, with the names of /json/list.
type Target struct {
	ID    string `json:"id"`
	Type  string `json:"type"` // page
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Browser is what clients are connected with. Its methods may be called from any goroutine.
type Browser interface {
	// Version returns what the browser is.
	Version(ctx context.Context) (Version, error)
	// Targets returns the pages.
	Targets(ctx context.Context) ([]Target, error)
	// Connect returns the connection of a new client, at the level of the browser, with flat sessions. If the connection has a method
	// Lost, its channel is closed when messages were dropped because the client does not read: it is then disconnected.
	Connect(ctx context.Context) (wire.Conn, error)
}

// Modes are how many clients may be connected.
const (
	MultiClient  = "multi-client"
	SingleActive = "single-active" // a second one is refused with 409
)

// Options are the options of a Handler.
type Options struct {
	Browser Browser
	// Token is what requests must have; see [NewToken].
	Token string
	// Mode is MultiClient or SingleActive; "" is MultiClient.
	Mode string
	// Origins are the origins that may call besides programs, which send none.
	Origins []string
	// Extension answers /extension, with checks of its own for everything but the Host; nil for 404.
	Extension http.Handler
}

// NewToken returns a new token: 32 random bytes in base64url.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Handler answers the requests of CDP clients. Close disconnects them.
type Handler struct {
	options Options
	mux     *http.ServeMux
	ended   context.Context
	stop    context.CancelFunc

	mu      sync.Mutex
	mode    string         // guarded by mu
	closed  bool           // guarded by mu
	clients []*client      // guarded by mu: in the order of their connecting
	counted int            // guarded by mu: clients so far
	serving sync.WaitGroup // the clients
}

// New returns a handler.
func New(o Options) *Handler {
	h := &Handler{options: o, mux: http.NewServeMux(), mode: cmp.Or(o.Mode, MultiClient)}
	h.ended, h.stop = context.WithCancel(context.Background())
	h.mux.HandleFunc("GET /client-slot", h.slot)
	h.mux.HandleFunc("GET /json/version", h.authorized(h.version))
	h.mux.HandleFunc("GET /json/version/", h.authorized(h.version)) // Playwright asks with a slash
	h.mux.HandleFunc("GET /json", h.authorized(h.list))
	h.mux.HandleFunc("GET /json/{$}", h.authorized(h.list))
	h.mux.HandleFunc("GET /json/list", h.authorized(h.list))
	h.mux.HandleFunc("GET /json/list/{$}", h.authorized(h.list))
	h.mux.HandleFunc("GET /cdp", h.authorized(h.browser))
	h.mux.HandleFunc("GET /devtools/browser/{token}", h.authorized(h.browser))
	h.mux.HandleFunc("GET /devtools/page/{target}", h.authorized(h.page))
	return h
}

// Close disconnects the clients and waits for them. Requests after it are refused.
func (h *Handler) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.stop()
	h.serving.Wait()
}

// SetMode sets how many clients may be connected: MultiClient or SingleActive. Those that are stay.
func (h *Handler) SetMode(mode string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mode = mode
}

// Clients returns how many clients are connected.
func (h *Handler) Clients() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.clients)
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer") // an address may have the token
	switch origin := r.Header.Get("Origin"); {
	case !Local(r.Host):
		refuse(w, http.StatusForbidden, "the Host header names another host than this machine; use 127.0.0.1")
	case r.URL.Path == "/extension" && h.options.Extension != nil:
		h.options.Extension.ServeHTTP(w, r)
	case origin != "" && !slices.Contains(h.options.Origins, origin), origin == "" && ofPage(r):
		refuse(w, http.StatusForbidden, "a web page may not call this server")
	default:
		h.mux.ServeHTTP(w, r)
	}
}

// ofPage reports whether a web page sends a request: browsers send no Origin with GET requests that a page may not read, such as those
// for scripts and pictures, but say so (https://www.w3.org/TR/fetch-metadata/).
func ofPage(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "none"
}

// Local reports whether a Host header names this machine by an address of loopback, or as localhost.
func Local(host string) bool {
	name := host
	if h, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// authorized calls next for requests with the token.
func (h *Handler) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		for _, given := range []string{r.PathValue("token"), r.URL.Query().Get("token"), bearer} {
			if subtle.ConstantTimeCompare([]byte(given), []byte(h.options.Token)) == 1 {
				next(w, r)
				return
			}
		}
		refuse(w, http.StatusUnauthorized, "the token is missing or wrong; `usher get cdp-url` prints the address with it")
	}
}

// slot tells whether a client would be accepted. It is what clients poll that wait for their turn.
func (h *Handler) slot(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	state := struct {
		Mode        string  `json:"mode"`
		Busy        bool    `json:"busy"`           // a further client would be refused
		Active      *string `json:"activeClientId"` // the client that was accepted last; null without one
		ConnectedAt *int64  `json:"connectedAt"`    // since when, in milliseconds since 1970
		Clients     int     `json:"clients"`
	}{Mode: h.mode, Busy: h.busy(), Clients: len(h.clients)}
	if n := len(h.clients); n > 0 {
		last := h.clients[n-1]
		state.Active, state.ConnectedAt = &last.id, new(last.since.UnixMilli())
	}
	h.mu.Unlock()
	answer(w, http.StatusOK, state)
}

// busy reports whether another client is refused. The caller holds mu.
func (h *Handler) busy() bool { return h.mode == SingleActive && len(h.clients) > 0 }

func (h *Handler) version(w http.ResponseWriter, r *http.Request) {
	v, err := h.options.Browser.Version(r.Context())
	if err != nil {
		refuse(w, http.StatusBadGateway, err.Error())
		return
	}
	answer(w, http.StatusOK, struct {
		Version
		URL string `json:"webSocketDebuggerUrl"`
	}{v, h.URL(r.Host)})
}

// URL returns the address of CDP with the browser, at a host and port.
func (h *Handler) URL(host string) string {
	return "ws://" + host + "/devtools/browser/" + h.options.Token
}

func (h *Handler) list(w http.ResponseWriter, r *http.Request) {
	targets, err := h.options.Browser.Targets(r.Context())
	if err != nil {
		refuse(w, http.StatusBadGateway, err.Error())
		return
	}
	type entry struct {
		Target
		URL string `json:"webSocketDebuggerUrl"`
	}
	list := make([]entry, 0, len(targets))
	for _, t := range targets {
		list = append(list, entry{t, "ws://" + r.Host + "/devtools/page/" + t.ID + "?token=" + h.options.Token})
	}
	answer(w, http.StatusOK, list)
}

// client is a connected client.
type client struct {
	id    string
	since time.Time
}

// browser connects a client with the browser.
func (h *Handler) browser(w http.ResponseWriter, r *http.Request) {
	h.connect(w, r, h.options.Browser.Connect)
}

// page connects a client with a page.
func (h *Handler) page(w http.ResponseWriter, r *http.Request) {
	h.connect(w, r, func(ctx context.Context) (wire.Conn, error) {
		conn, err := h.options.Browser.Connect(ctx)
		if err != nil {
			return nil, err
		}
		return toPage(ctx, conn, r.PathValue("target"))
	})
}

func (h *Handler) connect(w http.ResponseWriter, r *http.Request, to func(context.Context) (wire.Conn, error)) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		refuse(w, http.StatusUpgradeRequired, "connect here with a WebSocket")
		return
	}
	c, refused, status := h.admit()
	if c == nil {
		refuse(w, status, refused)
		return
	}
	defer h.leave(c)
	ctx, cancel := context.WithTimeout(h.ended, connectLimit)
	conn, err := to(ctx)
	cancel()
	switch {
	case errors.Is(err, errNoPage):
		refuse(w, http.StatusNotFound, err.Error())
		return
	case err != nil:
		refuse(w, http.StatusBadGateway, err.Error())
		return
	}
	defer conn.Close() //nolint:errcheck // nobody is left to tell
	socket, err := wire.Accept(w, r)
	if err != nil {
		return // the client was told, or has gone
	}
	h.join(socket, conn)
}

// connectLimit bounds the wait for the browser when a client connects.
const connectLimit = 30 * time.Second

// farewellLimit bounds the wait until a client has read what is left for it when the endpoint ends.
const farewellLimit = time.Second

// admit counts a client in, or says why not.
func (h *Handler) admit() (c *client, refused string, status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, "the endpoint is ending", http.StatusServiceUnavailable
	case h.busy():
		return nil, "Another CDP client is already connected; wait until GET /client-slot says busy: false", http.StatusConflict
	}
	h.counted++
	c = &client{id: "client-" + strconv.Itoa(h.counted), since: time.Now()}
	h.clients = append(h.clients, c)
	h.serving.Add(1)
	return c, "", 0
}

func (h *Handler) leave(c *client) {
	h.mu.Lock()
	h.clients = slices.DeleteFunc(h.clients, func(other *client) bool { return other == c })
	h.mu.Unlock()
	h.serving.Done()
}

// join passes messages between a client and the browser until one of them ends, or the handler.
func (h *Handler) join(socket *wire.Client, conn wire.Conn) {
	var both sync.WaitGroup
	told := make(chan struct{}) // closed when nothing more is written to the client
	both.Go(func() {
		defer close(told)
		reason := "the browser ended the connection"
		if q, ok := conn.(interface {
			Direct(try func(msg []byte) bool)
		}); ok {
			q.Direct(socket.Try)
		}
		read := one(conn.Read)
		if all, ok := conn.(interface{ ReadAll() ([][]byte, error) }); ok {
			read = all.ReadAll
		}
		for {
			msgs, err := read()
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, wire.ErrClosed) {
					reason = err.Error()
				}
				break
			}
			if socket.WriteAll(msgs) != nil {
				_ = socket.Close() // the other direction ends with it
				return
			}
		}
		socket.End(reason)
	})
	left := make(chan struct{})
	both.Go(func() {
		var lost <-chan struct{}
		if l, ok := conn.(interface{ Lost() <-chan struct{} }); ok {
			lost = l.Lost()
		}
		select {
		case <-lost: // the client does not read, so it is not told
			_ = socket.Close()
		case <-h.ended.Done():
			_ = conn.Close()
			select {
			case <-told:
			case <-left:
			case <-time.After(farewellLimit): // it does not read what was written before, either
				_ = socket.Close()
			}
		case <-left:
		}
	})
	more := conn.Write
	if m, ok := conn.(interface{ WriteMore(msg []byte) error }); ok {
		more = m.WriteMore
	}
	for {
		msg, err := socket.Read()
		if err != nil {
			break
		}
		write := conn.Write
		if socket.Another() {
			write = more
		}
		if write(msg) != nil {
			break
		}
	}
	close(left)
	_ = conn.Close()
	_ = socket.Close() // a Write that waits for the client fails with it
	both.Wait()
}

// one makes a list of each message.
func one(read func() ([]byte, error)) func() ([][]byte, error) {
	return func() ([][]byte, error) {
		msg, err := read()
		return [][]byte{msg}, err
	}
}

func answer(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer has no JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_, _ = w.Write(text) // whoever asked may have left
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"error": message})
}
