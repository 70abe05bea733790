package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/publicsuffix"
)

// Blocklist is a list of blocked sites. A line is
//
//	example.com        that host and every one below it; a leading www. is ignored unless the rest is a public
//	                   suffix, as in www.com
//	*.example.com      only those below it
//	ads*.example.com   hosts in which * stands for any text
//	https://example.com/login    the host of the address
//	10.0.0.5, fd00::5  an address, in any notation, and every name that resolves to it
//	10.0.0.0/8         every address in that range, and every name that resolves into it
//	0.0.0.0 example.com          the hosts that follow, as in a hosts file
//	# anything         a comment, also behind a rule
type Blocklist struct {
	hosts  map[string]blocked
	below  map[string]blocked
	globs  []globbed
	single map[netip.Addr]blocked
	ranges []ranged
}

type blocked struct{ rule, source string }

type globbed struct {
	Pattern
	blocked
}

type ranged struct {
	netip.Prefix
	blocked
}

// Add parses the lines of one source. The error has the first line that is no rule: an incomplete list would not
// protect.
func (b *Blocklist) Add(source string, lines ...string) error {
	for i, line := range lines {
		where := source
		if len(lines) > 1 {
			where = fmt.Sprintf("%s:%d", source, i+1)
		}
		rule, _, _ := strings.Cut(strings.TrimSpace(line), " #")
		rule, _, _ = strings.Cut(rule, "\t#")
		rule = strings.TrimSpace(strings.TrimPrefix(rule, "\ufeff"))
		if rule == "" || rule[0] == '#' {
			continue
		}
		if err := b.add(rule, where); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

func (b *Blocklist) add(rule, source string) error {
	if b.hosts == nil {
		b.hosts, b.below, b.single = map[string]blocked{}, map[string]blocked{}, map[netip.Addr]blocked{}
	}
	hosts := []string{rule}
	if fields := strings.Fields(rule); len(fields) > 1 {
		if sink, err := netip.ParseAddr(fields[0]); err == nil {
			hosts = fields[1:]
			if _, err := addressOf(hosts[0]); err == nil && !sink.IsUnspecified() && !sink.IsLoopback() {
				return fmt.Errorf("%q has two addresses: write one per line", rule)
			}
		}
	}
	for _, host := range hosts {
		if err := b.addHost(host, blocked{rule, source}); err != nil {
			return fmt.Errorf("%q %w", rule, err)
		}
	}
	return nil
}

// Errors about rules; their subject is before them.
var (
	errNoHost    = errors.New("is neither a host nor an address with a host")
	errNoPattern = errors.New("is neither a host nor a host pattern")
	errNoRange   = errors.New("is not an address range: write it as 10.0.0.0/8 or fd00::/8")
	errBelow     = errors.New("is an address, which has no subdomains: write a range as 10.0.0.0/8")
)

func (b *Blocklist) addHost(host string, is blocked) error {
	if done, err := b.addAddress(host, is); done || err != nil {
		return err
	}
	rest, below := strings.CutPrefix(host, "*.")
	if strings.Contains(rest, "*") {
		return b.addPattern(host, is)
	}
	name, err := hostOf(rest)
	if err != nil {
		return errNoHost
	}
	ip, noAddress := addressOf(name)
	switch {
	case noAddress == nil && below:
		return errBelow
	case noAddress == nil && !strings.Contains(host, "://") && looksLikeRange(host):
		return errNoRange
	case noAddress == nil:
		b.addSingle(ip, is)
	case below:
		b.below[name] = is
	default:
		b.hosts[withoutWWW(name)] = is
	}
	return nil
}

// addAddress adds what is written as an address or a range of them; done is false for what is not.
func (b *Blocklist) addAddress(host string, is blocked) (done bool, err error) {
	if ip, err := addressOf(host); err == nil {
		b.addSingle(ip, is)
		return true, nil
	}
	from, bits, ok := strings.Cut(host, "/")
	if !ok {
		return false, nil
	}
	ip, err := addressOf(from)
	if err != nil {
		return false, nil //nolint:nilerr // then it is something else
	}
	p, err := netip.ParsePrefix(ip.String() + "/" + bits)
	if err != nil {
		if looksLikeRange(host) {
			return false, errNoRange
		}
		return false, nil
	}
	if ip.Is4In6() { // it is a range of IPv4
		if p.Bits() < 96 {
			return false, errNoRange
		}
		p = netip.PrefixFrom(ip.Unmap(), p.Bits()-96)
	}
	b.ranges = append(b.ranges, ranged{p.Masked(), is})
	return true, nil
}

// looksLikeRange reports whether behind a slash there are only numbers: then it is not meant as a path.
func looksLikeRange(host string) bool {
	_, bits, ok := strings.Cut(host, "/")
	return ok && bits != "" && strings.Trim(bits, "0123456789.:-/") == ""
}

// addSingle adds an address, and the one of IPv4 that is the same host.
func (b *Blocklist) addSingle(ip netip.Addr, is blocked) {
	b.single[ip.WithZone("").Unmap()] = is
	if all := inside(ip); len(all) == 2 && !tunnels(ip) {
		b.single[all[1]] = is
	}
}

// tunnels reports whether the address of IPv4 within is that of a tunnel's end, behind which there are other hosts.
func tunnels(ip netip.Addr) bool {
	return netip.PrefixFrom(ip, 16).Masked().Addr() == netip.MustParseAddr("2002::")
}

// addPattern adds a rule with a * that is not its first label.
func (b *Blocklist) addPattern(host string, is blocked) error {
	if strings.ContainsAny(host, "/:@?# \t") {
		return errNoPattern
	}
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(host), "."), ".")
	for i, label := range labels {
		if ascii(label) {
			continue
		}
		if strings.Contains(label, "*") {
			return errors.New("has a * in a label with non-ASCII letters: use * for the whole label")
		}
		name, err := hostOf(label)
		if err != nil {
			return errNoPattern
		}
		labels[i] = name
	}
	p, err := parsePattern(strings.Join(labels, "."), false)
	if err != nil {
		return errNoPattern
	}
	b.globs = append(b.globs, globbed{p, is})
	return nil
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f })
}

