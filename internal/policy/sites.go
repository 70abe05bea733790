package policy

import (
	"context"
	"net/netip"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// The site guard decides which addresses a session may open, and which pages it may read or act on. Its answers are made of
// the address alone and of what a name resolves to; who asks does the looking up.
//
// Addresses are taken apart as browsers do (the URL standard of the WHATWG): what looks harmless to another parser may not
// be, as in http:\\169.254.169.254, http://0xA9FEA9FE or http://a@b@10.0.0.1. An address that cannot be taken apart is refused, and
// so is a name that does not resolve: a check that cannot run is no check.

// Sites is one guard. The zero Sites refuses what is refused everywhere and, for want of a resolver, every name.
type Sites struct {
	// Private lets private and internal addresses be reached: the browser is on this machine, or somebody allowed it.
	Private bool
	// Proxied says that a proxy resolves names, so that one that does not resolve here may be fine.
	Proxied bool
	// Blocked are the sites that somebody wrote down; nil for none.
	Blocked *Blocklist
	// Broken says why the list of blocked sites could not be read. Nobody knows what it would have blocked, so everything is.
	Broken error
	// Resolve returns the addresses of a host name. It is asked for names only, never for what is an address already.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Debugger says in words what debugging endpoint a server is, "" for none. It is asked last, of what nothing else refuses;
	// nil asks nobody.
	Debugger func(ctx context.Context, to Server) string
}

// Refusal says why an address is refused.
type Refusal struct {
	// URL is the address without secrets, Host what it leads to; empty where it leads to none.
	URL, Host string
	// Rule names what refuses it: one of the words below, or a line of the blocklist.
	Rule string
	// Source is where the rule stands: "built in", or the place of the blocklist's line.
	Source string
	// Why is a sentence without its subject, which is the address.
	Why string
	// Next is what to do about it; may be empty.
	Next string
}

// Error makes a Refusal an error.
func (r *Refusal) Error() string { return "the site guard refuses " + r.URL + ": " + r.Why }

// The built-in rules.
const (
	RuleSecret   = "secret"     // the address holds what looks like a key
	RuleURL      = "unreadable" // it cannot be taken apart
	RuleScheme   = "scheme"
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
	u, r := takeApart(url)
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
	if u, refused := takeApart(url); refused == nil && u.Hostname() != "" && secretIn(u.Hostname()) == "" {
		r.Host = u.Hostname()
		r.URL = u.Scheme() + "://" + r.Host + "/…"
	}
	return r
}

// Show judges the address of a document that is there: what may be read and acted on. Pages that the browser shows where
// nothing else is are not refused; its settings and its developer tools are, which reach the whole browser. A document
// without an address is the empty one that a tab or frame begins with.
func (s *Sites) Show(ctx context.Context, url string) *Refusal {
	if url == "" {
		return nil
	}
	u, r := takeApart(url)
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
	return s.site(ctx, url, u)
}

// wrapped are the schemes around other addresses, as view-source:https://example.com.
var wrapped = [...]string{"view-source", "blob", "filesystem"}

// takeApart parses an address and takes off what is wrapped around it.
func takeApart(url string) (*whatwg.Url, *Refusal) {
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
	if s.Broken != nil {
		return refuse(host, RuleBroken, s.Broken.Error(), "the list of blocked sites cannot be used ("+s.Broken.Error()+"), so every site is refused",
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
	local := host == "localhost" || strings.HasSuffix(host, ".localhost") // RFC 6761: loopback, whatever a resolver says
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

// listed looks a host up in the blocklist.
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

// Address judges one network address that a host has: what is to be connected to.
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

// Came judges the network address that a document came from, as the browser tells it. Refused is where a cloud hands out
// credentials, and, unless a proxy is known of, what somebody wrote down, and where a debugging endpoint answers. Private
// addresses are not: a browser on another machine may have a proxy in its own network, whose address is then told. A text
// that is no address judges nothing.
func (s *Sites) Came(ctx context.Context, url, from string) *Refusal {
	ip, err := netip.ParseAddr(from)
	if err != nil {
		return nil //nolint:nilerr // what is no address leads nowhere
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
	if u, r := takeApart(url); r == nil && !s.Proxied {
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
