package policy

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// TestMetadataInside: an address of a cloud's own is refused in every form in which IPv6 can hold it, and addresses that
// only look a little like it are not.
func TestMetadataInside(t *testing.T) {
	t.Parallel()
	local := &Sites{Private: true, Resolve: names}
	for text, refused := range map[string]bool{
		"::ffff:0:169.254.169.254":               true, // SIIT
		"::ffff:0:100.100.100.200":               true,
		"64:ff9b:1:a9fe:a9:fe00::":               true, // RFC 6052, 48 bits
		"64:ff9b:1:12a9:fe:a9fe::":               true, // 56
		"64:ff9b:1:1234:a9:fea9:fe00:0":          true, // 64
		"64:ff9b:1:1234::169.254.169.254":        true, // 96
		"64:ff9b:1::169.254.169.254":             true,
		"64:ff9b:1:a9fe:101::":                   true, // anywhere in the link-local range, where the prefix is known
		"2001:db8:a9fe:a9fe::":                   true, // any prefix: 32
		"2001:db8:12a9:fea9:fe::":                true, // 40
		"2001:db8:122:a9fe:a9:fe00::":            true, // 48
		"2001:db8:122:3a9:fe:a9fe::":             true, // 56
		"2001:db8:122:344:a9:fea9:fe00:0":        true, // 64
		"2001:db8:122:344::169.254.169.254":      true, // 96
		"2001:db8:122:344:ffa9:fea9:fe00:0":      true, // whatever is in the byte that is kept free
		"2001:4860::5efe:169.254.169.254":        true, // ISATAP
		"2001:4860::200:5efe:169.254.169.254":    true,
		"fe80::5efe:169.254.1.1":                 true,
		"2001:db8::5efe:100.100.100.200":         true,
		"2001:0:a9fe:a9fe::":                     true, // Teredo, the server
		"2001:0:4136:e378:8000:63bf:5601:5601":   true, // and the client
		"2001:db8::c000:c0":                      true, // Oracle
		"fd00:a9fe:a9fe::1":                      true, // Linode
		"::ffff:168.63.129.16":                   true,
		"100.96.0.96":                            true,
		"100.80.80.80":                           true,
		"2001:db8::a9fe:101":                     false, // in an unknown prefix only what answers
		"2001:db8::5eff:169.254.1.1":             false,
		"64:ff9b::8.8.8.8":                       false,
		"64:ff9b:1::8.8.8.8":                     false,
		"2606:2800:21f:cb07:6820:80da:af6b:8b2c": false,
		"2002:0808:0808::1":                      false,
		"100.100.100.201":                        false,
		"::ffff:0:8.8.8.8":                       false,
	} {
		ip := netip.MustParseAddr(text)
		address := "http://" + text + "/"
		if ip.Is6() {
			address = "http://[" + text + "]/"
		}
		r := local.Open(t.Context(), address)
		if (r != nil && r.Rule == RuleMetadata) != refused || (r != nil) != refused {
			t.Errorf("%s: %v, want refused %v", text, r, refused)
		}
		if r := local.Connected(t.Context(), "http://rebinds.example/", text); (r != nil) != refused {
			t.Errorf("came from %s: %v, want refused %v", text, r, refused)
		}
	}
}

// TestPrivateInside: the same forms for internal networks; and a translator's prefix does not make public addresses
// private.
func TestPrivateInside(t *testing.T) {
	t.Parallel()
	s := &Sites{Resolve: names}
	for text, refused := range map[string]bool{
		"::ffff:0:10.0.0.1": true, "2001:db9::5efe:192.168.0.1": true, "64:ff9b::127.0.0.1": true, "64:ff9b:1:a00:0:100::": true, "64:ff9b:1::10.0.0.1": true,
		"64:ff9b:1:10a:0:1::": true, "2002:7f00:1::": true, "64:ff9b:1::8.8.8.8": false, "64:ff9b::8.8.8.8": false, "64:ff9b:1:808:8:800::": false, "2606:2800::5efe:8.8.8.8": false,
	} {
		if r := s.Open(t.Context(), "http://["+text+"]/"); (r != nil) != refused {
			t.Errorf("%s: %v, want refused %v", text, r, refused)
		}
	}
}

func TestMetadataNames(t *testing.T) {
	t.Parallel()
	s := &Sites{Private: true, Proxied: true}
	for host, refused := range map[string]bool{
		"metadata.google.internal": true, "x.metadata.goog": true, "metadata": true, "METADATA.": true, "metadata..": true, "instance-data": true, "instance-data.ec2.internal": true,
		"metadata.tencentyun.com": true, "api.metadata.cloud.ibm.com": true, "metadata.packet.net": true, "metadata.platformequinix.com": true,
		"ｍetadata.tencentyun.com": true, "metadata%2Epacket.net": true, "metadata。packet。net": true,
		"metadata.example.com": false, "notmetadata.goog": false, "mymetadata": false, "tencentyun.com": false, "kubernetes.default.svc": false,
	} {
		if r := s.Open(t.Context(), "http://"+host+"/"); (r != nil) != refused {
			t.Errorf("%s: %v, want refused %v", host, r, refused)
		}
	}
}

