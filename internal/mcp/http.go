package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/verb"
)

// HTTP serves agents over streamable HTTP on loopback, inside the daemon. Each request needs the bearer token. Requests
// with the Origin of a web page are refused as well.
type HTTP struct {
	// Version is usher's version, reported to clients.
	Version string
	// StateDir is the directory of the token's file.
	StateDir string
	Log      *slog.Logger

	changing sync.Mutex // serialises Open and Close; locked before mu

	mu      sync.Mutex
	current *serving // guarded by mu: nil while not listening
}

// tokenName is the file of the token in the state directory. The token survives restarts of the daemon, so that client
// configurations stay valid.
const tokenName = "mcp-token"

// idleClient is how long the session of a client without requests is kept.
const idleClient = time.Hour

// Open implements `mcp http`: it starts listening, returns the URL if it listens already, or with --stop stops.
func (h *HTTP) Open(_ context.Context, req *api.Request, call *verb.Call) (data any, text string, err error) {
	if call.Bool("stop") {
		if err := h.Close(); err != nil {
			return nil, "", api.Errorf(api.Internal, "stop serving agents: %w", err)
		}
		return Listening{}, "✓ No longer listening", nil
	}
	h.changing.Lock()
	defer h.changing.Unlock()
	s := h.serving()
	if s == nil {
		if s, err = h.listen(req, call); err != nil {
			return nil, "", err
		}
	} else if port := call.Int("port"); port != 0 && !strings.HasSuffix(s.address, ":"+strconv.Itoa(port)) {
		return nil, "", api.Errorf(api.InvalidArgument, "agents are already served at %s", s.address).
			WithHint("Use that, or end it with `mcp http --stop` first.")
	}
	where := "http://" + s.address + "/mcp"
	return Listening{true, where, s.token},
		"✓ Serving agents at " + where + "\n  Authorization: Bearer " + s.token, nil
}

func (h *HTTP) serving() *serving {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.current
}

// listen starts serving. The caller holds h.turn.
func (h *HTTP) listen(req *api.Request, call *verb.Call) (*serving, error) {
	if err := requireSiteGuard(call); err != nil {
		return nil, err
	}
	token, err := h.loadToken()
	if err != nil {
		return nil, err
	}
	places, err := dirs.Of(req.Getenv, "", false)
	if err != nil {
		return nil, err
	}
	conf, err := toolsConfig(req, call)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(call.Int("port")))
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "serve agents: %w", err).WithHint("Choose another --port, or omit it for a free one.")
	}
	s := newServing(listener.Addr().String(), token, h.Log)
	s.base = Process{Version: h.Version, Request: req, Call: call, Places: places, Log: h.Log, mounts: s.sharedMounts,
		trust: newTrustPolicy(places.Home, conf, h.Log)} // trusts what is configured now, not what is when the first client connects
	s.serve(listener)
	h.mu.Lock()
	h.current = s
	h.mu.Unlock()
	return s, nil
}

// loadToken reads the token, or creates one. It refuses a file that other users can read.
func (h *HTTP) loadToken() (string, error) {
	if err := (dirs.Dirs{Home: h.StateDir}).MakeHome(); err != nil {
		return "", fmt.Errorf("save the token of agents: %w", err)
	}
	path := filepath.Join(h.StateDir, tokenName)
	raw, err := dirs.ReadPrivate(path)
	if token := strings.TrimSpace(string(raw)); err == nil && len(token) >= 20 {
		return token, nil
	}
	var insecure *dirs.Insecure
	switch {
	case errors.As(err, &insecure):
		return "", api.AsError(fmt.Errorf("the token of agents: %w", err)).
			WithHint("Others may know it. Remove the file; the next `usher mcp http` makes a new token, which clients then need.")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", api.Errorf(api.FileNotFound, "read the token of agents: %w", err)
	}
	token := rand.Text()
	if err := dirs.WriteSecret(path, []byte(token+"\n")); err != nil {
		return "", api.Errorf(api.FileWriteFailed, "save the token of agents: %w", err)
	}
	return token, nil
}

// isLoopback reports whether a Host header names this server: a loopback host with its port.
func isLoopback(hostport, port string) bool {
	host, p, err := net.SplitHostPort(hostport)
	if err != nil || p != port {
		return false
	}
	return host == "127.0.0.1" || strings.EqualFold(host, "localhost") || host == "::1"
}

// refuse answers a request with a JSON-RPC error.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	quoted, err := api.AppendJSON(nil, message)
	if err == nil {
		// An error here means that the client has disconnected.
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":%s}}`, quoted)
	}
}

// Serving reports whether it listens. The daemon does not exit while it does.
func (h *HTTP) Serving() bool { return h.serving() != nil }

// Close stops listening and waits until all requests, MCP servers and plugins have ended.
func (h *HTTP) Close() error {
	h.changing.Lock()
	defer h.changing.Unlock()
	s := h.serving()
	if s == nil {
		return nil
	}
	h.mu.Lock()
	h.current = nil
	h.mu.Unlock()
	return s.close()
}