// withoutWWW returns a host without a leading www., unless the rest is a suffix under which anyone can register a name:
// www.com is a site, com is not.
func withoutWWW(name string) string {
	rest, www := strings.CutPrefix(name, "www.")
	if suffix, _ := publicsuffix.PublicSuffix(rest); !www || suffix == rest {
		return name
	}
	return rest
}

// addressOf reads an address, with or without the brackets of IPv6.
func addressOf(s string) (netip.Addr, error) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok {
			s = inner
		}
	}
	return netip.ParseAddr(s)
}

// hostOf returns the host of an address, or of what is only a host, as browsers spell it.
func hostOf(s string) (string, error) {
	if !strings.Contains(s, "://") {
		if strings.ContainsAny(s, " \t@?#") {
			return "", fmt.Errorf("%q is not a host", s)
		}
		s = "http://" + s
	}
	u, err := whatwg.Parse(s)
	if err != nil {
		return "", err
	}
	host := plainHost(u.Hostname())
	if host == "" {
		return "", fmt.Errorf("%q has no host", s)
	}
	return host, nil
}

// plainHost returns a host in the one spelling that lists and judgements use.
func plainHost(host string) string { return strings.TrimRight(strings.ToLower(host), ".") }

// Len returns the number of rules.
func (b *Blocklist) Len() int {
	if b == nil {
		return 0
	}
	return len(b.hosts) + len(b.below) + len(b.globs) + len(b.single) + len(b.ranges)
}

// Match returns the rule that matches a host. A nil list has none.
func (b *Blocklist) Match(host string) (rule, source string, found bool) {
	if b.Len() == 0 {
		return "", "", false
	}
	host = plainHost(host)
	if ip, err := addressOf(host); err == nil {
		return b.MatchAddress(ip)
	}
	for name, inner := host, false; ; inner = true {
		if is, ok := b.hosts[name]; ok {
			return is.rule, is.source, true
		}
		if is, ok := b.below[name]; ok && inner {
			return is.rule, is.source, true
		}
		_, rest, more := strings.Cut(name, ".")
		if !more {
			break
		}
		name = rest
	}
	return b.matchGlobs(host)
}

// MatchAddress returns the rule that matches an address, in any notation: ::ffff:10.0.0.5 is 10.0.0.5. A nil list has
// none.
func (b *Blocklist) MatchAddress(ip netip.Addr) (rule, source string, found bool) {
	if b.Len() == 0 {
		return "", "", false
	}
	for _, is := range append(inside(ip), ip.WithZone("")) {
		if hit, ok := b.single[is]; ok {
			return hit.rule, hit.source, true
		}
		if i := slices.IndexFunc(b.ranges, func(r ranged) bool { return r.Contains(is) }); i >= 0 {
			return b.ranges[i].rule, b.ranges[i].source, true
		}
		if rule, source, found := b.matchGlobs(is.String()); found {
			return rule, source, true
		}
	}
	return "", "", false
}

func (b *Blocklist) matchGlobs(host string) (rule, source string, found bool) {
	for i := range b.globs {
		if b.globs[i].Match(host) {
			return b.globs[i].rule, b.globs[i].source, true
		}
	}
	return "", "", false
}
