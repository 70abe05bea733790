package glob

import "testing"

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, url string
		want         bool
	}{
		{"small", "http://a/small?x=1", true}, // no * : contained
		{"large", "http://a/small", false},
		{"*", "http://a/", true},
		{"*/small", "http://a/small", true},
		{"*/small", "http://a/small?x", false},
		{"http://a/*", "http://a/b/c", true},
		{"http://a/*", "https://a/b", false},
		{"http://*/b/*/d", "http://a/b/c/d", true},
		{"http://*/b/*/d", "http://a/b/d", false},
		{"**/dashboard", "http://a/x/dashboard", true},
		{"*aba*ab", "xabab", false}, // the parts do not share letters
		{"*aba*ab", "xabaab", true},
		{"a*a", "a", false}, // beginning and end do not share letters either
		{"", "http://a/", true},
	} {
		if got := Match(c.pattern, c.url); got != c.want {
			t.Errorf("Match(%q, %q) = %v, want %v", c.pattern, c.url, got, c.want)
		}
	}
}
