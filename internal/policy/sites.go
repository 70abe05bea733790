package policy

import (
	"context"
	"net/netip"
	neturl "net/url"
	"path/filepath"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// The site guard decides which addresses a session may open, and which pages it may read or act on. It decides by the
// address alone and by the addresses that a name resolves to; the caller provides the resolver.
//
// Addresses are parsed as browsers do (the URL standard of the WHATWG): an address that looks harmless to another
// parser may not be, as in http:\\169.254.169.254, http://0xA9FEA9FE or http://a@b@10.0.0.1. An address that cannot be
// parsed is refused, and so is a name that does not resolve: a check that cannot run is no check.

// Sites is one guard. The zero Sites refuses what the built-in rules refuse and, without a resolver, every name.
type Sites struct {
	// Private allows private and internal addresses: the browser is on this machine, or the user allowed it.
	Private bool
	// Proxied reports whether a proxy resolves names, so that a name that does not resolve here may be valid.
	Proxied bool
	// Blocked are the user's blocked sites; nil for none.
	Blocked *Blocklist
	// BlocklistErr is why the list of blocked sites could not be read. It is unknown what it would have blocked, so
	// everything is refused.
	BlocklistErr error
	// Domains are the session's allowed domains; nil for all. Others are refused before anything is asked about them.
	Domains *Domains
	// App is the executable of the app that the session uses as its browser; empty for a browser. Its own pages may be
	// loaded: files of its directory for resources, as Electron has it, and schemes that it has added.
	App string
	// Resolve returns the addresses of a host name. It is called for names only, never for an address.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Debugger returns a description of a server's debugging endpoint, "" for none. It is called last, for what nothing
	// else refuses; nil skips the check.
	Debugger func(ctx context.Context, to Server) string
}

// Refusal is the refusal of an address.
type Refusal struct {
	// URL is the address without secrets, Host its host; empty if it has none.
	URL, Host string
	// Rule is the rule that refuses it: one of the names below, or a line of the blocklist.
	Rule string
	// Source is where the rule is defined: "built in", or the position of the blocklist's line.
	Source string
	// Why is the reason, a sentence without its subject, which is the address.
	Why string
	// Next is the next step; may be empty.
	Next string
}

// Error implements error.
func (r *Refusal) Error() string { return "the site guard refuses " + r.URL + ": " + r.Why }

// The built-in rules.
const (
	RuleSecret   = "secret"     // the address contains what looks like a key
	RuleURL      = "unreadable" // it cannot be parsed
	RuleScheme   = "scheme"
	RuleDomains  = "allowed_domains"
	RuleMetadata = "cloud_metadata"
	RulePrivate  = "private_address"
	RuleDNS      = "unresolved"
	RuleBroken   = "blocklist_unreadable"
)

// BuiltIn is the source of the built-in rules.
const BuiltIn = "built in"

// Open judges an address that is to be opened.
func (s *Sites) Open(ctx context.Context, url string) *Refusal {
	if begin := secretIn(url); begin != "" {
		return secretRefused(url, begin)
	}
	u, r := parseWrapped(url)
	if r != nil {
		return r
	}
	// What is made of other letters for the same may be a key after all.
	if begin := secretIn(u.Href(false)); begin != "" {
		return secretRefused(url, begin)
	}
	switch {
	case u.Scheme() == "about" && (u.Pathname() == "blank" || u.Pathname() == "srcdoc"), u.Scheme() == "data":
		return nil
	}
	return s.site(ctx, url, u)
}

// secretRefused repeats nothing of the address but where it leads: the key may stand in it in any spelling.
func secretRefused(url, begin string) *Refusal {
	r := &Refusal{URL: "the address", Rule: RuleSecret, Source: BuiltIn, Why: "it contains what looks like a secret key (" + begin + "…), which the server would receive",
		Next: "Remove the key from the address."}
	if u, refused := parseWrapped(url); refused == nil && u.Hostname() != "" && secretIn(u.Hostname()) == "" {
		r.Host = u.Hostname()
		r.URL = u.Scheme() + "://" + r.Host + "/…"
	}
	return r
}

// Loaded judges the address of a present document: whether it may be read and acted on. The browser's own empty and error
// pages are allowed; its settings and its developer tools are refused, because they control the whole browser. A
// document without an address is the initial empty one of a tab or frame.
func (s *Sites) Loaded(ctx context.Context, url string) *Refusal {
	if url == "" {
		return nil
	}
	u, r := parseWrapped(url)
	if r != nil {
		return r
	}
	switch u.Scheme() {
	case "about", "data", "chrome-error", "chrome-search":
		return nil
	case "chrome":
		switch u.Hostname() {
		case "newtab", "new-tab-page", "new-tab-page-third-party", "chromewebdata":
			return nil
		}
	}
	if s.App != "" && ofApp(u, s.App) {
		return nil
	}
	return s.site(ctx, url, u)
}

// ofApp reports whether an address is one of an app's own pages.
func ofApp(u *whatwg.Url, executable string) bool {
	scheme := u.Scheme()
	switch {
	case scheme == "http", scheme == "https", scheme == "ftp", scheme == "devtools", scheme == "edge", scheme == "brave", strings.HasPrefix(scheme, "chrome"):
		return false
	case scheme != "file":
		return true
	case u.Hostname() != "":
		return false
	}
	path, err := neturl.PathUnescape(u.Pathname())
	if err != nil {
		return false
	}
	if rest := strings.TrimPrefix(path, "/"); filepath.VolumeName(rest) != "" { // /C:/x on Windows
		path = rest
	}
	dir := filepath.Dir(executable)
	for _, resources := range []string{filepath.Join(dir, "resources"), filepath.Join(filepath.Dir(dir), "Resources")} { // the latter on macOS
		if under, err := filepath.Rel(resources, filepath.Clean(filepath.FromSlash(path))); err == nil && filepath.IsLocal(under) {
			return true
		}
	}
	return false
}

// wrapped are the schemes around other addresses, as view-source:https://example.com.
var wrapped = [...]string{"view-source", "blob", "filesystem"}

// parseWrapped parses an address and takes off what is wrapped around it.
func parseWrapped(url string) (*whatwg.Url, *Refusal) {
	inner := url
	for range 5 {
		u, err := whatwg.Parse(inner)
		if err != nil {
			break
		}
		wrapper := ""
		for _, w := range wrapped {
			if u.Scheme() == w {
				wrapper = w
			}
		}
		if wrapper == "" {
			return u, nil
		}
		inner = strings.TrimPrefix(u.Href(false), wrapper+":")
	}
	return nil, &Refusal{URL: Text(url), Rule: RuleURL, Source: BuiltIn, Why: "it cannot be parsed"}
}

// site judges where an address on the network leads.
func (s *Sites) site(ctx context.Context, url string, u *whatwg.Url) *Refusal {
	refuse := func(host, rule, source, why, next string) *Refusal {
		return &Refusal{URL: Text(url), Host: host, Rule: rule, Source: source, Why: why, Next: next}
	}
	switch u.Scheme() {
	case "http", "https":
	case "file":
		return refuse("", RuleScheme, BuiltIn, "file: addresses are not allowed", "")
	default:
		return refuse("", RuleScheme, BuiltIn, "the scheme "+u.Scheme()+": is not http or https", "")
	}
	host := plainHost(u.Hostname())
	if r := s.Domains.Judge(u.Href(false), false); r != nil {
		return refuse(host, RuleDomains, "--allowed-domains", host+" is not in the list of allowed domains", "")
	}
	if s.BlocklistErr != nil {
		return refuse(host, RuleBroken, s.BlocklistErr.Error(), "the list of blocked sites cannot be used ("+s.BlocklistErr.Error()+"), so every site is refused",
			"Fix the list, or disable it with --blocklist=false.")
	}
	if host == "" {
		return refuse("", RuleURL, BuiltIn, "it has no host", "")
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		if r := s.Address(host, ip); r != nil {
			r.URL = Text(url)
			return r
		}
		return s.debugger(ctx, url, u, ip)
	}
	if metadataName(host) {
		return refuse(host, RuleMetadata, BuiltIn, "it is a cloud metadata service", "")
	}
	local := host == "localhost" || strings.HasSuffix(host, ".localhost") // RFC 6761: loopback, independent of a resolver
	if local && !s.Private {
		return refuse(host, RulePrivate, BuiltIn, "it is "+Loopback+" of the machine the browser runs on", allowPrivate)
	}
	if r := s.listed(url, host); r != nil {
		return r
	}
	if local {
		loopback := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
		for _, ip := range loopback { // the blocklist may have them
			if r := s.Address(host, ip); r != nil {
				r.URL = Text(url)
				return r
			}
		}
		return s.debugger(ctx, url, u, loopback...)
	}
	addresses, r := s.resolved(ctx, url, host)
	if r != nil {
		return r
	}
	return s.debugger(ctx, url, u, addresses...)
}

const allowPrivate = "If the internal network is meant, allow it with --allow-private-urls."

// listed searches the blocklist for a host.
func (s *Sites) listed(url, host string) *Refusal {
	rule, source, found := s.Blocked.Match(host)
	if !found {
		return nil
	}
	return &Refusal{URL: Text(url), Host: host, Rule: rule, Source: source, Why: host + " is on the list of blocked sites (" + rule + ", from " + source + ")"}
}

// resolved judges every address that a name has, and returns them.
func (s *Sites) resolved(ctx context.Context, url, host string) ([]netip.Addr, *Refusal) {
	refuse := func(why string) ([]netip.Addr, *Refusal) {
		return nil, &Refusal{URL: Text(url), Host: host, Rule: RuleDNS, Source: BuiltIn, Why: why, Next: "Check the name. The guard must resolve it before it is opened."}
	}
	if s.Resolve == nil {
		if s.Proxied {
			return nil, nil
		}
		return refuse("there is no resolver for " + host)
	}
	addresses, err := s.Resolve(ctx, host)
	switch {
	case err != nil && s.Proxied:
		return nil, nil
	case err != nil:
		return refuse(host + " does not resolve: " + err.Error())
	case len(addresses) == 0 && !s.Proxied:
		return refuse(host + " has no address")
	}
	for _, ip := range addresses {
		if r := s.Address(host, ip); r != nil {
			r.URL = Text(url)
			return nil, r
		}
	}
	return addresses, nil
}

// Address judges one network address of a host before a connection to it.
func (s *Sites) Address(host string, ip netip.Addr) *Refusal {
	named := host
	if strings.Trim(host, "[]") != ip.String() {
		named = host + ", which is " + ip.String() + ","
	}
	if r := metadata(host, named, ip); r != nil {
		return r
	}
	if rule, source, found := s.Blocked.MatchAddress(ip); found {
		return &Refusal{URL: host, Host: host, Rule: rule, Source: source, Why: named + " is on the list of blocked sites (" + rule + ", from " + source + ")"}
	}
	if s.Private {
		return nil
	}
	for _, is := range inside(ip) {
		if kind := privateKind(is); kind != "" {
			return &Refusal{URL: host, Host: host, Rule: RulePrivate, Source: BuiltIn, Why: named + " is " + kind, Next: allowPrivate}
		}
	}
	return nil
}

// Connected judges the network address that a document came from, as the browser reports it. Refused are metadata services
// and debugging endpoints, and, without a known proxy, the user's blocked sites. Private addresses are not: a browser
// on another machine may have a proxy in its own network, whose address is then reported. A text that is no address is
// allowed.
func (s *Sites) Connected(ctx context.Context, url, from string) *Refusal {
	ip, err := netip.ParseAddr(from)
	if err != nil {
		return nil //nolint:nilerr // what is no address has no destination
	}
	named := "it came from " + from + ", which"
	r := metadata(from, named, ip)
	if rule, source, found := s.Blocked.MatchAddress(ip); r == nil && found && !s.Proxied {
		r = &Refusal{Host: from, Rule: rule, Source: source, Why: named + " is on the list of blocked sites (" + rule + ", from " + source + ")"}
	}
	if r != nil {
		r.URL = Text(url)
		return r
	}
	if u, r := parseWrapped(url); r == nil && !s.Proxied {
		return s.debugger(ctx, url, u, ip)
	}
	return nil
}

// metadata refuses an address where a cloud hands out credentials; named is how the sentence begins.
func metadata(host, named string, ip netip.Addr) *Refusal {
	if !metadataAddress(ip) {
		return nil
	}
	return &Refusal{URL: host, Host: host, Rule: RuleMetadata, Source: BuiltIn, Why: named + " is a cloud metadata service"}
}