// known are addresses that hand out credentials, written down here once more.
var known = [...][4]byte{{169, 254, 169, 254}, {169, 254, 170, 2}, {100, 100, 100, 200}, {168, 63, 129, 16}, {192, 0, 0, 192}, {169, 254, 0, 23}}

// FuzzMetadataSpelling spells an address of a cloud's in one of the ways there are, with noise in all that is free.
func FuzzMetadataSpelling(f *testing.F) {
	for form := range uint8(22) {
		f.Add(form, form, uint64(0x20010db801220344), uint64(0x1234567890abcdef))
	}
	s := &Sites{Private: true, Resolve: names}
	f.Fuzz(func(t *testing.T, which, form uint8, a, b uint64) {
		address := "http://" + spellAddress(known[int(which)%len(known)], form, a, b) + "/latest"
		if r := s.Open(t.Context(), address); r == nil || r.Rule != RuleMetadata {
			t.Fatalf("%s leads into a cloud, and was judged %v", address, r)
		}
	})
}

// spellAddress returns one of the ways to write an address.
func spellAddress(ip [4]byte, form uint8, a, b uint64) string {
	n := uint32(ip[0])<<24 | uint32(ip[1])<<16 | uint32(ip[2])<<8 | uint32(ip[3])
	dotted := fmt.Sprintf("%d.%d.%d.%d", ip[0], ip[1], ip[2], ip[3])
	switch form % 22 {
	case 0:
		return fmt.Sprint(n)
	case 1:
		return fmt.Sprintf("0x%x", n)
	case 2:
		return fmt.Sprintf("0%o", n)
	case 3:
		return fmt.Sprintf("%d.%#x", ip[0], n&0xffffff)
	case 4:
		return fmt.Sprintf("%#o.%d.%#x", ip[0], ip[1], n&0xffff)
	case 5:
		return fmt.Sprintf("%#x.%#o.%d.%#X.", ip[0], ip[1], ip[2], ip[3])
	case 6: // other digits and dots
		dots := []string{".", "。", "．", "｡"}
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' && a>>(r-'0')&1 == 1 {
				return r - '0' + '０'
			}
			return r
		}, strings.Join(strings.Split(dotted, "."), dots[b%4]))
	case 7: // percent-encoding of some
		var out strings.Builder
		for i, c := range []byte(dotted) {
			if a>>(i%64)&1 == 1 {
				fmt.Fprintf(&out, "%%%02x", c)
			} else {
				out.WriteByte(c)
			}
		}
		return out.String()
	case 8:
		return url.UserPassword(fmt.Sprint(a), fmt.Sprint(b)).String() + "@" + dotted + fmt.Sprintf(":%d", 1+a%65535)
	case 9:
		return "[::ffff:" + dotted + "]"
	case 10:
		return "[::" + dotted + "]"
	case 11:
		return "[::ffff:0:" + dotted + "]"
	case 12:
		return "[64:ff9b::" + dotted + "]"
	}
	return "[" + embedAddress(ip, form%22, a, b) + "]"
}

// embedAddress puts an address into one of IPv6 whose other bytes are noise.
func embedAddress(ip [4]byte, form uint8, a, b uint64) string {
	var out [16]byte
	for i := range 8 {
		out[i], out[8+i] = byte(a>>(8*i)), byte(b>>(8*i))
	}
	out[0] |= 0x20
	place := func(prefix int) { // RFC 6052
		at := prefix / 8
		for _, c := range ip {
			if at == 8 {
				at++
			}
			out[at] = c
			at++
		}
	}
	switch form {
	case 13, 14, 15, 16, 17:
		place([]int{32, 40, 48, 56, 64}[form-13])
	case 18:
		place(96)
	case 19:
		copy(out[:], []byte{0, 0x64, 0xff, 0x9b, 0, 1})
		place([]int{48, 56, 64, 96}[a%4])
	case 20:
		copy(out[8:], []byte{byte(b) & 2, 0, 0x5e, 0xfe})
		copy(out[12:], ip[:])
	case 21:
		copy(out[:], []byte{0x20, 0x02})
		copy(out[2:], ip[:])
	}
	return netip.AddrFrom16(out).String()
}

// holds says in another way than the guard does whether an address of IPv6 has a known one within.
func holds(ip netip.Addr) bool {
	all := ip.As16()
	digits := hex.EncodeToString(all[:])
	for _, four := range known {
		is := hex.EncodeToString(four[:])
		for _, text := range []string{digits, digits[:16] + digits[18:]} {
			for at := 0; at+8 <= len(text); at += 2 {
				if text[at:at+8] == is {
					return true
				}
			}
		}
	}
	return false
}
