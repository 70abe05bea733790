package mcp

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/verb"
)

// HTTP serves agents over streamable HTTP on loopback, inside the daemon. Whoever
// calls has to know the token; a page in a browser cannot, and is refused by its
// Origin besides.
type HTTP struct {
	// Version is told to clients.
	Version string
	// StateDir keeps the token.
	StateDir string
	Log      *slog.Logger

	mu      sync.Mutex
	server  *http.Server       // guarded by mu: nil while nothing listens
	done    chan struct{}      // guarded by mu: closed when that has ended
	address string             // guarded by mu
	token   string             // guarded by mu
	base    Process            // guarded by mu: what sessions are made with
	clients map[string]*Server // guarded by mu: by browser session and form
	mounts  *mounts            // guarded by mu: nil until there is a client
}

// tokenName is the file of the token in the state directory. It outlives the daemon,
// so that what is written in a client's configuration stays right.
const tokenName = "mcp-token"

// idleClient is how long the server remembers a client that says nothing.
const idleClient = time.Hour

// Open carries out `mcp http`: it begins to listen, or tells where it listens already,
// or stops.
func (h *HTTP) Open(_ context.Context, req *api.Request, call *verb.Call) (data any, text string, err error) {
	if call.Bool("stop") {
		if err := h.Close(); err != nil {
			return nil, "", api.Errorf(api.Internal, "stop serving agents: %w", err)
		}
		return map[string]any{"listening": false}, "✓ No longer listening", nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil {
		if err := h.listen(req, call); err != nil {
			return nil, "", err
		}
	} else if port := call.Int("port"); port != 0 && !strings.HasSuffix(h.address, ":"+strconv.Itoa(port)) {
		return nil, "", api.Errorf(api.InvalidArgument, "agents are served at %s already", h.address).
			WithHint("Use that, or end it with `mcp http --stop` first.")
	}
	where := "http://" + h.address + "/mcp"
	return map[string]any{"listening": true, "url": where, "token": h.token},
		"✓ Serving agents at " + where + "\n  Authorization: Bearer " + h.token, nil
}

// listen begins to serve. h.mu is held.
func (h *HTTP) listen(req *api.Request, call *verb.Call) error {
	if err := underGuard(call); err != nil {
		return err
	}
	token, err := h.loadToken()
	if err != nil {
		return err
	}
	places, err := dirs.Of(req.Getenv, "", false)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(call.Int("port")))
	if err != nil {
		return api.Errorf(api.InvalidArgument, "serve agents: %w", err).WithHint("Choose another --port, or leave it out for a free one.")
	}
	h.token, h.address, h.clients = token, listener.Addr().String(), map[string]*Server{}
	h.base = Process{Version: h.Version, Request: req, Call: call, Places: places, Log: h.Log, mounts: h.group}
	sdk := mcp.NewStreamableHTTPHandler(h.serverOf, &mcp.StreamableHTTPOptions{
		Logger: h.Log, SessionTimeout: idleClient, DisableLocalhostProtection: true, // ours says what to do
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", h.guarded(sdk))
	h.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(h.Log.Handler(), slog.LevelWarn)}
	h.done = make(chan struct{})
	go func(server *http.Server, done chan struct{}) {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			h.Log.Error("serve agents", "error", err)
		}
	}(h.server, h.done)
	return nil
}

// loadToken reads the token, or makes one.
func (h *HTTP) loadToken() (string, error) {
	path := filepath.Join(h.StateDir, tokenName)
	raw, err := os.ReadFile(path)
	if token := strings.TrimSpace(string(raw)); err == nil && len(token) >= 20 {
		return token, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", api.Errorf(api.FileNotFound, "read the token of agents: %w", err)
	}
	token := rand.Text()
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", api.Errorf(api.FileWriteFailed, "keep the token of agents: %w", err)
	}
	return token, nil
}

