package policy

import (
	"net/netip"
	"strings"
	"sync"
)

// Loopback names the addresses at which a machine speaks to itself.
const Loopback = "a loopback address"

// metadataName says that a host is known to hand out what a cloud's machines may do.
func metadataName(host string) bool {
	for _, name := range [...]string{"metadata.google.internal", "metadata.goog"} {
		if host == name || strings.HasSuffix(host, "."+name) {
			return true
		}
	}
	return false
}

// special are the ranges that lead into a machine, a network or a cloud rather than to the public.
type special struct {
	metadata []netip.Prefix
	private  []privateRange
}

type privateRange struct {
	netip.Prefix
	kind string
}

var specials = sync.OnceValue(func() special {
	p := netip.MustParsePrefix
	return special{
		metadata: []netip.Prefix{
			p("169.254.0.0/16"),         // link-local: 169.254.169.254 nearly everywhere, .170.2 for containers of Amazon's
			p("100.100.100.200/32"),     // Alibaba
			p("fd00:ec2::/32"),          // Amazon over IPv6: ::254, ::23
			p("fe80::a9fe:a9fe/128"),    // OpenStack over IPv6
			p("fd20:ce::254/128"),       // Google over IPv6
			p("168.63.129.16/32"),       // Azure's wire server
			p("fd00:42::42/128"),        // Scaleway over IPv6
			p("192.0.0.192/32"),         // Oracle
			p("fd00:c1::a9fe:a9fe/128"), // Oracle over IPv6
		},
		private: []privateRange{
			{p("127.0.0.0/8"), Loopback}, {p("::1/128"), Loopback},
			{p("10.0.0.0/8"), inPrivate}, {p("172.16.0.0/12"), inPrivate}, {p("192.168.0.0/16"), inPrivate}, {p("fc00::/7"), inPrivate}, {p("fec0::/10"), inPrivate},
			{p("100.64.0.0/10"), "an address inside a provider's network (RFC 6598)"},
			{p("fe80::/10"), "a link-local address"},
			{p("0.0.0.0/8"), "an address that means this machine or network"}, {p("::/128"), "an address that means this machine or network"},
			{p("224.0.0.0/4"), "a multicast address"}, {p("ff00::/8"), "a multicast address"},
			{p("192.0.0.0/24"), reserved}, {p("192.0.2.0/24"), reserved}, {p("198.18.0.0/15"), reserved}, {p("198.51.100.0/24"), reserved},
			{p("203.0.113.0/24"), reserved}, {p("240.0.0.0/4"), reserved}, {p("100::/64"), reserved}, {p("2001:db8::/32"), reserved}, {p("3fff::/20"), reserved},
		},
	}
})

const (
	inPrivate = "an address inside a private network"
	reserved  = "a reserved address"
)

func metadataAddress(ip netip.Addr) bool {
	for _, p := range specials().metadata {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}

// privateKind says what an address is that does not lead to the public, "" for one that does.
func privateKind(ip netip.Addr) string {
	for _, p := range specials().private {
		if p.Contains(ip) {
			return p.kind
		}
	}
	return ""
}

// inside returns an address, and the one of IPv4 that it stands for: mapped (::ffff:1.2.3.4), compatible (::1.2.3.4), behind a
// translator (64:ff9b::1.2.3.4 and its local-use range) or a tunnel (2002:0102:0304::, 2001:0::).
func inside(ip netip.Addr) []netip.Addr {
	ip = ip.WithZone("")
	if ip.Is4() {
		return []netip.Addr{ip}
	}
	b := ip.As16()
	four := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	begins := func(prefix ...byte) bool { return string(b[:len(prefix)]) == string(prefix) }
	switch {
	case ip.Is4In6():
		return []netip.Addr{ip.Unmap()}
	case begins(make([]byte, 12)...) && !ip.IsUnspecified() && !ip.IsLoopback(), begins(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0), begins(0, 0x64, 0xff, 0x9b, 0, 1):
		return []netip.Addr{ip, four(12)}
	case begins(0x20, 0x02):
		return []netip.Addr{ip, four(2)}
	case begins(0x20, 0x01, 0, 0): // Teredo keeps the client's address with its bits turned over
		client := b[12:]
		return []netip.Addr{ip, four(4), netip.AddrFrom4([4]byte{^client[0], ^client[1], ^client[2], ^client[3]})}
	}
	return []netip.Addr{ip}
}
