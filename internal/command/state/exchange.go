package state

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
)

// CookieHeader returns the header Cookie of a request that this machine sends in place of the browser; empty for none.
// Partitioned cookies are not sent: there is no page around such a request.
func CookieHeader(ctx context.Context, e *run.Env, address string) (string, error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return "", err
	}
	list, err := jarOf(e).sentTo(ctx, tab, address)
	if err != nil {
		return "", e.Explain(err, "cookies")
	}
	var pairs []string
	for i := range list {
		if c := &list[i]; c.PartitionKey == "" {
			pairs = append(pairs, c.Name+"="+c.Value)
		}
	}
	return strings.Join(pairs, "; "), nil
}

// KeepCookies sets the cookies of the answer to such a request. Those that a browser would not take from this address are left out.
func KeepCookies(ctx context.Context, e *run.Env, from *url.URL, header http.Header) error {
	answer := http.Response{Header: header}
	for _, sent := range answer.Cookies() {
		c, ok := received(sent, from, time.Now())
		if !ok {
			continue
		}
		err := jarOf(e).set(ctx, c.browser())
		var refused *cdp.Error
		if errors.As(err, &refused) && refused.Code != cdp.CodeUserRefused {
			continue // the browser would not take it from a server, either
		}
		if err != nil {
			return e.Explain(err, "cookies")
		}
	}
	return nil
}

// received returns a cookie of a response as it is to be kept; false for one of another site, and for one that only a secure connection
// may set.
func received(c *http.Cookie, from *url.URL, now time.Time) (Cookie, bool) {
	host := strings.ToLower(from.Hostname())
	out := Cookie{Name: c.Name, Value: c.Value, Domain: host, Path: c.Path, Expires: -1, HTTPOnly: c.HttpOnly, Secure: c.Secure, SameSite: sameSites[c.SameSite]}
	domain := strings.ToLower(strings.TrimPrefix(c.Domain, "."))
	suffix, _ := publicsuffix.PublicSuffix(domain)
	alone := net.ParseIP(host) != nil || suffix == domain // no hosts below it share the cookie
	switch {
	case domain == "", domain == host && alone:
	case alone, domain != host && !strings.HasSuffix(host, "."+domain):
		return out, false
	default:
		out.Domain = "." + domain
	}
	if !strings.HasPrefix(out.Path, "/") {
		out.Path = defaultPath(from.Path)
	}
	switch {
	case c.MaxAge < 0:
		out.Expires = 1
	case c.MaxAge > 0:
		out.Expires = float64(now.Add(time.Duration(c.MaxAge) * time.Second).Unix())
	case !c.Expires.IsZero():
		out.Expires = max(1, float64(c.Expires.Unix()))
	}
	return out, !c.Secure || from.Scheme == "https" || loopback(host)
}

var sameSites = map[http.SameSite]string{http.SameSiteLaxMode: "Lax", http.SameSiteStrictMode: "Strict", http.SameSiteNoneMode: "None"}

// defaultPath is the path of a cookie that names none (RFC 6265, section 5.1.4).
func defaultPath(of string) string {
	if i := strings.LastIndexByte(of, '/'); i > 0 && of[0] == '/' {
		return of[:i]
	}
	return "/"
}

// loopback reports whether a host is this machine: its connections count as secure.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
