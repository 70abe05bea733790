package doctor

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// network checks the proxies that the browser will use. It sends nothing to other servers: which sites can be reached
// is found by opening them.
func (d *doctor) network(ctx context.Context) {
	const id = "proxy"
	found := false
	if p := d.str("proxy"); p != "" {
		found = true
		d.proxy(ctx, d.set.Value("proxy").Where, p)
	} else {
		seen := map[string]bool{}
		for _, name := range []string{"https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"} {
			value := d.req.Getenv(name)
			if value == "" || seen[value] {
				continue
			}
			found, seen[value] = true, true
			d.proxy(ctx, name, value)
		}
	}
	if !found {
		d.pass(network, id, "none is set; the browser connects directly")
	}
}

// proxy tries to reach one proxy.
func (d *doctor) proxy(ctx context.Context, from, value string) {
	const id = "proxy"
	address, err := proxyAddress(value)
	if err != nil {
		d.fail(network, id, "Write it as http://host:port or socks5://host:port.", "%s is not the address of a proxy: %v", from, err)
		return
	}
	conn, err := (&net.Dialer{Timeout: 3 * time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		d.fail(network, id, "Correct or unset "+from+"; --proxy direct:// bypasses it temporarily.", "%s is set to %s, which does not answer: %v", from, address, err)
		return
	}
	conn.Close()
	d.pass(network, id, "%s is set to %s, which accepts connections", from, address)
}

// proxyAddress returns host and port of a proxy as Chromium parses it: the scheme may be left out, and each has a
// default port. The result never has a password.
func proxyAddress(value string) (string, error) {
	text := value
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		// The text may contain a password, and so may url.Parse's error.
		return "", fmt.Errorf("it has no host")
	}
	port := u.Port()
	if port == "" {
		switch u.Scheme {
		case "https":
			port = "443"
		case "socks", "socks4", "socks5", "socks5h":
			port = "1080"
		default:
			port = "80"
		}
	}
	return net.JoinHostPort(u.Hostname(), port), nil
}
