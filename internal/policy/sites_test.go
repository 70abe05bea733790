package policy

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// names returns a resolver that knows a few names.
func names(_ context.Context, host string) ([]netip.Addr, error) {
	known := map[string][]string{
		"example.com": {"93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"}, "shop.example.com": {"93.184.215.15"}, "xn--bcher-kva.example": {"93.184.215.16"},
		"intranet.example": {"10.1.2.3"}, "half.example": {"93.184.215.14", "192.168.0.9"}, "rebound.example": {"169.254.169.254"},
		"six.example": {"::ffff:10.0.0.1"}, "empty.example": {}, "evil.test": {"93.184.215.17"}, "ads3.tracker.example": {"93.184.215.18"},
		"localhost.example.com": {"93.184.215.14"}, "exa_mple.example": {"93.184.215.14"},
	}
	list, ok := known[host]
	if !ok {
		return nil, errors.New("no such host")
	}
	var out []netip.Addr
	for _, s := range list {
		out = append(out, netip.MustParseAddr(s))
	}
	return out, nil
}

func remote(t testing.TB) *Sites {
	t.Helper()
	list := &Blocklist{}
	if err := list.Add("security.website_blocklist.domains", "evil.test", "*.tracker.example", "# remark"); err != nil {
		t.Fatal(err)
	}
	return &Sites{Resolve: names, Blocked: list}
}

