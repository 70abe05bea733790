package policy

import (
	"strings"
	"testing"
)

// TestURLGlob checks the rules of patterns, each with a URL that matches and one that does not. The first four were
// observed on agent-browser 0.34.
func TestURLGlob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ glob, yes, no, cdp string }{
		{"**/api/*", "http://h/api/x/y?q=1", "http://h/app/x", "*/api/*"},
		{"*/api/*", "http://h/a/api/x/y", "http://h/api", "*/api/*"},
		{"http://h/api/x", "http://h/api/x", "http://h/api/xyz", "http://h/api/x"},
		{"**/x", "http://h/x", "http://h/x?q", "*/x"},
		{"**/*.{css,json}", "http://h/a.json", "http://h/a.txt", "*/*.*"},
		{"**/search?q=*", "http://h/search?q=1", "http://h/searchXq=1", `*/search\?q=*`},
		{`**/a\*b`, "http://h/a*b", "http://h/axb", `*/a\*b`},
		{"https://example.com", "https://example.com/", "https://example.com/x", "https://example.com/"},
		{"**/[a].(b)+", "http://h/[a].(b)+", "http://h/a.b", "*/[a].(b)+"},
		{"{http,https}://h/é", "https://h/é", "ftp://h/é", "*://h/é"},
	} {
		g, err := ParseURLGlob(c.glob)
		if err != nil {
			t.Errorf("%s: %v", c.glob, err)
			continue
		}
		if !g.Match(c.yes) || g.Match(c.no) || g.CDP() != c.cdp || !g.Reachable() {
			t.Errorf("%s: %s %t, %s %t, CDP %s, reachable %t", c.glob, c.yes, g.Match(c.yes), c.no, g.Match(c.no), g.CDP(), g.Reachable())
		}
	}
	for _, bad := range []string{"", "**/{a,b", "{a{b}}"} {
		if _, err := ParseURLGlob(bad); err == nil {
			t.Errorf("%q was parsed", bad)
		}
	}
	for _, never := range []string{"/api/*", "api", "/api:80/"} {
		if g, err := ParseURLGlob(never); err != nil || g.Reachable() {
			t.Errorf("%q: %v, reachable", never, err)
		}
	}
}

// FuzzURLGlob checks that a pattern of only literal characters matches exactly its own text.
func FuzzURLGlob(f *testing.F) {
	f.Add("http://h/a?b[c]", "x")
	f.Add(`a\{b,c}`, "{")
	f.Fuzz(func(t *testing.T, text, other string) {
		g, err := ParseURLGlob(text)
		if err != nil {
			return
		}
		g.Match(other)
		if !strings.ContainsAny(text, `*{}\`) && strings.HasSuffix(text, "/") && (!g.Match(text) || other != text && g.Match(other)) {
			t.Errorf("%q: matches itself %t, %q %t", text, g.Match(text), other, g.Match(other))
		}
	})
}
