package policy

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// Loopback lists the loopback addresses and names.
const Loopback = "a loopback address"

// metadataName reports whether a host is known as a cloud's metadata service, which returns credentials.
func metadataName(host string) bool {
	switch host {
	case "metadata", "instance-data": // short for Google's and Amazon's
		return true
	}
	for _, name := range [...]string{
		"metadata.google.internal", "metadata.goog", "instance-data.ec2.internal", "metadata.tencentyun.com",
		"api.metadata.cloud.ibm.com", "metadata.packet.net", "metadata.platformequinix.com", "metadata.exoscale.com",
	} {
		if host == name || strings.HasSuffix(host, "."+name) {
			return true
		}
	}
	return false
}

// special are the ranges that lead into a machine, a network or a cloud rather than to the public.
type special struct {
	metadata []netip.Prefix
	exact    [][4]byte // those of IPv4 that answer; an address of IPv6 contains one only by a chance of one in ten million
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
			p("100.96.0.96/32"),         // Volcengine
			p("100.80.80.80/32"),        // UCloud
			p("fd00:a9fe:a9fe::/48"),    // Linode over IPv6
			p("fd00:c1::a9fe:a9fe/128"), // Oracle over IPv6
		},
		exact: [][4]byte{
			{169, 254, 169, 254}, {169, 254, 170, 2}, {169, 254, 170, 23}, {169, 254, 0, 23}, {169, 254, 42, 42}, {100, 100, 100, 200},
			{168, 63, 129, 16}, {192, 0, 0, 192}, {100, 96, 0, 96}, {100, 80, 80, 80},
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

// metadataAddress reports whether an address, or one that it stands for, hands out what a cloud's machines may do.
func metadataAddress(ip netip.Addr) bool {
	for _, is := range inside(ip) {
		for _, p := range specials().metadata {
			if p.Contains(is) {
				return true
			}
		}
	}
	return holdsMetadata(ip)
}

// holdsMetadata reports whether an address of IPv6 contains one of those addresses of IPv4: a network's translator may
// have any prefix, of any of six lengths, and leaves out byte 8 or not (RFC 6052, section 2.2). One in ten million
// addresses contains one of them by chance.
func holdsMetadata(ip netip.Addr) bool {
	if ip.Is4() {
		return false
	}
	b := ip.As16()
	for i := range 13 {
		direct := [4]byte(b[i : i+4])
		found := [][4]byte{direct, inverted(direct)} // Teredo turns the bits over
		if around, ok := aroundByte8(b, i); ok {
			found = append(found, around)
		}
		for _, four := range found {
			if slices.Contains(specials().exact, four) {
				return true
			}
		}
	}
	return false
}

func inverted(b [4]byte) [4]byte { return [4]byte{^b[0], ^b[1], ^b[2], ^b[3]} }

// aroundByte8 reads an address of IPv4 that begins at byte i, without byte 8, which RFC 6052 reserves.
func aroundByte8(b [16]byte, i int) (four [4]byte, ok bool) {
	if i < 5 || i > 7 {
		return four, false
	}
	n := copy(four[:], b[i:8])
	copy(four[n:], b[9:])
	return four, true
}

// privateKind returns the kind of an address that is not public, "" for one that is.
func privateKind(ip netip.Addr) string {
	for _, p := range specials().private {
		if p.Contains(ip) {
			return p.kind
		}
	}
	return ""
}

// inside returns an address, and the addresses of IPv4 in it: mapped (::ffff:1.2.3.4), compatible (::1.2.3.4),
// translated (::ffff:0:1.2.3.4), behind a translator (64:ff9b::1.2.3.4, and every position that RFC 6052 has for it in
// 64:ff9b:1::/48), or the end of a tunnel (2002:0102:0304::, 2001:0::, ISATAP's ::5efe:1.2.3.4).
func inside(ip netip.Addr) []netip.Addr {
	ip = ip.WithZone("")
	if ip.Is4() {
		return []netip.Addr{ip}
	}
	if ip.Is4In6() {
		return []netip.Addr{ip.Unmap()}
	}
	b := ip.As16()
	four := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	begins := func(prefix ...byte) bool { return string(b[:len(prefix)]) == string(prefix) }
	out := []netip.Addr{ip}
	switch zero := make([]byte, 8); {
	case begins(append(zero, 0, 0, 0, 0)...) && !ip.IsUnspecified() && !ip.IsLoopback(), begins(append(zero, 0xff, 0xff, 0, 0)...),
		begins(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0):
		out = append(out, four(12))
	case begins(0, 0x64, 0xff, 0x9b, 0, 1):
		out = append(out, translated(b)...)
	case begins(0x20, 0x02):
		out = append(out, four(2))
	case begins(0x20, 0x01, 0, 0): // Teredo stores the client's address with its bits inverted
		out = append(out, four(4), netip.AddrFrom4(inverted([4]byte(b[12:]))))
	}
	if b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe { // ISATAP, in any network (RFC 5214)
		out = append(out, four(12))
	}
	return out
}

// translated returns the possible IPv4 addresses of an address in 64:ff9b:1::/48: the operator of the translator has
// chosen a prefix of 48, 56, 64 or 96 bits there. A position that would yield 0.x.x.x is that of a prefix or of what
// follows the address, unless all do.
func translated(b [16]byte) []netip.Addr {
	last := [4]byte(b[12:])
	places := [][4]byte{last, [4]byte(b[9:13])}
	for i := 6; i <= 7; i++ {
		at, _ := aroundByte8(b, i)
		places = append(places, at)
	}
	var out []netip.Addr
	for _, at := range places {
		if at[0] != 0 {
			out = append(out, netip.AddrFrom4(at))
		}
	}
	if out == nil {
		return []netip.Addr{netip.AddrFrom4(last)}
	}
	return out
}
