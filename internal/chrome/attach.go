package chrome

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/chrome/userprofile"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/wire"
)

const (
	// activePortFile is what a debuggable Chromium writes into its profile: the port, and the path of its WebSocket.
	activePortFile = "DevToolsActivePort"
	// discoverTimeout bounds one question to one address.
	discoverTimeout = 5 * time.Second
	// maxDiscovery bounds the answer, which has some 400 bytes.
	maxDiscovery = 64 << 10
)

// Resolve turns a user's address of a running browser into the browser's WebSocket URL. It accepts
//
//	9222                     a port on this machine
//	host:9222                a port elsewhere
//	http(s)://host[:port]    the same, with a path kept in front of /json/version
//	ws(s)://host:port/path   the WebSocket itself, taken as it is
//	ws(s)://host:port        a port: the path is read from /json/version
//	/path/to/profile         a profile directory, or the DevToolsActivePort file in it
//
// Access is for the HTTP requests. The error is an [*AttachError] with every address tried.
func Resolve(ctx context.Context, address string, as *wire.Access) (string, error) {
	ctx, cancel := withDeadline(ctx, discoverTimeout)
	defer cancel()
	ws, tried, err := resolve(ctx, strings.TrimSpace(address), as)
	if err != nil {
		return "", &AttachError{Tried: []Attempt{{tried, err}}}
	}
	return ws, nil
}

// AutoConnect finds a browser that already runs: in the default profile directories of Chrome, Chromium, Edge and
// Brave, then at the ports 9222 and 9229. The error lists every address tried.
func AutoConnect(ctx context.Context, as *wire.Access) (string, error) {
	ctx, cancel := withDeadline(ctx, 2*discoverTimeout)
	defer cancel()
	var tried []Attempt
	for _, address := range append(userprofile.Roots(runtime.GOOS, os.Getenv), "9222", "9229") {
		ws, at, err := resolve(ctx, address, as)
		if err == nil {
			return ws, nil
		}
		tried = append(tried, Attempt{at, err})
	}
	return "", &AttachError{Tried: tried}
}

