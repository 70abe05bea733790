package policy

import (
	"errors"
	"fmt"
	"net"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// Domains is the list of the hosts that a session may reach (--allowed-domains). An entry is
//
//	example.com       that host
//	*.example.com     that host and every one below it
//	127.0.0.1, [::1]  an address
//	example.com:8443  one port of a host; without a port, every port
//
// It does not change after [ParseDomains].
type Domains struct {
	words []string
	rules []domain
}

type domain struct {
	host  string
	below bool
	port  string // empty for every port
}

// ParseDomains parses the entries of a list. An empty list is an error: it would allow nothing.
func ParseDomains(words []string) (*Domains, error) {
	if len(words) == 0 {
		return nil, errors.New("the list of allowed domains is empty")
	}
	d := &Domains{words: words}
	for _, word := range words {
		rule, err := parseDomain(word)
		if err != nil {
			return nil, err
		}
		d.rules = append(d.rules, rule)
	}
	return d, nil
}

func parseDomain(word string) (domain, error) {
	bad := fmt.Errorf("%q is not a domain: write a host (example.com), a host with all below it (*.example.com), or an address", word)
	rest, below := strings.CutPrefix(strings.ToLower(word), "*.")
	if strings.Contains(rest, "://") {
		host, err := hostOf(rest)
		if err != nil {
			return domain{}, bad
		}
		return domain{}, fmt.Errorf("%q is an address of a page: write its host, %s", word, host)
	}
	if rest == "" || strings.ContainsAny(rest, "*/@?# \t") {
		return domain{}, bad
	}
	if ip, err := addressOf(rest); err == nil && !below {
		return domain{host: ip.Unmap().String()}, nil
	}
	port := ""
	if i := strings.LastIndexByte(rest, ':'); i >= 0 {
		rest, port = rest[:i], rest[i+1:]
		if port == "" || strings.Trim(port, "0123456789") != "" {
			return domain{}, bad
		}
	}
	name, err := hostOf(rest)
	if err != nil {
		return domain{}, bad
	}
	if ip, err := addressOf(name); err == nil {
		if below {
			return domain{}, bad
		}
		name = ip.Unmap().String()
	}
	return domain{name, below, port}, nil
}

// Words returns the entries as they were given.
func (d *Domains) Words() []string { return d.words }

// String returns the entries with commas between them.
func (d *Domains) String() string { return strings.Join(d.words, ", ") }

// Allows reports whether the list has a host, which may have the brackets of IPv6, at a port. A nil list has none.
func (d *Domains) Allows(host, port string) bool {
	if d == nil {
		return false
	}
	host = plainHost(host)
	if ip, err := addressOf(host); err == nil {
		host = ip.Unmap().String()
	}
	for _, rule := range d.rules {
		if rule.port != "" && rule.port != port {
			continue
		}
		if host == rule.host || rule.below && strings.HasSuffix(host, "."+rule.host) {
			return true
		}
	}
	return false
}

// DomainError is a refusal by a list of allowed domains.
type DomainError struct {
	URL string
	// Host is the host of the address, with its port if the address has one that is not its scheme's; empty for an address
	// without a host.
	Host string
	// Scheme is that of the address, without the colon.
	Scheme  string
	Allowed *Domains
}

// Error returns the refusal without the list.
func (e *DomainError) Error() string {
	if e.Host == "" {
		return e.Scheme + ": addresses are not allowed while the domains of a session are restricted"
	}
	return "Domain '" + e.Host + "' is not in the allowed domains list"
}

// Judge returns the refusal of an address, nil if it may be opened. Addresses without a request (about:, data:, blob:) are
// allowed, because whatever their documents request is judged again. file: is allowed with files. Every other scheme is
// refused. A nil list refuses nothing.
func (d *Domains) Judge(address string, files bool) *DomainError {
	if d == nil {
		return nil
	}
	u, err := whatwg.Parse(address)
	if err != nil {
		return &DomainError{URL: address, Scheme: "invalid", Allowed: d}
	}
	scheme := strings.TrimSuffix(u.Protocol(), ":")
	switch scheme {
	case "about", "data", "blob":
		return nil
	case "file":
		if files {
			return nil
		}
	case "http", "https", "ws", "wss":
		port := u.Port()
		if port == "" {
			port = defaultPort(scheme)
		}
		if d.Allows(u.Hostname(), port) {
			return nil
		}
		host := strings.Trim(u.Hostname(), "[]")
		if u.Port() != "" && d.namesPort(host) {
			host = net.JoinHostPort(host, u.Port())
		}
		return &DomainError{URL: address, Host: host, Scheme: scheme, Allowed: d}
	}
	return &DomainError{URL: address, Scheme: scheme, Allowed: d}
}

// namesPort reports whether the list has the host with another port, so that the port is the reason of a refusal.
func (d *Domains) namesPort(host string) bool {
	for _, rule := range d.rules {
		if rule.port != "" && d.Allows(host, rule.port) {
			return true
		}
	}
	return false
}

func defaultPort(scheme string) string {
	if scheme == "https" || scheme == "wss" {
		return "443"
	}
	return "80"
}