// TestOpen is the matrix of addresses for a browser on another machine; what is refused there for being private only is
// marked so, and allowed where the browser is local.
func TestOpen(t *testing.T) {
	t.Parallel()
	s := remote(t)
	local := &Sites{Resolve: names, Blocked: s.Blocked, Private: true}
	for url, rule := range map[string]string{
		"https://example.com/":             "",
		"http://example.com:8080/a?b=c#d":  "",
		"HTTPS://EXAMPLE.COM./":            "",
		"https://user:pw@example.com/":     "",
		"https://bücher.example/":          "",
		"https://ＢÜCHER.example/":          "",
		"https://exa_mple.example/":        "",
		"https://localhost.example.com/":   "",
		"about:blank":                      "",
		"about:srcdoc":                     "",
		"data:text/html,<h1>Hi":            "",
		"https://93.184.215.14/":           "",
		"https://[2606:2800:21f:cb07::1]/": "",
		"view-source:https://example.com/": "",
		"https://example.com/desk-organizer-for-small-rooms/sk-hynix-reports-a-record-profit":  "",
		"https://example.com/login?token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk": "", // a link from a mail
		"https://example.com/reset?code=123456&access_token=short":                             "",

		"https://example.com/?k=sk-ant-api03-abcdefghijklmnop1234":             RuleSecret,
		"https://example.com/?k=%73k-ant-api03-abcdefghijklmnop1234":           RuleSecret,
		"https://example.com/?k=%2573k%252Dant-api03-abcdefghijklmnop1234":     RuleSecret,
		"https://example.com/AKIAIOSFODNN7EXAMPLE":                             RuleSecret,
		"https://ghp_abcdefghijklmnopqrstuvwxyz0123456789.example.com/":        RuleSecret,
		"https://ｓk-ant-api03-abcdefghijklmnop1234.example.com/":               RuleSecret, // a full-width s
		"data:text/html,<img src=https://x/ghp_abcdefghijklmnopqrstuvwxyz012>": RuleSecret,

		"http://169.254.169.254/latest/meta-data/":    RuleMetadata,
		"http://169.254.170.2/":                       RuleMetadata,
		"http://2852039166/":                          RuleMetadata,
		"http://0xA9FEA9FE/":                          RuleMetadata,
		"http://0xa9.0xfe.0xa9.0xfe/":                 RuleMetadata,
		"http://0251.0376.0251.0376/":                 RuleMetadata,
		"http://169.16689662/":                        RuleMetadata,
		"http://169.254.43518/":                       RuleMetadata,
		"http://169.254.169.254./":                    RuleMetadata,
		"http://１６９.２５４.１６９.２５４/":                     RuleMetadata,
		"http://169。254。169。254/":                     RuleMetadata,
		"http://%31%36%39.254.169.254/":               RuleMetadata,
		"http:\\\\169.254.169.254\\x":                 RuleMetadata,
		"http:169.254.169.254":                        RuleMetadata,
		"http:/169.254.169.254":                       RuleMetadata,
		"  ht\ntp://169.254.\t169.254/":               RuleMetadata,
		"http://example.com@169.254.169.254/":         RuleMetadata,
		"http://a@b@169.254.169.254/":                 RuleMetadata,
		"http://169.254.169.254#@example.com/":        RuleMetadata,
		"http://169.254.169.254\\@example.com/":       RuleMetadata,
		"http://[::ffff:169.254.169.254]/":            RuleMetadata,
		"http://[::ffff:a9fe:a9fe]/":                  RuleMetadata,
		"http://[::169.254.169.254]/":                 RuleMetadata,
		"http://[64:ff9b::169.254.169.254]/":          RuleMetadata,
		"http://[2002:a9fe:a9fe::1]/":                 RuleMetadata,
		"http://[fd00:ec2::254]/":                     RuleMetadata,
		"http://[fe80::a9fe:a9fe]/":                   RuleMetadata,
		"http://100.100.100.200/":                     RuleMetadata,
		"http://metadata.google.internal/":            RuleMetadata,
		"http://METADATA.google.INTERNAL./":           RuleMetadata,
		"http://metadata.goog/":                       RuleMetadata,
		"https://rebound.example/":                    RuleMetadata,
		"view-source:http://169.254.169.254/":         RuleMetadata,
		"blob:http://169.254.169.254/b0b":             RuleMetadata,
		"filesystem:http://169.254.169.254/temporary": RuleMetadata,
		"view-source:view-source:http://169.254.1.1/": RuleMetadata,

		"http://127.0.0.1/":         RulePrivate,
		"http://127.1/":             RulePrivate,
		"http://0/":                 RulePrivate,
		"http://localhost:3000/":    RulePrivate,
		"http://app.localhost/":     RulePrivate,
		"http://LOCALHOST./":        RulePrivate,
		"http://[::1]/":             RulePrivate,
		"http://[::]/":              RulePrivate,
		"http://10.0.0.1/":          RulePrivate,
		"http://172.31.255.255/":    RulePrivate,
		"http://192.168.1.1/":       RulePrivate,
		"http://100.64.0.1/":        RulePrivate,
		"http://[fc00::1]/":         RulePrivate,
		"http://[fe80::1]/":         RulePrivate,
		"http://224.0.0.1/":         RulePrivate,
		"http://255.255.255.255/":   RulePrivate,
		"http://[::ffff:10.0.0.1]/": RulePrivate,
		"http://intranet.example/":  RulePrivate,
		"http://half.example/":      RulePrivate,
		"http://six.example/":       RulePrivate,
		"blob:http://10.0.0.1/b0b":  RulePrivate,

		"https://nowhere.example/": RuleDNS,
		"https://empty.example/":   RuleDNS,
		"http://a..b/":             RuleDNS,

		"https://evil.test/":             "evil.test",
		"https://www.evil.test/":         "evil.test",
		"https://deep.below.evil.test/":  "evil.test",
		"https://ads3.tracker.example/":  "*.tracker.example",
		"view-source:https://evil.test/": "evil.test",
		"https://evil.test./":            "evil.test",

		"file:///etc/passwd":      RuleScheme,
		"view-source:file:///etc": RuleScheme,
		"ftp://example.com/":      RuleScheme,
		"ws://example.com/":       RuleScheme,
		"javascript:alert(1)":     RuleScheme,
		"chrome://settings":       RuleScheme,
		"devtools://devtools/x":   RuleScheme,
		"about:version":           RuleScheme,
		"blob:null/b0b":           RuleURL,
		"http://":                 RuleURL,
		"http://1.2.3.4.5/":       RuleURL,
		"http://[::1%25eth0]/":    RuleURL,
		"http://exa mple.com/":    RuleURL,
		"nonsense":                RuleURL,
		"":                        RuleURL,
	} {
		for name, sites := range map[string]*Sites{"remote": s, "local": local} {
			want := rule
			if name == "local" && rule == RulePrivate {
				want = ""
			}
			got := ""
			r := sites.Open(t.Context(), url)
			if r != nil {
				got = r.Rule
			}
			if got != want {
				t.Errorf("%s, %q: rule %q, want %q (%v)", name, url, got, want, r)
			}
			if r != nil && (r.Why == "" || r.Source == "" || strings.Contains(r.Error(), "abcdefghijklmnop")) {
				t.Errorf("%s: the refusal says too little, or too much: %+v", url, r)
			}
		}
	}
}

