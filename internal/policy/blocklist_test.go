package policy

import (
	"context"
	"net/netip"
	"strings"
	"testing"
)

// TestBlockedAddresses: a rule that is an address or a range holds for every spelling of it, and for names that lead there.
func TestBlockedAddresses(t *testing.T) {
	t.Parallel()
	resolve := func(_ context.Context, host string) ([]netip.Addr, error) {
		if host == "inside.example" {
			return []netip.Addr{netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("10.0.0.5")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	}
	for rule, hosts := range map[string][2]string{ // refused, let through
		"10.0.0.5": {"10.0.0.5 [::ffff:10.0.0.5] [::ffff:a00:5] 0x0a000005 167772165 012.0.0.05 10.5 [64:ff9b::10.0.0.5] [2002:a00:5::1] [::10.0.0.5] [::ffff:0:10.0.0.5] 10.0.0.5. inside.example",
			"10.0.0.6 [::ffff:10.0.0.6] 5.10.0.0 other.example"},
		"0x0a000005":                    {"10.0.0.5 inside.example", "10.0.0.6"},
		"http://user@10.0.0.5:8080/x":   {"10.0.0.5 [::ffff:10.0.0.5]", "10.0.0.8"},
		"[::ffff:10.0.0.5]":             {"10.0.0.5 inside.example", "10.0.0.6"},
		"64:ff9b::10.0.0.5":             {"10.0.0.5 [64:ff9b::a00:5]", "10.0.0.6"},
		"10.0.0.0/8":                    {"10.0.0.0 10.255.255.255 [::ffff:10.1.2.3] 0x0a010203 [64:ff9b::10.9.9.9] inside.example", "11.0.0.0 9.255.255.255 other.example"},
		"10.1.2.3/8":                    {"10.200.0.1", "11.0.0.1"},
		"::ffff:10.0.0.0/104":           {"10.0.0.1 [::ffff:10.0.0.1]", "11.0.0.1"},
		"fd00::/8":                      {"[fd00::1] [fdff:ffff::1]", "[fc00::1] 253.0.0.0"},
		"[fd00::]/8":                    {"[fd12::1]", "[fc00::1]"},
		"fd00::5":                       {"[fd00::5] [fd00:0:0:0:0:0:0:5] [FD00::5]", "[fd00::6]"},
		"127.0.0.1":                     {"127.0.0.1 localhost app.localhost LOCALHOST. 127.1 [::ffff:127.0.0.1]", "127.0.0.2 [::1]"},
		"::1":                           {"[::1] localhost", "127.0.0.1"},
		"0.0.0.0 10.0.0.5":              {"10.0.0.5", "0.0.0.0"},
		"10.0.0.*":                      {"10.0.0.7 [::ffff:10.0.0.7] inside.example", "10.0.1.7"},
		"2002:a00:5::1":                 {"[2002:a00:5::1]", "10.0.0.5"},
		"93.184.215.0/24":               {"other.example inside.example 93.184.215.14", "93.184.216.14"},
		"0.0.0.0 a.example b.example":   {"a.example b.example x.b.example", "c.example"},
		"www.com":                       {"www.com x.www.com", "other.com com"},
		"www.co.uk":                     {"www.co.uk", "shop.co.uk"},
		"www.github.io":                 {"www.github.io", "me.github.io"},
		"www.shop.co.uk":                {"www.shop.co.uk shop.co.uk", "other.co.uk"},
		"com":                           {"any.com", "any.org"}, // somebody wrote down all of it
		"*.zip":                         {"any.zip", "zip.com"},
		"HTTPS://Www.Shop.Example.:443": {"shop.example www.shop.example shop.example. SHOP.example", "op.example"},
		"BÜCHER.example":                {"bücher.example xn--bcher-kva.example www.xn--bcher-kva.example XN--BCHER-KVA.example", "bucher.example"},
		"xn--bcher-kva.example":         {"bücher.example", "bucher.example"},
		"ads*.bücher.example":           {"ads1.bücher.example ads2.xn--bcher-kva.example", "news.bücher.example"},
		"ADS*.Shop.example.":            {"ads1.shop.example", "news.shop.example"},
		"//shop.example/x":              {"shop.example", "op.example"},
		"ftp://shop.example/":           {"shop.example", "op.example"},
		"shop.example:8080":             {"shop.example", "op.example"},
		"shop.example/24":               {"shop.example", "op.example"}, // a path
	} {
		list := &Blocklist{}
		if err := list.Add("list", rule); err != nil {
			t.Errorf("%s: %v", rule, err)
			continue
		}
		s := &Sites{Private: true, Resolve: resolve, Blocked: list}
		for i, all := range hosts {
			for host := range strings.FieldsSeq(all) {
				r := s.Open(t.Context(), "http://"+host+"/")
				if refused := r != nil && r.Rule == rule; refused != (i == 0) || (r != nil) != (i == 0) {
					t.Errorf("rule %s: %s is judged %v", rule, host, r)
				}
			}
		}
	}
}

// TestInvalidBlockedRanges: what looks like a range and is none is refused, not taken for an address with a path.
func TestInvalidBlockedRanges(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"10.0.0.0/33", "10.0.0.0/255.0.0.0", "10.0.0.0/8/", "10/8", "10.0/16", "10.0.0.0-10.0.0.9", "fd00::/129", "::ffff:10.0.0.0/8", "10.0.0.0/-1", "10.0.0.0/8:80",
		"*.10.0.0.5", "*.[::1]", "10.0.0.5 10.0.0.6", "ads*bü.example", "*.example.com:80/*", "https://*.example.com/", "1.2.3.4.5", "ads*.exa mple",
	} {
		if err := (&Blocklist{}).Add("list", bad); err == nil {
			t.Errorf("%q was taken for a rule", bad)
		}
	}
}

// TestConnectedToBlocked: a document from an address on the list is refused whatever its name led to before, unless a
// proxy is what documents come from.
func TestConnectedToBlocked(t *testing.T) {
	t.Parallel()
	list := &Blocklist{}
	if err := list.Add("list", "10.0.0.0/8"); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"10.0.0.5", "::ffff:10.0.0.5"} {
		if r := (&Sites{Blocked: list, Private: true}).Connected(t.Context(), "http://rebinds.example/", from); r == nil || r.Rule != "10.0.0.0/8" || r.URL != "http://rebinds.example/" {
			t.Errorf("from %s: %v", from, r)
		}
		if r := (&Sites{Blocked: list, Proxied: true}).Connected(t.Context(), "http://rebinds.example/", from); r != nil {
			t.Errorf("from %s, by a proxy: %v", from, r)
		}
	}
}

// FuzzBlocklist: no rule makes the list panic, and what a rule that is an address or a host stands for is found again.
func FuzzBlocklist(f *testing.F) {
	for _, rule := range []string{"www.com", "10.0.0.0/8", "[::1]:80", "*.x", "a*b.c", "::ffff:1.2.3.4/100", "0.0.0.0 a b", "bücher.example", "http://[fd00::1%25x]/", "1/2"} {
		f.Add(rule)
	}
	f.Fuzz(func(t *testing.T, rule string) {
		list := &Blocklist{}
		if list.Add("list", rule) != nil || list.Len() == 0 || strings.ContainsAny(rule, "*/ \t") {
			return
		}
		name, err := hostOf(rule)
		if ip, e := addressOf(rule); e == nil {
			name, err = ip.String(), nil
		}
		if err != nil {
			return // with a remark
		}
		if _, _, found := list.Match(name); !found {
			t.Fatalf("the rule %q does not match %s", rule, name)
		}
	})
}