// guarded lets through who knows the token, calls this address by its name, and is no
// page of another site.
func (h *HTTP) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		address, token := h.address, h.token
		h.mu.Unlock()
		_, port, _ := net.SplitHostPort(address)
		if !isLoopback(r.Host, port) {
			refuse(w, http.StatusForbidden, fmt.Sprintf("the Host header is %q; call this server as %s", r.Host, address))
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Scheme != "http" || !isLoopback(u.Host, port) {
				refuse(w, http.StatusForbidden, fmt.Sprintf("a page of %q may not call this server", origin))
				return
			}
		}
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if given == "" {
			given = r.URL.Query().Get("token")
		}
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "the token is missing or wrong; `usher mcp http` tells it")
			return
		}
		if r.Method == http.MethodPost { // only those may begin something
			if _, err := h.find(r); err != nil {
				refuse(w, http.StatusBadRequest, api.AsError(err).Sentence())
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// isLoopback says whether a host with a port names this server.
func isLoopback(hostport, port string) bool {
	host, p, err := net.SplitHostPort(hostport)
	if err != nil || p != port {
		return false
	}
	return host == "127.0.0.1" || host == "localhost" || host == "::1"
}

// refuse answers with an error of JSON-RPC, which is what clients can read.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	quoted, err := api.AppendJSON(nil, message)
	if err == nil {
		// Whoever hung up does not need the answer.
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":%s}}`, quoted)
	}
}

// serverOf is find for the SDK. What may be wrong with a request was told before.
func (h *HTTP) serverOf(r *http.Request) *mcp.Server {
	s, err := h.find(r)
	if err != nil {
		return nil
	}
	return s.sdk
}

// find is the server for a request: one for each browser session, named by the query's
// session, which all its clients share.
func (h *HTTP) find(r *http.Request) (*Server, error) {
	query := r.URL.Query()
	name, results := query.Get("session"), Results(query.Get("results"))
	if name != "" {
		if err := verb.CheckName(name); err != nil {
			return nil, api.Errorf(api.InvalidSessionName, "the query's session: %w", err)
		}
	}
	if results != "" && !results.Valid() {
		return nil, api.Errorf(api.InvalidArgument, "the query's results is %q; it may be %v", results, Forms())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	base := h.base
	base.Platform = query.Get("platform")
	if names := query.Get("toolsets"); names != "" {
		base.Toolsets = strings.Split(names, ",")
	}
	key := strings.Join([]string{name, string(results), base.Platform, query.Get("toolsets")}, "\x00")
	if s := h.clients[key]; s != nil {
		return s, nil
	}
	opts, err := base.options(r.Context())
	if err != nil {
		return nil, err
	}
	if name != "" {
		opts.Host.Session = name
	}
	if results != "" {
		opts.Results = results
	}
	opts.Log = h.Log
	s := New(opts)
	h.clients[key] = s
	return s, nil
}

// group is the MCP servers and plugins, the same for all clients. h.mu is held.
func (h *HTTP) group(conf *config.Tools) *mounts {
	if h.mounts == nil {
		h.mounts = mounted(conf, &h.base)
	}
	return h.mounts
}

// Serving says whether it listens; the daemon then stays.
func (h *HTTP) Serving() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.server != nil
}

// closeGrace is how long requests under way may take when the server stops.
const closeGrace = time.Second

// Close stops listening and waits until nothing is served any more.
func (h *HTTP) Close() error {
	h.mu.Lock()
	server, done, clients, mounts := h.server, h.done, h.clients, h.mounts
	h.server, h.clients, h.mounts = nil, nil, nil
	h.mu.Unlock()
	if server == nil {
		return nil
	}
	for _, c := range clients {
		c.close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	if server.Shutdown(ctx) != nil { // a stream that stays open is cut
		if err := server.Close(); err != nil {
			return err
		}
	}
	<-done
	if mounts != nil {
		mounts.Close()
	}
	return nil
}
