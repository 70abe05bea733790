package policy

import (
	"context"
	"net/netip"
	"strconv"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// RuleDebugger is the rule about debugging endpoints: of a browser, of Node, of an app's web view. A client of one has
// all rights of that program's user, its cookies and files included.
const RuleDebugger = "debugging_endpoint"

// Server is the network destination of an address.
type Server struct {
	// Host is the name or address as it is written, in lower case.
	Host string
	Port uint16
	// Addresses are those of the host; none if a proxy resolves it.
	Addresses []netip.Addr
	// Secure reports whether the connection uses TLS.
	Secure bool
	// Path is the path of the request, beginning with a slash.
	Path string
}

// debugger refuses an address at which a debugging endpoint answers.
func (s *Sites) debugger(ctx context.Context, url string, u *whatwg.Url, addresses ...netip.Addr) *Refusal {
	if s.Debugger == nil {
		return nil
	}
	to := Server{Host: strings.ToLower(strings.TrimSuffix(strings.Trim(u.Hostname(), "[]"), ".")), Addresses: addresses, Secure: u.Scheme() == "https", Path: u.Pathname(), Port: 80}
	if to.Secure {
		to.Port = 443
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return &Refusal{URL: Text(url), Host: to.Host, Rule: RuleURL, Source: BuiltIn, Why: "its port is invalid"}
		}
		to.Port = uint16(n)
	}
	what := s.Debugger(ctx, to)
	if what == "" {
		return nil
	}
	return &Refusal{URL: Text(url), Host: to.Host, Rule: RuleDebugger, Source: BuiltIn,
		Why:  "its port belongs to " + what + ", which gives access to its pages, cookies and files",
		Next: "Ask the person you work for to open the page you need."}
}

// WithoutProbes returns the guard that probes no server: for recorded addresses, of which a page can generate any
// number.
func (s *Sites) WithoutProbes() *Sites {
	quiet := *s
	quiet.Debugger = nil
	return &quiet
}
