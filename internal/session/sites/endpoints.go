package sites

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/wire"
)

// Debugging endpoints of other programs. A browser started with a port, Node with --inspect, an Electron app, a web view
// of a phone: each answers at /json/version, and any client of it controls the program. Therefore a server of this
// machine or of a private network is probed before a page of it is opened or read. The result is cached. A server that
// does not answer in time counts as harmless, because a development server that hangs must be reported as hanging.

// How long servers are probed, and how long the results are cached.
const (
	askLimit       = time.Second
	otherServerTTL = time.Minute      // a server that is no endpoint
	endpointTTL    = 10 * time.Second // a debugging endpoint
	noReplyTTL     = 5 * time.Second  // a server that did not answer
	maxServers     = 1000
	maxAnswer      = 256 << 10 // bytes
)

// Endpoints detects debugging endpoints, and caches the results of probes.
type Endpoints struct {
	mu    sync.Mutex
	known map[string]endpoint // guarded by mu
}

// endpoint is the result of a probe.
type endpoint struct {
	what      string // its description; empty for no debugging endpoint
	alsoPages bool   // the server also has pages of its own, which are allowed
	until     time.Time
}

// Describe returns what a server of this machine or of a private network is, if it is a debugging endpoint; empty for
// other servers.
func (d *Endpoints) Describe(ctx context.Context, to policy.Server) string {
	for _, ip := range to.Addresses {
		if ip = ip.Unmap().WithZone(""); !isLocalOrPrivate(ip) {
			continue
		}
		for _, host := range namesOf(to.Host, ip) {
			e := d.lookup(ctx, netip.AddrPortFrom(ip, to.Port), host, to.Secure)
			if e.what != "" && (!e.alsoPages || debugPath(to.Path)) {
				return e.what
			}
		}
	}
	return ""
}

// namesOf returns the addresses at which a server is probed: by IP address, because endpoints reject host names, and by
// its name, which a proxy may forward to an endpoint.
func namesOf(host string, ip netip.Addr) []string {
	number := ip.String()
	if ip.Is6() {
		number = "[" + number + "]"
	}
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" || host == "" {
		return []string{number}
	}
	return []string{number, host}
}

// At reports whether a server is the endpoint with an address, by that address alone: also at a loopback address.
func At(to policy.Server, address string) bool {
	u, err := url.Parse(address)
	return address != "" && err == nil && portOf(u) == to.Port && matchesHost(to, u.Hostname())
}

func portOf(u *url.URL) uint16 {
	switch n, err := strconv.ParseUint(u.Port(), 10, 16); {
	case err == nil:
		return uint16(n)
	case u.Scheme == "wss" || u.Scheme == "https":
		return 443
	}
	return 80
}

// matchesHost reports whether a server is at a host, or at a loopback address.
func matchesHost(to policy.Server, host string) bool {
	if strings.EqualFold(to.Host, host) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	for _, a := range to.Addresses {
		a = a.Unmap()
		if a.IsLoopback() || a.IsUnspecified() || err == nil && a == ip.Unmap() {
			return true
		}
	}
	return false
}

// isLocalOrPrivate reports whether an address is of this machine, or of a private network.
func isLocalOrPrivate(ip netip.Addr) bool {
	if ip.IsLoopback() || ip.IsUnspecified() || ip.IsPrivate() || ip.IsLinkLocalUnicast() {
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return true // it cannot be excluded
	}
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok {
			if mine, ok := netip.AddrFromSlice(n.IP); ok && mine.Unmap() == ip {
				return true
			}
		}
	}
	return false
}

// debugPath reports whether a path is that of a debugging endpoint on a server that also has pages.
func debugPath(path string) bool {
	for _, p := range []string{"/json", "/inspector", "/debugger-frontend", "/open-debugger", "/devtools"} {
		if strings.HasPrefix(strings.ToLower(path), p) {
			return true
		}
	}
	return false
}

// lookup returns the description of a server, from the cache or by a probe.
func (d *Endpoints) lookup(ctx context.Context, at netip.AddrPort, host string, secure bool) endpoint {
	key := host + " " + at.String()
	if secure {
		key = "https " + key
	}
	d.mu.Lock()
	e, ok := d.known[key]
	d.mu.Unlock()
	if ok && time.Now().Before(e.until) {
		return e
	}
	asking, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	e, err := ask(asking, at, host, secure)
	now := time.Now()
	switch {
	case wire.Refused(err), ctx.Err() != nil: // no server listens, or the caller has cancelled
		return e
	case e.what != "":
		e.until = now.Add(endpointTTL)
	case err != nil:
		e.until = now.Add(noReplyTTL)
	default:
		e.until = now.Add(otherServerTTL)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil || len(d.known) >= maxServers {
		d.known = map[string]endpoint{}
	}
	d.known[key] = e
	return e
}

// ask probes a server. An error means that it did not answer as an endpoint.
func ask(ctx context.Context, at netip.AddrPort, host string, secure bool) (endpoint, error) {
	host += ":" + strconv.Itoa(int(at.Port()))
	transport := &http.Transport{
		// The certificate does not matter: the server is only identified.
		TLSClientConfig:        &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // nothing is sent, and nothing believed
		MaxResponseHeaderBytes: 64 << 10,
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	base := "http://" + at.String()
	if secure {
		base = "https://" + at.String()
	}
	body, err := fetch(ctx, client, base+"/json/version", host)
	if err != nil {
		return endpoint{}, err
	}
	if e := versionOf(body); e.what != "" {
		return e, nil
	}
	// Old endpoints, and those of phones, only list their pages.
	if body, err = fetch(ctx, client, base+"/json", host); err != nil {
		return endpoint{}, err
	}
	return parseTargetList(body), nil
}

// fetch reads an address.
func fetch(ctx context.Context, client *http.Client, address, host string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Host = host
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
}

// versionOf reads the answer to /json/version.
func versionOf(body []byte) endpoint {
	var v struct {
		Browser  string `json:"Browser"`
		Protocol string `json:"Protocol-Version"`
		Socket   string `json:"webSocketDebuggerUrl"`
	}
	if json.Unmarshal(body, &v, lenient()) != nil || v.Protocol == "" && v.Socket == "" {
		return endpoint{}
	}
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, v.Browser)
	// Metro, the development server of React Native, has an endpoint besides the pages that it serves.
	e := endpoint{what: "the debugging endpoint of a program", alsoPages: v.Browser == "Mobile JavaScript"}
	if name != "" {
		e.what = "the debugging endpoint of " + policy.Text(name[:min(len(name), 60)])
	}
	return e
}

// parseTargetList reads the answer to /json, a list of what can be debugged.
func parseTargetList(body []byte) endpoint {
	var pages []struct {
		Socket   string `json:"webSocketDebuggerUrl"`
		Frontend string `json:"devtoolsFrontendUrl"`
	}
	if json.Unmarshal(body, &pages, lenient()) != nil {
		return endpoint{}
	}
	for _, p := range pages {
		if p.Socket != "" || p.Frontend != "" {
			return endpoint{what: "the debugging endpoint of a program"}
		}
	}
	return endpoint{}
}

func lenient() json.Options {
	return json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}