func TestLoaded(t *testing.T) {
	t.Parallel()
	s := remote(t)
	for url, rule := range map[string]string{
		"": "", "about:blank": "", "about:srcdoc": "", "chrome-error://chromewebdata/": "", "chrome://newtab/": "", "devtools://devtools/bundled/x.html": RuleScheme,
		"data:text/html,x": "", "https://example.com/": "",
		"https://www.google.com.example.com/maps?key=AIzaSyA1234567890abcdefghijklmnopqrstuvw": RuleDNS, // what is shown was sent already; the name counts
		"https://example.com/maps?key=AIzaSyA1234567890abcdefghijklmnopqrstuvw":                "",
		"file:///etc/passwd": RuleScheme, "chrome-extension://abc/x.html": RuleScheme, "http://10.0.0.1/": RulePrivate,
		"blob:http://10.0.0.1/b0b": RulePrivate, "blob:null/b0b": RuleURL, "https://evil.test/": "evil.test", "http://169.254.169.254/": RuleMetadata,
	} {
		got := ""
		if r := s.Loaded(t.Context(), url); r != nil {
			got = r.Rule
		}
		if got != rule {
			t.Errorf("%q: rule %q, want %q", url, got, rule)
		}
	}
}

// TestAppPages: an app's own pages may be read; others are judged as in a browser.
func TestAppPages(t *testing.T) {
	t.Parallel()
	s := remote(t)
	s.App = "/opt/my notes/notes"
	for url, rule := range map[string]string{
		"file:///opt/my%20notes/resources/app.asar/index.html#a": "", "app://notes/index.html": "", "vscode-file://vscode-app/x.html": "",
		"file:///opt/my%20notes/index.html": RuleScheme, "file:///etc/passwd": RuleScheme, "file:///opt/my%20notes/resources/../../../etc/passwd": RuleScheme,
		"file:///opt/my%20notes/resources/%2e%2e/%2e%2e/%2e%2e/etc/passwd": RuleScheme, "file:///opt/my%20notes/resources/..%2f..%2f..%2fetc/passwd": RuleScheme,
		"file://server/opt/my%20notes/resources/x": RuleScheme, "chrome://settings/": RuleScheme, "chrome-extension://abc/x.html": RuleScheme, "devtools://devtools/x.html": RuleScheme,
		"view-source:file:///etc/passwd": RuleScheme, "http://10.0.0.1/": RulePrivate, "https://example.com/": "",
	} {
		got := ""
		if r := s.Loaded(t.Context(), url); r != nil {
			got = r.Rule
		}
		if got != rule {
			t.Errorf("%q: rule %q, want %q", url, got, rule)
		}
	}
	for _, url := range []string{"file:///opt/my%20notes/resources/app.asar/index.html", "app://notes/"} {
		if r := s.Open(t.Context(), url); r == nil {
			t.Errorf("%s may be opened", url)
		}
	}
}

// TestBrowserPages: what is shown where nothing else is may be read, and what rules the browser may not.
func TestBrowserPages(t *testing.T) {
	t.Parallel()
	for url, refused := range map[string]bool{
		"": false, "about:blank": false, "chrome://newtab/": false, "chrome://new-tab-page/": false, "chrome-error://chromewebdata/": false,
		"chrome://settings/passwords": true, "chrome://version/": true, "chrome://inspect/#remote-debugging": true, "chrome-untrusted://x/": true,
		"devtools://devtools/bundled/inspector.html?ws=127.0.0.1:9222/devtools/page/1": true, "chrome-extension://abc/x.html": true,
		"view-source:chrome://version/": true,
	} {
		if r := remote(t).Loaded(t.Context(), url); (r != nil) != refused {
			t.Errorf("%s: %v", url, r)
		}
	}
}

// TestConnected: the address that the browser reports for a document decides, whatever its name resolved to.
func TestConnected(t *testing.T) {
	t.Parallel()
	for from, refused := range map[string]bool{
		"": false, "nowhere": false, "127.0.0.1": false, "10.0.0.7": false, "203.0.113.7": false, "2001:db8::7": false,
		"169.254.169.254": true, "::ffff:169.254.169.254": true, "64:ff9b::a9fe:a9fe": true, "fd00:ec2::254": true, "100.100.100.200": true,
	} {
		r := remote(t).Connected(t.Context(), "http://rebinds.example/latest", from)
		if (r != nil) != refused {
			t.Errorf("%s: %v", from, r)
		}
		if r != nil && (r.Rule != RuleMetadata || r.URL != "http://rebinds.example/latest" || !strings.Contains(r.Why, from)) {
			t.Errorf("%s: %+v", from, r)
		}
	}
}