// resolve also returns the address in the form it was tried.
func resolve(ctx context.Context, address string, as *wire.Access) (ws, tried string, err error) {
	if address == "" {
		return "", `""`, errors.New("the address is empty")
	}
	if isPort(address) {
		address = "http://127.0.0.1:" + address
	}
	scheme, _, hasScheme := strings.Cut(address, "://")
	switch {
	case !hasScheme && isHostPort(address):
		address = "http://" + address
	case !hasScheme:
		ws, err = resolveProfile(ctx, address, as)
		return ws, address, err
	case scheme != "http" && scheme != "https" && scheme != "ws" && scheme != "wss":
		return "", address, fmt.Errorf("the scheme %q is not http, https, ws or wss", scheme)
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", address, fmt.Errorf("not an address: %w", errors.Unwrap(err))
	}
	if u.Hostname() == "" {
		return "", address, errors.New("the host is missing")
	}
	isSocket := scheme == "ws" || scheme == "wss"
	if strings.HasPrefix(u.Path, "/devtools/page/") {
		return "", wire.Shown(u.String()), errors.New("this is the address of a page, not of the browser; give only the port")
	}
	if isSocket && (strings.Trim(u.Path, "/") != "" || u.RawQuery != "") {
		return address, wire.Shown(u.String()), nil
	}
	u.Scheme = strings.Replace(u.Scheme, "ws", "http", 1)
	ws, err = discover(ctx, u, as)
	return ws, wire.Shown(u.String()), err
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// isHostPort reports whether a text is host:9222 and no path, C:\Users included.
func isHostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	return err == nil && isPort(port) && !strings.ContainsAny(host, `/\`)
}

// discover reads the browser's WebSocket URL from an HTTP address.
func discover(ctx context.Context, u *url.URL, as *wire.Access) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, discoverTimeout)
	defer cancel()
	ask := *u
	ask.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/json/version") + "/json/version"
	if u.Scheme == "http" {
		// Chromium rejects a Host header that is neither an IP address nor localhost.
		if err := byNumber(ctx, &ask); err != nil {
			return "", err
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, ask.String(), nil)
	if err != nil {
		return "", err
	}
	as.Apply(req)
	resp, err := as.Client().Do(req)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return "", fmt.Errorf("nothing answers: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDiscovery))
	if err != nil {
		return "", fmt.Errorf("read the answer to /json/version: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		if ws := socketOfPort(u); resp.StatusCode == http.StatusNotFound && ws != "" {
			return ws, nil
		}
		return "", &StatusError{Status: resp.StatusCode, Body: body}
	}
	var version struct {
		WebSocketDebuggerURL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.Unmarshal(body, &version); err != nil || version.WebSocketDebuggerURL == "" {
		return "", fmt.Errorf("something else answers there: /json/version names no browser: %.80q", body)
	}
	ws, err := url.Parse(version.WebSocketDebuggerURL)
	if err != nil || ws.Path == "" {
		return "", fmt.Errorf("/json/version names %.80q, which is no address", version.WebSocketDebuggerURL)
	}
	// The URL has the name of the request; behind a forwarded port only our address leads to it.
	ws.Scheme, ws.Host, ws.User = strings.Replace(ask.Scheme, "http", "ws", 1), ask.Host, ask.User
	return ws.String(), nil
}

// byNumber replaces a host name by its address.
func byNumber(ctx context.Context, u *url.URL) error {
	host := u.Hostname()
	if host == "localhost" || net.ParseIP(host) != nil {
		return nil
	}
	addrs, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return fmt.Errorf("look up the host: %w", err)
	}
	if port := u.Port(); port != "" {
		u.Host = net.JoinHostPort(addrs[0], port)
	} else if strings.Contains(addrs[0], ":") {
		u.Host = "[" + addrs[0] + "]"
	} else {
		u.Host = addrs[0]
	}
	return nil
}

// socketOfPort returns the WebSocket URL of browsers whose debugging the user switched on in chrome://inspect: they
// answer 404 to /json/version, but their profile contains the WebSocket's path.
func socketOfPort(u *url.URL) string {
	if host := u.Hostname(); host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return ""
	}
	for _, dir := range userprofile.Roots(runtime.GOOS, os.Getenv) {
		if ws, err := readActivePort(dir); err == nil && strings.HasPrefix(ws, "ws://127.0.0.1:"+u.Port()+"/") {
			return ws
		}
	}
	return ""
}

// readActivePort reads a profile's WebSocket URL; it does not check that a browser listens there.
func readActivePort(dir string) (string, error) {
	b, err := files.Read(context.Background(), filepath.Join(dir, activePortFile), 4<<10) // bounded in time by itself
	if err != nil {
		return "", err
	}
	return parseActivePort(string(b))
}

// parseActivePort takes two lines: a port, and a path that starts with a slash.
func parseActivePort(s string) (string, error) {
	port, path, _ := strings.Cut(strings.TrimSpace(s), "\n")
	port, path = strings.TrimSpace(port), strings.TrimSpace(path)
	if !isPort(port) || !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "\n\r\x00 ") {
		return "", fmt.Errorf("%s holds %.80q instead of a port and a path", activePortFile, s)
	}
	return "ws://127.0.0.1:" + port + path, nil
}

// resolveProfile returns the WebSocket URL of a profile directory, and checks that the file is not stale.
func resolveProfile(ctx context.Context, dir string, as *wire.Access) (string, error) {
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("expand ~: %w", err)
		}
		dir = filepath.Join(home, rest)
	}
	if filepath.Base(dir) == activePortFile {
		dir = filepath.Dir(dir)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("it is neither an existing profile directory nor a port or URL")
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", errors.New("this is a file, not a profile directory")
	}
	ws, err := readActivePort(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no %s file: no browser with debugging runs on this profile", activePortFile)
	}
	if err != nil {
		return "", err
	}
	u, err := url.Parse(ws)
	if err != nil {
		return "", err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return "", fmt.Errorf("its %s names port %s, where nothing listens: left over from a browser that has ended (%w)", activePortFile, u.Port(), err)
	}
	if err := c.Close(); err != nil {
		return "", err
	}
	found, err := discover(ctx, &url.URL{Scheme: "http", Host: u.Host}, as)
	if err != nil && socketOfPort(u) != ws {
		return "", fmt.Errorf("its %s names port %s: %w", activePortFile, u.Port(), err)
	}
	if err == nil && found != ws {
		return "", fmt.Errorf("its %s is left over: port %s belongs to another browser now", activePortFile, u.Port())
	}
	return ws, nil
}