// TestProxied: with a proxy, names that do not resolve here are allowed; those that do are checked.
func TestProxied(t *testing.T) {
	t.Parallel()
	s := &Sites{Resolve: names, Proxied: true}
	for url, refused := range map[string]bool{"https://nowhere.example/": false, "https://intranet.example/": true, "http://10.0.0.1/": true, "http://metadata.goog/": true} {
		if r := s.Open(t.Context(), url); (r != nil) != refused {
			t.Errorf("%s: %v", url, r)
		}
	}
	if r := (&Sites{}).Open(t.Context(), "https://example.com/"); r == nil || r.Rule != RuleDNS {
		t.Errorf("nobody resolves: %v", r)
	}
}

func TestBlocklist(t *testing.T) {
	t.Parallel()
	b := &Blocklist{}
	err := b.Add("list.txt", "# the list", "", "www.Plain.example  # with a remark", "https://User@Address.example:8443/path?q", "*.below.example",
		"ads*.glob.example", "0.0.0.0 hosts.example", "bücher.example", "10.0.0.7")
	if err != nil {
		t.Fatal(err)
	}
	for host, rule := range map[string]string{
		"plain.example": "www.Plain.example", "www.plain.example": "www.Plain.example", "a.b.plain.example": "www.Plain.example", "notplain.example": "",
		"address.example": "https://User@Address.example:8443/path?q", "below.example": "", "x.below.example": "*.below.example", "ads7.glob.example": "ads*.glob.example",
		"glob.example": "", "hosts.example": "0.0.0.0 hosts.example", "xn--bcher-kva.example": "bücher.example", "10.0.0.7": "10.0.0.7", "example": "",
	} {
		got, source, found := b.Match(host)
		if got != rule || found != (rule != "") || found && !strings.HasPrefix(source, "list.txt:") {
			t.Errorf("%s: %q from %q, want %q", host, got, source, rule)
		}
	}
	for _, bad := range []string{"two words", "http://", "a b c", "*", "ex*mple.example/path", "[::1", "?"} {
		err := (&Blocklist{}).Add("list.txt", "good.example", bad)
		if bad == "*" {
			if err != nil {
				t.Errorf("everything may be blocked: %v", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "list.txt:2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// FuzzOpen: whatever is written, an address is never let through that leads into the cloud's own network, however it is
// spelled; and judging again comes to the same.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{"http://169.254.169.254/", "http:\\\\2852039166", "https://example.com", "blob:http://0xa9fea9fe/x", "view-source:http://[::ffff:a9fe:a9fe]", "http://１６９.254.169.254",
		"https://x/?k=sk-ant-api03-abcdefghijklmnop1234", "file:///x", "data:,x", "http://a@b@100.100.100.200:80"} {
		f.Add(seed)
	}
	s := &Sites{Private: true, Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
		if host == "" || strings.ContainsAny(host, "/@:?#\\ \t\r\n%") {
			panic("asked to resolve " + host)
		}
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	}}
	f.Fuzz(func(t *testing.T, url string) {
		r := s.Open(t.Context(), url)
		if again := s.Open(t.Context(), url); (again == nil) != (r == nil) {
			t.Fatalf("%q: %v, then %v", url, r, again)
		}
		if r != nil {
			if r.Rule == "" || r.Source == "" || r.Why == "" {
				t.Fatalf("%q: an empty refusal %+v", url, r)
			}
			return
		}
		u, refused := parseWrapped(url)
		if refused != nil {
			t.Fatalf("%q: let through though it cannot be taken apart", url)
		}
		if ip, err := netip.ParseAddr(strings.Trim(u.Hostname(), "[]")); err == nil {
			if four := ip.Unmap(); metadataAddress(ip) || four.Is6() && holds(four) || four.Is4() && slices.Contains(known[:], four.As4()) {
				t.Fatalf("%q leads to %s", url, ip)
			}
		}
		if secretIn(url) != "" {
			t.Fatalf("%q holds a key", url)
		}
	})
}
